package capture

const german = `
= joining: und aber also dann daher deshalb deswegen somit nun ja ok okay gut schließlich letztlich letztendlich endlich allerdings jedoch darum folglich
= turn: aber sondern daher deshalb deswegen jedoch allerdings darum obwohl doch dennoch somit
= hence: daher deshalb deswegen darum somit also folglich
= strip: dass : ,
= keep: für gegen auf in mit zu
= i: ich
= group: team gruppe gremium vorstand runde leitung komitee
= actor: funktion methode parser compiler server dienst programm schalter algorithmus bibliothek browser client scheduler planer plugin system nutzer benutzer kunde kunden entwickler skript test tests werkzeug
= cond: wenn falls sobald solange bis während ob
= foreign: ihr ihre deren dessen anderes andere fremde euer eure dein alte altes frühere vorige ehemalige halbe
= asking: warum wieso weshalb ob
= stative: haben sind waren wissen denken glauben sehen können müssen sollen sollten wollen mögen dürfen brauchen hoffen erwarten vermuten finden suchen warten prüfen vergleichen testen schauen diskutieren besprechen überlegen kennen verstehen benutzen empfehlen
= by: von durch
= ours: uns der dem vom allen mehrheit team
= sub: wenn falls bevor nachdem ob warum wie wer wo was während als sobald solange
= you: du sie ihr dir dich euch ihnen
= pointing: ist
= considered: erwogen geprüft betrachtet überlegt diskutiert verglichen
= compare: vergleich verglichen kandidaten gegenübergestellt abgewogen
= report: fehlgeschlagen bestanden durchgelaufen abgeschlossen fehler gemessen
= optionends: für in im bei als um weil da damit am und seit nach beim genommen gewählt ersetzt verwendet genutzt verwenden nutzen setzen betreiben eingesetzt
= optionverb: *zunehmen einzuführen hinzuzufügen aufzubauen
= undecided: offen unklar keine kein ausstehend tbd vertagt später noch
= adv: auch schon jetzt nun daher deshalb deswegen also somit letztlich letztendlich schließlich künftig zukünftig vorerst bewusst gemeinsam einstimmig hier endlich darum uns gleich erstmal weiterhin nur noch dann lieber heute doch dafür ab ebenfalls
= we: wir team gruppe gremium vorstand runde leitung komitee alle
= everyday: geschenk geschenke frau mann kinder sohn tochter mutter vater bruder schwester freund freundin hund katze urlaub strand kino film restaurant rezept geburtstag hochzeit wohnung küche tapete garten kleid abendessen frühstück mittagessen hotel zug museum spaziergang wochenende sofa italien schule gitarre
= pp: entschieden gewählt ausgewählt beschlossen verworfen festgelegt geeinigt vereinbart verständigt ausgesprochen abgelehnt verabschiedet
= pp2: genommen ersetzt umgestellt ausgelagert verschoben verlegt abgeschafft eingeführt festgelegt eingefroren gestrichen entfernt abgeschaltet migriert verzichtet gewechselt verwendet benutzt eingesetzt belassen zusammengelegt aufgeteilt getrennt beibehalten begrenzt verboten gebaut gelöst umgesetzt abgelegt gespeichert eingestellt angehalten
= pp3: genommen umgestellt ausgelagert verschoben verlegt abgeschafft eingeführt festgelegt eingefroren gestrichen entfernt abgeschaltet migriert gewechselt belassen zusammengelegt aufgeteilt getrennt beibehalten begrenzt verboten gebaut umgesetzt abgelegt gespeichert
= inf: verwenden nutzen benutzen einsetzen speichern umstellen migrieren wechseln ersetzen behalten beibehalten bleiben streichen entfernen abschaffen abschalten einführen auslagern verlegen verschieben aufteilen zusammenlegen trennen begrenzen verbieten unterstützen vorberechnen bauen schreiben legen ablegen einfrieren festlegen verzichten setzen betreiben ausliefern cachen zwischenspeichern erzeugen hosten kapseln vereinheitlichen standardisieren nehmen einstellen führen lassen halten prüfen verschlüsseln signieren anbieten deaktivieren machen erlauben zulassen
= now1: nehmen verwenden nutzen benutzen setzen bleiben wechseln steigen verzichten lagern behalten streichen entfernen stellen führen ersetzen legen frieren begrenzen verbieten betreiben speichern migrieren einigen bauen ziehen trennen teilen gehen halten schalten machen liefern schaffen lassen
= design: teilen trennen führen ersetzen streichen verschieben versionieren speichern migrieren begrenzen vereinheitlichen verschlüsseln cachen hosten betreiben lagern stellen schreiben bauen legen kapseln signieren schalten rollen ziehen entfernen behalten zerlegen zerschneiden splitten setzen stützen verlegen packen bündeln generieren erzeugen deployen verzichten nutzen verwenden nehmen bleiben wechseln
= defer: besprechen überlegen warten abwarten verschieben vertagen prüfen untersuchen evaluieren diskutieren messen testen vergleichen anschauen ansehen schauen

+ .93 [] entschieden: <we>|ich haben|habe|hat ~12 entschieden|beschlossen|ausgewählt|geeinigt|verständigt|vereinbart|festgelegt|verworfen|abgelehnt|ausgesprochen|entschlossen
+ .93 [] entschieden: haben|hat|habe <we>|ich|uns|sich|das|die ~12 entschieden|beschlossen|ausgewählt|geeinigt|verständigt|vereinbart|festgelegt|verworfen|abgelehnt|entschlossen
+ .9 [] gewählt: <we>|ich haben|habe|hat ~12 gewählt|genommen
+ .9 [] gewählt: haben|habe|hat das|die? <we>|ich ~10 gewählt|genommen|ausgewählt
+ .9 [] hat beschlossen: hat|haben beschlossen|entschieden|vereinbart|festgelegt
+ .9 [] entschieden uns: <we>|ich entschieden|entschied|einigten|einigen|einigte|verständigten|verständigen|entscheiden|entscheide|entschlossen uns|sich|mich
+ .9 [] einigen: einigen|einigten|verständigen|entscheiden wir|uns ~1
+ .92 [] es wurde: es wurde|wird|ist ~2 beschlossen|vereinbart|entschieden|festgelegt
+ .88 [p] wurde gewählt: wurde|wurden|ist|sind|worden ~8 gewählt|ausgewählt|beschlossen|festgelegt|vereinbart|verworfen|ausgeschlossen|verabschiedet
+ .88 [p] gewählt worden: <pp> worden
+ .9 [] beschlossen: ^^ <adv>? beschlossen|vereinbart|entschieden|festgelegt|geeinigt|verworfen|gewählt ~1
+ .88 [] vereinbart ist: vereinbart|beschlossen|beschlossene|entschieden|festgelegt|abgemacht ist|sind|wurde|:
+ .85 [] steht fest: es steht fest
+ .9 [] wahl fiel: wahl ~2 fiel|fällt|ist ~1 auf|zugunsten
+ .9 [] wahl fiel: fiel|fällt ~2 wahl|entscheidung ~2 auf|für|zugunsten|gegen
+ .9 [] die entscheidung: unsere|die|meine ~1 entscheidung|wahl|empfehlung|beschluss ist|:|lautet|war|fiel|fällt !noch|offen|nicht|schwer|liegt|hängt
+ .85 [] durchgesetzt: hat|haben sich ~8 durchgesetzt
+ .85 [] geworden: ist|sind ~5 geworden
+ .84 [] einig: ist|sind|waren|war|wir|sich ~3 einig ~1
+ .82 [] plan ist: der|unser plan|ansatz|beschluss ist|:|lautet|sieht @ ~2
+ .84 [] ab sofort: ab sofort|jetzt|heute|nun|morgen|version|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|nächstem|nächster
+ .82 [] künftig: künftig|zukünftig|fortan ~2
+ .82 [] künftig: <we> ~2 <now1> ~3 künftig|zukünftig|fortan
+ .8 [] in zukunft: in zukunft
+ .86 [] setzen auf: wir <adv>? setzen ~4 auf
+ .86 [] setzen auf: setzen|setzt wir ~4 auf
+ .84 [] aufgegeben: wir haben ~6 aufgegeben|abgesagt|gekippt|eingestellt
+ .86 [] bleiben bei: wir bleiben <adv>? <adv>? bei
+ .86 [] bleiben bei: bleiben wir ~3 bei
+ .85 [] verzichten: wir <adv>? verzichten ~6 auf
+ .85 [] verzichten: verzichten wir ~6 auf
+ .84 [] wechseln: wir <adv>? wechseln|migrieren|steigen|ziehen ~10 von|zu|auf|nach|um
+ .86 [] nehmen: wir <adv>? nehmen <adv>? <adv>? !an|uns|die|teil|zur
+ .84 [] nehmen: wir <adv>? nehmen daher|deshalb|deswegen|also|jetzt|lieber|dafür|nun|die|den|das
+ .84 [] nehmen wir: ^ nehmen|verwenden|nutzen|bleiben|machen|lassen|setzen wir also|doch|lieber|daher|einfach ~1
+ .84 [] lagern aus: wir <adv>? lagern|stellen|schalten|führen|frieren|schaffen|legen|bauen|stellen|rollen ~14 aus|um|ab|ein|fest|zusammen|auf $
+ .82 [] streichen: wir <adv>? streichen|ersetzen|behalten|entfernen|verbieten|begrenzen|speichern|migrieren|vereinheitlichen|trennen|unterstützen
+ .82 [] streichen: ersetzen|behalten|entfernen|streichen|verbieten|begrenzen wir
+ .8 [r|a] nutzen: wir <adv>? verwenden|nutzen|benutzen|setzen|betreiben|machen|halten|schreiben|bauen|legen|lassen|liefern|speichern|rechnen|prüfen|erzeugen
+ .82 [r|a] nutzen wir: verwenden|nutzen|benutzen|betreiben|machen|halten|schreiben|bauen|legen|lassen|liefern|speichern|rechnen|prüfen|erzeugen wir
+ .76 [t] teilen: wir <adv>? <design> ~12 auf|ab|ein|um|aus|fest|zusammen|vor|zurück|weg|raus|nach|in|über|mit|als|durch
+ .76 [t] teilen: ^ ~5 <design> wir ~1
+ .62 [st|qt] offen: wir <adv>? !<stative> *en
+ .62 [st|qt|rt] offen: !<stative> *en wir
+ .62 [rt] offen: wir <adv>? !<stative> *en
+ .62 [st] jede: ^ jede|jeder|jedes|alle ~4
+ .76 [t] gibt es kein: gibt|wird ~2 es? ~2 kein|keine|keinen
+ .76 [t] gibt es kein: es gibt kein|keine|keinen
+ .6 [rt] offen: wir haben ~10 ge*|*iert|um*|ein*|aus*
+ .8 [t|r|a] ich nehme: ich nehme|wähle|setze|entscheide|bleibe|verwende !an
+ .64 [rt] wird gemacht: ^ ~4 werden|wird ~6 erfasst|gespeichert|geschrieben|verschlüsselt|geprüft|verarbeitet|abgelegt|gerendert|berechnet|komprimiert
+ .58 [t] offen: ^ !dann|danach|zuerst|hier|so|nun|anschließend|wenn|falls|als|jetzt|zunächst ~4 !<stative> *en wir
+ .76 [t] ab montag: ^ ab|seit|von montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|nächster|nächstem|kommender|morgen
+ .86 [] fallen gelassen: fallen|sein gelassen|lassen
+ .8 [t] zugunsten: wird|werden|wurde|wurden|haben ~4 zugunsten
+ .8 [t] unser: wird|ist|bleibt unser|unsere
+ .82 [] gewonnen: hat|haben ~4 gewonnen|überzeugt
+ .82 [] lassen wie es ist: lassen|belassen|behalten wir ,? ~3 so|wie|unverändert|bei
+ .66 [t] wird nicht: ^ ~4 wird|werden nicht <pp2>|*iert
+ .66 [rt|qt|st] ich: ^ ich !denke|glaube|habe|sehe|lese|prüfe|schaue|suche|finde|möchte|weiß|kann|muss|brauche|hoffe|vermute|schlage|frage|warte|teste|bin|würde|werde|will|soll|schicke *e ~12 um|ein|aus|auf|ab|statt|zu|weg|raus|vor|,
+ .6 [rt|st] ich habe: ich habe|hab ~10 ge*|*iert|um*|ein*|aus*|ver*|er* $
+ .6 [rt|st] ich habe: ich habe|hab ~10 ge*|*iert|um*|ein*|aus*|ver* ,
+ .56 [stn] statt: ^^ ~1
+ .84 [] bewusst: wir ~4 bewusst|absichtlich
+ .84 [] bewusst: bewusst|absichtlich ~2 wir
+ .9 [] abgestimmt: abgestimmt|gestimmt haben|hat|wurde ~6 für|gegen
+ .9 [] abgestimmt: haben|hat ~8 für|gegen ~3 gestimmt|abgestimmt|votiert
+ .86 [] angenommen: vorschlag|entwurf|antrag|idee|plan wurde|ist ~2 angenommen|akzeptiert|genehmigt|beschlossen|abgesegnet
+ .84 [] war klar: war|wurde|ist ~1 klar|deutlich :|dass|,
+ .84 [] rausgeflogen: ist|sind|fliegt|fliegen ~2 rausgeflogen|raus|weggefallen|entfallen
+ .84 [] vorzug: den vorzug
+ .84 [] übernehmen: wir <adv>? übernehmen|übernahmen
+ .76 [t] erlaubt: ist|sind ~1 nicht mehr erlaubt|zulässig|gestattet
+ .72 [t] erlaubt: ist|sind verboten|untersagt|tabu
+ .76 [t] zieht um: ^ ~3 zieht|ziehen|wandert|wandern|wechselt|wechseln ~4 um|nach|ins|in|zu|auf
+ .76 [t] heißt künftig: ^ ~3 heißt|heißen|liegt|liegen|läuft|laufen|kommt|kommen ~2 künftig|ab|jetzt|nun|nicht
+ .62 [st] objekte: ^ die|alle|unsere|sämtliche !funktionen|methoden|parser|nutzer|kunden|entwickler|programme *en|*er|*e|*s *en
+ .78 [] nur noch: wird|werden ~1 nur noch
+ .78 [] erfinden nicht: *en wir nicht|keine|keinen|kein
+ .8 [t] zum einsatz: kommt|kommen ~5 zum einsatz
+ .8 [t] zum einsatz: zum einsatz kommt|kommen
+ .86 [] lasst uns: lasst|lass uns ~8 <inf>
+ .86 [] rennen: hat|haben|macht|machte ~3 das rennen
+ .84 [t] sind umgestiegen: wir sind ~10 umgestiegen|gewechselt|umgezogen|migriert|weggegangen
+ .84 [t] sind umgestiegen: sind wir ~10 umgestiegen|gewechselt|umgezogen|migriert|weggegangen
+ .76 [t] wird geschrieben: ^ ~4 wird|werden ~6 geschrieben|umgesetzt|gebaut|entwickelt|gehostet|implementiert|betrieben|realisiert|abgelöst|ausgeliefert|aufgeteilt|umgestellt !wenn|automatisch
+ .84 [t] entfernt: habe|haben|hab ~8 <pp2> und
+ .86 [] nicht mehr: <now1>|unterstützen wir ~4 nicht mehr
+ .86 [] nicht mehr: wir <now1>|unterstützen ~6 nicht mehr
+ .84 [] werden: wir werden ~14 <inf>
+ .84 [] werden: ^ ~6 werden wir ~12 <inf>
+ .7 [r|a] werden: wir werden ~14 *en $
+ .78 [] wollen: wir wollen|planen|beabsichtigen ~14 <inf>
+ .86 [a] habe genommen: ich|wir habe|haben ~14 <pp2>
+ .86 [a] habe genommen: habe|haben ich|wir ~14 <pp2>
+ .76 [r] habe genommen: ich|wir habe|haben ~14 <pp2>
+ .76 [r] habe genommen: habe|haben ich|wir ~14 <pp2>
+ .85 [] haben umgestellt: wir haben ~12 umgestellt|abgeschafft|eingeführt|gestrichen|ersetzt|migriert|eingefroren|ausgelagert|abgeschaltet
+ .8 [] wird: ^ ~6 wird|werden ~6 abgeschaltet|eingestellt|abgeschafft|eingeführt|ausgelagert|umgestellt|gestrichen|eingefroren
+ .68 [rt|st] wird: ^ ~6 wird|werden|ist|sind ~8 <pp3>
+ .8 [a] nicht mehr: ^ ~6 nicht mehr ~6
+ .82 [a] künftig: künftig|ab|jetzt|nun ~8
+ .8 [a] prüft: ^ ~3 bleibt|bleiben|liegt|liegen|läuft|laufen|wandert|wandern|kommt|kommen|geht|gehen|zieht|ziehen
+ .78 [r] bleibt: ^ ~3 bleibt|bleiben|wandert|wandern|zieht|ziehen
+ .74 [] bleibt: ^ ~3 bleibt|bleiben ~1 vorerst|erstmal|dabei|weiterhin|bewusst|wie
+ .82 [a] statt: ^^ statt|anstatt|anstelle ~8 nutzen|verwenden|nehmen|setzen|bauen|machen|wird|werden|haben|habe|betreiben
+ .86 [] deshalb: das ist der grund|ist|weshalb|warum
+ .86 [] deshalb: ^^ deshalb|daher|deswegen|darum haben|habe|werden|nehmen|nutzen|setzen|wechseln wir|ich
+ .7 [c] nimm: ^^ nimm|verwende|nutze|nehmen|verwenden|nutzen|setze

- sentence frage: ^^ welche|welcher|welches|warum|wieso|wer|wie|was|wo|soll|sollen|sollten|könnte|können|kann|ob|hat|habt|wollen
- sentence wenn: ^^ wenn|falls|angenommen|sofern|hätten|wäre|würden|sollte
- sentence wenn du: wenn|falls du|sie|ihr|ihnen|dir|euch|gewünscht|nötig|möchtest
- segment könnte: könnte|könnten|könntest|müsste|müssten|sollten|bräuchte|bräuchten|würde|würden|wäre|wären|hätte|hätten|dürfte|möchte
- segment man: man kann|könnte|sollte|muss|darf
- segment kann: du|sie|ihr|nutzer|benutzer kann|kannst|können|könnt|müssen|sollten|müsst
- segment kann: kann|kannst|können du|sie|ihr|man
- sentence angebot: ich kann|könnte|würde ~12 wenn|gern|gerne|falls
- segment kann: ich kann|könnte
- segment vielleicht: vielleicht|eventuell|womöglich|möglicherweise|wahrscheinlich|vermutlich|eventuell
- segment sollten: sollten|sollte wir|man ~2
- segment empfehlung: empfehle|empfehlen|empfiehlt|empfohlen|schlage|schlagen|vorgeschlagen
- segment möglichkeit: eine|andere|weitere möglichkeit|option|variante|alternative|idee
- sentence kapitel: in|im diesem|dieser|nächsten|folgenden|nächster tutorial|beispiel|anleitung|artikel|kapitel|abschnitt|lektion|video|schritt|beitrag
- sentence beispiel: zum beispiel
- place nicht entschieden: noch|nicht|nie|weder|bisher ~4 nicht? entschieden|beschlossen|gewählt|geeinigt|festgelegt|ausgewählt|einig|klar|offen
- place keine entscheidung: keine|keinen|ohne|kein ~3 entscheidung|beschluss|einigung|konsens|mehrheit
- place offen: ist|sind|bleibt|noch ~3 offen|unklar|ungeklärt|strittig
- place müssen entscheiden: müssen|muss|sollen|wollen|können|kann|wer|bis ~6 entscheiden|wählen|entscheidet|einigen
- place ob: ^^ ob
- segment vertagt: <we> ~8 <defer> $
- segment vertagt: entschieden|beschlossen|vereinbart|einigen|geeinigt ~~8 <defer>
- segment andere: er|sie|man|zalando|google|netflix|amazon|spotify|kunde|kollegen|kollege|autoren|firma|hersteller|jemand|viele|manche|parser|compiler|git|programm|scheduler|planer|kinder|nutzer|benutzer|system|händler ~1 hat|haben|wählt|entscheidet|entschied|nimmt|verwendet|nutzt|nahm|wählte|entschieden|sich
- segment andere: unternehmen|hersteller|kunde|händler ~3 hat|haben ~6 entschieden|gewählt|gewechselt
- segment gewechselt: ein|eine|einem|einer ~3 händler|firma|anbieter|konzern
- segment sagte: sagte|sagt|schrieb|schreibt|meint|meinte|erzählt|behauptet|berichtet|laut
- segment automatisch: automatisch|zufällig|standardmäßig
- segment früher: früher|damals|ursprünglich|anfangs|zunächst|einst|vorher|erst|zuerst
- sentence zurück: aber|dann|später|wieder ~4 zurückgenommen|zurückgebaut|zurückgerollt|rückgängig|zurückgekehrt|verworfen|zurückgestellt|aufgegeben|zurückgedreht
- segment jahr: letztes|vergangenes|voriges jahr
- segment schritt: ich lese|prüfe|schaue|starte|führe|sehe|suche|teste|lasse|beginne|baue|mache
- segment schritt: anschließend|danach|zuerst|zunächst|dann ich|lasse|prüfe|lese|starte
- segment schritt: werde ich|ich|wir ~6 ansehen|anschauen|prüfen|nachsehen|testen|untersuchen|lesen
- segment anleitung: verwenden|nutzen|wählen|installieren|klicken|öffnen|starten sie
- sentence weiß: weiß|unsicher|sicher ~2 nicht
- segment gewertet: gewertet
- sentence wer: wer entscheidet

> reason: weil
> reason: , da @
> reason: ^^ da !s|wird|ist|haben|wir
> reason: , @ die|der|das ~3 reichen|reicht|genügt|genügen|ist|sind ~1 wichtiger|einfacher|schneller
> reason: , denn @
> reason: wegen|aufgrund|dank|angesichts
> purpose: damit !bleibt|haben|ist|wird|sind
> purpose: um ~~10 zu
> reason: sonst|andernfalls
> reason: : @ keine|kein|es|das|die|der|sie|niemand|er|dort|alle

> contrast: statt|anstatt|anstelle von|auf|mit|in|bei|für|durch|zu @
> contrast: statt|anstatt|anstelle|gegenüber !von|auf|mit|bei|für|durch
> alternative: gegen @ !die|den|das|sich|ende|mittag ~4 durchgesetzt|entschieden
> contrast: nicht mehr @ in|auf|über|durch|mit|jeder|jede|von|bei|im
> contrast: und nicht mehr? @
> contrast: , nicht @ !nur|mehr
> contrast: nicht mehr? @ ~6 , sondern

> consequence: , sodass|weshalb|wodurch @
> consequence: so|das dass|heißt|bedeutet
> consequence: , kunden|nutzer|benutzer|clients|alle|teams|aufrufer @ müssen
> consequence: , daher|deshalb|deswegen|also @ ~1 müssen|muss|können
> consequence: infolgedessen|folglich
> assumption: vorausgesetzt|angenommen|sofern
> constraint: unter der bedingung|voraussetzung
>> reason: ^^ damit|so|dadurch|das|dies ~1 bleibt|bleiben|spart|sparen|vermeidet|vermeiden|hält|entfällt|entlastet|vereinfacht|haben|ist|reduziert|verhindert|erlaubt|erspart|senkt|löst
>> reason: ^^ der|hauptgrund|ein|grund|begründung ~1 grund|vorteil|ist|dafür
>> consequence: ^^ das|dies heißt|bedeutet
>> consequence: ^^ kunden|nutzer|clients|alle|teams|wir|dafür|dazu ~1 müssen
>> consequence: ^^ dadurch|infolgedessen|nachteil
>> previous: ^^ deshalb|daher|deswegen|darum
>> previous: ^^ aus diesem grund
`
