package capture

const french = `
= joining: et mais donc alors bon ok oui aussi ensuite puis finalement enfin ainsi or du coup désormais par conséquent bref au final
= turn: mais donc alors cependant toutefois puis pourtant
= hence: donc alors ainsi conséquent coup
= strip: de que d' : ,
= keep: pour sur en à contre avec
= i: j' je
= group: équipe groupe comité conseil direction
= actor: fonction méthode parseur compilateur serveur service programme option algorithme bibliothèque navigateur client ordonnanceur système utilisateur utilisateurs clients développeurs script test tests outil
= cond: si quand lorsque lorsqu' tant jusqu'
= foreign: leur leurs son sa ses autre autres votre ancienne ancien vieille moitié précédente
= formers: précédente précédent ancienne d'avant
= asking: pourquoi comment si
= stative: avons sommes étions savons pensons croyons voyons pouvons voulons devons attendons trouvons cherchons regardons parlons discutons comparons testons supposons comprenons perdons recevons constatons espérons aimons recommandons
= by: par
= ours: nous l' notre le la défaut consensus vote tous
= sub: quand si lorsque lorsqu' comment qui où pendant avant après pourquoi ce
= you: vous votre vos tu te
= considered: envisagé étudié évalué comparé considéré
= compare: comparé comparaison candidats pistes benchmark
= report: échoué passé terminé mesuré erreur
= optionends: pour dans en comme au quand parce car et afin lors sur
= optionverb: *er *ir *re
= undecided: en aucun aucune tbd ouvert reporté plus à
= adv: donc déjà finalement enfin aussi tous ensemble simplement désormais alors maintenant clairement officiellement unanimement plutôt bien volontairement uniquement également ainsi ici toutefois
= we: nous on équipe groupe comité conseil
= pp: choisi décidé opté retenu préféré sélectionné tranché convenu écarté rejeté adopté acté validé abandonné arrêté privilégié misé arrêté
= pp2: remplacé déplacé migré supprimé retiré gardé conservé mis séparé fusionné figé limité interdit utilisé passé sorti extrait réécrit introduit implémenté basculé laissé choisi
= everyday: cadeau cadeaux frère sœur femme mari enfants fils fille ami amie amis mer plage cinéma film restaurant recette anniversaire mariage cuisine jardin robe dîner déjeuner hôtel train musée promenade vacances chien chat voyage guitare canapé parents mère père chambre
= inf: utiliser garder conserver migrer passer déplacer adopter remplacer supprimer retirer abandonner séparer fusionner diviser figer limiter interdire héberger déployer réécrire refaire introduire implémenter stocker générer servir rester continuer déléguer unifier centraliser exiger versionner chiffrer signer publier exposer faire écrire mettre prendre ne calculer basculer partir changer geler imposer arrêter cesser construire
= now1: utilisons gardons conservons migrons passons déplaçons adoptons remplaçons supprimons retirons abandonnons séparons fusionnons figeons limitons interdisons hébergeons déployons réécrivons introduisons stockons générons restons continuons déléguons unifions centralisons exigeons partons prenons choisissons mettons basculons optons retenons arrêtons cessons misons
= design: découpons divisons séparons versionnons chiffrons stockons déplaçons migrons écrivons construisons hébergeons déployons unifions limitons signons générons scindons extrayons déléguons exposons renonçons regroupons
= on1: part utilise garde conserve migre passe déplace adopte remplace supprime retire abandonne sépare fusionne fige limite interdit héberge déploie réécrit introduit stocke reste continue délègue unifie centralise exige prend choisit met bascule opte retient arrête mise vire laisse
= fut: utiliserons garderons conserverons migrerons passerons déplacerons adopterons remplacerons supprimerons retirerons abandonnerons séparerons hébergerons déploierons réécrirons introduirons stockerons resterons continuerons ferons mettrons prendrons basculerons écrirons exposerons exigerons limiterons
= work: lire regarder voir vérifier tester lancer exécuter commencer analyser chercher expliquer réfléchir discuter évaluer comparer décider étudier mesurer préparer attendre essayer considérer aborder parler examiner revoir aller détailler

+ .93 [] nous avons choisi: nous|on|j'|je avons|a|ai <adv>? <adv>? <pp> <adv>? !aucun
+ .92 [] décidé de: avons|a|ai|ont-pas <adv>? décidé|convenu|choisi|résolu <adv>? @ de|d'|que
+ .92 [] l'équipe a choisi: équipe|groupe|comité|conseil ~2 a <adv>? <pp>
+ .92 [] il a été convenu: il|cela|c' a|est <adv>? été? <adv>? convenu|décidé|acté|retenu|entendu|tranché
+ .86 [p] a été retenu: est|sont <adv>? retenu|retenue|retenus|acté|actée|validé|validée !par|car
+ .86 [p] a été retenu: a|ont été <adv>? retenu|retenue|retenus|choisi|choisie|choisis|écarté|écartée|adopté|adoptée|préféré|préférée|acté|actée !au
+ .9 [] c'est acté: c' est <adv>? acté|décidé|tranché|convenu|entendu|validé
+ .9 [] mis d'accord: mis|mises|sommes ~1 d' accord ~1 pour|sur|que
+ .9 [] choix porté: choix ~3 porté|fait|arrêté|fixé ~2 sur|:|est
+ .88 [] choix: notre|mon|le choix|décision|verdict|conclusion|arbitrage final|finale|retenu|retenue? :|est|a|fut @ !difficile|ouvert|vôtre|entre
+ .84 [] l'emporte: l' a|ont? emporte|emporté|emportent
+ .84 [] gagne: gagne|gagné|remporte
+ .82 [] le plan: le|notre plan|approche|idée est|:|consiste @ de|d'|à|~1
+ .85 [] désormais: désormais|dorénavant|dorénavant ~1
+ .85 [] à partir de: à partir|compter de|d'|du maintenant|aujourd'hui|hui|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|prochaine|prochain|la|demain
+ .86 [] partons sur: nous|on partons|part|restons|reste|partira|restera|optons|opte|misons|mise|basculons|bascule|tablons|table|va|allons|ira <adv>? ~1 sur|avec|pour|vers
+ .84 [] nous passons: nous <adv>? passons|migrons|abandonnons|basculons|supprimons|retirons|remplaçons|adoptons|retenons|choisissons|arrêtons|cessons|gelons|figeons|conservons|gardons|optons
+ .82 [] on passe: on passe|bascule|migre|abandonne|renonce|reste|part ~8 à|vers|sur|de|en
+ .82 [] on passe: on passe|migre|abandonne|bascule|supprime|retire|remplace|adopte|retient|choisit|arrête|garde|conserve|laisse|vire|fige|gèle !revue
+ .82 [r|a] nous utilisons: nous <adv>? <now1>|<design>
+ .62 [st|qt|rt] ouvert: nous <adv>? n'|ne? !<stative> *ons
+ .62 [st] chaque: ^ chaque|tous|toutes ~4
+ .76 [t] il n'y aura pas: n' y aura pas|plus
+ .8 [t|r|a] je retiens: je <adv>? retiens|choisis|prends|garde|pars|préfère|reste
+ .6 [rt] ouvert: nous avons <adv>? !perdu|vu|eu|reçu|constaté|remarqué|découvert|discuté|parlé|oublié|échoué|raté|attendu|appris *é|*i|*u
+ .64 [rt] sont faits: ^ ~3 est|sont !rejeté*|refusé*|verrouillé*|tué*|annulé*|ignoré*|fermé*|bloqué*|perdu*|arrêté*|causé* *ées|*és|*ée|*é
+ .76 [t] à partir de lundi: partir|dès|compter de|du? lundi|mardi|mercredi|jeudi|vendredi|demain
+ .76 [t] dès lundi: dès lundi|mardi|mercredi|jeudi|vendredi|demain|janvier|février|mars
+ .84 [] on se passe: se|nous passe|passons|passera|passerons de|d'
+ .76 [t] idée: idée|piste|option|plan|proposition|projet ~7 abandonnée|écartée|abandonné|écarté|rejetée
+ .86 [p] adopté: a|ont été <adv>? adopté*|retenu*|choisi*|approuvé*|écarté*|acté*|préféré*|abandonné*
+ .8 [t] sera notre: sera|seront|est|devient notre|nos
+ .78 [t] au profit: au profit de|du|des
+ .9 [] nous sommes décidés: sommes|suis décidé*|mis*|prononcé*|arrêté* ~1 pour|sur|d'
+ .76 [t|a] se fera: se fera|feront|passera|passeront
+ .82 [] ne que: nous ne|n' *ons ~4 que|qu'
+ .66 [st] futur: ^ ~4 *ront|*ra
+ .7 [t] je passe: je <adv>? passe|bascule|remplace|déplace|migre|sépare|supprime|découpe
+ .68 [t] ne sera pas: ne sera|seront pas|plus
+ .82 [t] sommes passés: sommes|suis passé*|revenu*|allé* à|au|sur|vers
+ .6 [rt|st] j'ai: j' ai <adv>? !vu|lu|trouvé|remarqué|testé|regardé|pensé|essayé|cru|relu|reçu|perdu|eu|été|corrigé|vérifié|lancé *é|*i|*u|mis|fait|pris
+ .56 [stn] au lieu: ^^ ~1
+ .84 [] volontairement: volontairement|délibérément|sciemment ~4
+ .9 [] voté: nous|on|avons|a ~1 voté ~6 pour|contre
+ .86 [] acceptée: proposition|idée|plan|motion ~3 a|est été? acceptée|accepté|adoptée|adopté|approuvée|validée
+ .9 [] tombés d'accord: tombés|tombées|sommes|tombé d' accord
+ .84 [] préférence: donnons|accordons|privilégions|privilégie ~2
+ .82 [] adoptons: nous adoptons|conservons|abandonnons|retirons|reprenons
+ .84 [] clair: est|était|devenu clair|évident ~1 :|que
+ .74 [t] plus autorisé: ne|n' est|sont plus autorisé|autorisés|autorisée|autorisées|permis|permise|acceptés|acceptées|supportés|supportées
+ .66 [t] retiré: j'|je ai <adv>? retiré|remplacé|enlevé|supprimé|viré|basculé
+ .76 [t] s'appellera: ^ ~4 s' appellera|appelleront|installera
+ .66 [t] stocké: ^ ~3 est|sont stocké|stockée|stockés|stockées|conservé|conservée|conservés|écrits|chiffrés en|dans|comme|pour
+ .78 [] plus que: ne|n' ~2 plus que
+ .62 [st] objets: ^ les ~2 *ent
+ .74 [t] nous découpons: nous <adv>? <design>
+ .76 [t] sera écrit: sera|seront <adv>? écrit|écrite|écrits|écrites|stocké|stockée|stockés|stockées|hébergé|hébergée|hébergés|implémenté|implémentée|fait|faite|faits|construit|construite|réécrit|gérée|géré|déployé|déployée|remplacé|remplacée
+ .76 [t] iront: ^ ~4 ira|iront|passera|passeront|restera|resteront|vivra|vivront|utilisera|utiliseront dans|par|en|sur|avec|à|vers|chez|au
+ .76 [t] ce sera: ^ ce sera|seront
+ .84 [t] renonçons: renonçons|renonce|renoncé à|au
+ .8 [r|a] on utilise: on <adv>? <on1>
+ .84 [] nous utiliserons: nous <adv>? <fut>
+ .7 [r|a] nous futur: nous <adv>? *erons|*irons|*drons|*rons
+ .84 [] nous n'écrirons pas: nous|on n'|ne *rons|*ra|utilisons|utilise|gardons|garde|prenons|supportons plus|pas
+ .84 [] nous allons: nous|on allons|va <adv>? <adv>? <inf>
+ .7 [r|a] nous allons: nous|on allons|va <adv>? !<work>
+ .86 [a] j'ai: j'|je|nous|on ai|avons|a <adv>? <pp2>|utilisé|mis|fait|pris|préféré
+ .76 [r] j'ai: j'|je|nous|on ai|avons|a <adv>? <pp2>|pris
+ .86 [] j'ai choisi: j'|je ai <adv>? choisi|préféré|opté|décidé|retenu
+ .74 [st] sera: sera|seront|reste|restent|passe|passent|va|vont ~6
+ .74 [r] sera: sera|seront ~1 *é|*ée|*és|*ées
+ .82 [a] ne plus: ne|n' ~1 plus ~4
+ .84 [] restent: ^ ~5 reste|restent|passe|passent ~2 sur|en|dans|tel|tels|inchangé !savoir|à|ouverte|possible|envisageable
+ .86 [] c'est pourquoi: c'|voilà est? pourquoi|pour
+ .86 [] du coup: ^^ donc|alors|ainsi|coup nous|on <adv>? avons|a|<now1>|<on1>|allons|va
+ .84 [] on va donc: on|nous va|allons donc <inf>
+ .7 [c] utiliser: ^^ utiliser|utilisez|prendre|garder|adopter|passer
+ .84 [] utilisons: ^ utilisons|gardons|partons|prenons|restons|passons|adoptons|abandonnons ~1

- sentence question: ^^ que|quel|quelle|quels|quelles|qui|pourquoi|comment|faut-il|faut|devons-nous|peut-on|doit-on|est-ce|où
- sentence si: ^^ si|supposons|imaginons|admettons|s'
- sentence si vous: si vous|tu|besoin|voulez|nécessaire|possible
- segment pourrait: pourrait|pourrions|pourriez|pourraient|devrait|devrions|serait|seraient|aurait|faudrait|ferait|voudrais|aimerait
- segment peut: peut|peux|pouvez|peuvent|pouvons|puis-je
- segment vous: vous|tu
- segment peut-être: peut-être|éventuellement|probablement|sans-doute
- segment possibilité: une|autre|l' possibilité|option|alternative|idée|piste est|serait|consiste|:
- segment recommande: recommande|recommandons|recommandé|suggère|propose|conseille|préconise|proposons
- sentence tutoriel: dans|lors ce|cet|cette|le|la|prochain|prochaine tutoriel|exemple|guide|article|chapitre|section|leçon|vidéo|étape|partie|cours
- sentence exemple: par exemple
- place pas décidé: pas|jamais|toujours|aucun|encore|rien|ni ~4 décidé|choisi|tranché|convenu|décider|arrêté|retenu
- place aucune décision: aucune|aucun|pas|sans ~2 décision|accord|consensus|majorité|conclusion
- place ouverte: reste|restent|est|demeure ~3 ouverte|ouvert|suspens|ouvertes|décider|savoir
- place devons décider: devons|doit|devez|qui|faut|pour|avant|aider ~2 décider|choisir|trancher|décide
- segment décider: décidé|convenu|allons|va|décidons ~1 de|d'|pas? <work>|reporter|repousser|revenir|rediscuter
- segment autres: elle|ils|elles|fabricant|éditeur|netflix|google|amazon|spotify|client|entreprise|société|auteurs|auteur|fournisseur|utilisateur|utilisateurs|analyseur|parseur|git|compilateur|programme|système|ordonnanceur|enfants|serveur|composant|outil ~1 a|ont|choisit|décide|sélectionne|préfère|utilise|choisissent|avait
- segment autres: il choisit|décide|sélectionne|préfère|utilise|avait
- segment dit: dit|disait|disent|écrivait|affirme|selon|raconte|explique|annonce|annoncé|déclare
- segment automatiquement: automatiquement|aléatoirement
- segment avant: ^ avant ,
- segment avant: initialement|auparavant|jadis|autrefois|antérieurement
- segment au début: au début|départ|commencement
- segment il y a: il y a
- sentence revenus: puis|mais|et|ensuite|avant ~5 revenus|revenu|annulé|abandonné|renoncé|retirés|défait
- segment dernier: an|année|mois|trimestre dernier|dernière|passé
- segment étape: d'abord|puis|ensuite|demain|d' je|abord|lancer
- segment étape: je vais ~2 <work>
- segment étape: nous|on allons|va <adv>? <work>
- sentence incertain: pas sûr|certain|sais|convaincu
- segment consignes: ^^ installez|téléchargez|choisissez|consultez|lancez|ouvrez|cliquez|utilisez
- segment passé revue: passé|passe|passons en revue
- sentence y a: il y a

> reason: parce que|qu'
> reason: car
> reason: puisque|puisqu'
> reason: étant|vu donné|que|le|la|les
> reason: en raison|vue de|du|des|d' @
> reason: à|a cause de|du|des|d' @
> reason: grâce à|au|aux
> purpose: afin de|d'|que|qu'
> purpose: pour que|qu'|éviter|réduire|garder|simplifier|ne|limiter|garantir|permettre
> reason: pour des raisons
> reason: faute de|d'
> reason: ^^ comme @ !prévu|convenu|toujours ~~10 ,
> reason: sinon
> reason: , @ les|la|le|l'|cela ~2 suffisent|suffit|compte|comptent|évite
> reason: : @ personne|cela|c'|il|elle|ils|on|aucun|le|la|les|l'
> contrast: plutôt que|qu'
> contrast: au lieu de|du|des|d'
> contrast: à la place de|du|des|d'
> alternative: préfér* ~4 à|au|aux @
> alternative: remplacé|remplaçons|remplace|remplacer @ ~6 par
> contrast: plus ~2 @ en|dans|sur|par ~4 mais
> contrast: , pas|non @ !seulement|encore
> contrast: et non|pas pas? @
> alternative: envisagé|étudié|évalué|considéré @ !de|que|par
> consequence: ce qui @ oblige|implique|signifie|impose|entraîne|demande
> consequence: , donc @ !nous|on
> consequence: si bien|sorte que
> consequence: par|en conséquence
> consequence: de ce fait
> assumption: en supposant|admettant que
> assumption: à condition|supposer que|de
> constraint: sous réserve|contrainte
>> reason: ^^ la|le|principale|une raison|motif|avantage|principale
>> reason: ^^ cela|ça|ceci|on|ainsi ~1 évite|garde|économise|réduit|permet|nous|simplifie|évitons|élimine|libère|supprime
>> consequence: ^^ il faudra|faut|nous devrons
>> consequence: ^^ cela|ça signifie|implique|oblige|impose|entraîne
>> consequence: ^^ les clients|utilisateurs|équipes|services ~1 doivent|devront
>> consequence: ^^ en conséquence|résultat
>> previous: ^^ c' est pourquoi
>> previous: ^^ donc|alors
`
