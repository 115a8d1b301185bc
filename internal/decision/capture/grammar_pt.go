package capture

const portuguese = `
= joining: e mas então assim bom ok certo sim também depois finalmente no fim por isso portanto logo agora além
= turn: mas então portanto embora porém
= hence: então assim isso portanto logo
= strip: que : ,
= keep: por com em a ao contra pelo pela no na
= i: eu
= group: equipe equipa time grupo comitê conselho diretoria
= actor: função método parser compilador servidor serviço programa opção algoritmo biblioteca navegador cliente agendador sistema usuário usuários clientes desenvolvedores script teste testes ferramenta
= cond: se quando enquanto até
= foreign: sua seu deles delas outra outro outros tua antiga velha metade
= formers: anterior antiga velha passada prévia anteriores
= asking: quê se como
= stative: temos somos estamos sabemos pensamos achamos cremos vemos podemos queremos devemos precisamos esperamos encontramos buscamos olhamos conversamos discutimos comparamos testamos revisamos supomos entendemos perdemos tivemos fomos estivemos vimos fizemos recebemos notamos recomendamos
= by: nunca-uma-palavra
= sub: quando se quem onde enquanto
= you: você vocês pode podem tu te seu sua
= considered: consideramos avaliamos cogitamos estudamos
= compare: comparei comparamos comparação candidatos candidatas
= report: falhou passaram passou terminou concluído erro
= optionends: para em como ao quando porque e com por pois já devido nas nos na no
= optionverb: *ar *er *ir
= undecided: pendente nenhuma nenhum tbd aberto adiado adiada
= adv: já finalmente também agora então por no fim todos todas juntos simplesmente definitivamente isso portanto não sempre aqui além mesmo
= we: nós equipe equipa time grupo comitê conselho todos
= dec: decidimos optamos escolhemos acordamos selecionamos descartamos preferimos resolvemos concordamos rejeitamos apostamos combinamos definimos concluímos pactuamos
= pp: decidido optado escolhido acordado selecionado descartado preferido resolvido rejeitado aprovado combinado adotado definido
= everyday: presente presentes irmão irmã mulher marido esposa filhos filho filha crianças amigos amiga praia cinema filme restaurante receita aniversário casamento cozinha jardim vestido jantar almoço hotel trem museu passeio férias cachorro gato viagem violão sofá pais mãe pai quarto
= inf: usar utilizar migrar mover passar trocar mudar adotar manter guardar conservar eliminar remover aposentar substituir dividir separar unir fundir fixar limitar proibir congelar hospedar implantar reescrever refazer deixar abandonar introduzir implementar suportar armazenar gerar servir seguir continuar delegar unificar centralizar exigir versionar cifrar assinar publicar expor fazer escrever ter pôr colocar dar levar apostar ficar tirar
= now1: passamos trocamos migramos usamos utilizamos mantemos seguimos deixamos removemos eliminamos substituímos adotamos movemos dividimos separamos fixamos limitamos proibimos congelamos implantamos hospedamos guardamos abandonamos reescrevemos introduzimos apostamos colocamos descartamos delegamos unificamos fazemos servimos geramos continuamos ficamos mudamos tiramos aposentamos
= design: dividimos separamos versionamos ciframos criptografamos guardamos armazenamos movemos migramos escrevemos construímos hospedamos implantamos unificamos limitamos assinamos empacotamos geramos quebramos extraímos delegamos expomos usaremos guardaremos seguiremos
= strong1: passamos trocamos migramos seguimos deixamos removemos substituímos adotamos fixamos congelamos proibimos apostamos abandonamos descartamos continuamos mudamos aposentamos
= pastI: usei escolhi optei preferi troquei substituí movi passei tirei deixei decidi pus coloquei fiz implementei extraí mudei
= work: ler olhar ver revisar verificar testar executar rodar começar analisar investigar buscar explicar pensar conversar discutir avaliar comparar decidir estudar medir preparar esperar tentar considerar abordar tratar ir reunir demorar

+ .93 [] decidimos: <dec> !ir|entre|se
+ .92 [] decidimos: <dec> <adv>? @ que|não|por|com|em|<inf>
+ .93 [] decidimos: foi|foram|temos|ficou|ficaram|fica <adv>? decidido|acordado|combinado|definido|resolvido|aprovado|estabelecido !pelo|pela|por|no|na|em
+ .9 [] decidido: está <adv>? decidido|acordado|combinado
+ .9 [] foi escolhido: foi|foram|sido <adv>? escolhido|escolhida|escolhidos|escolhidas|selecionado|selecionada|descartado|descartada|adotado|adotada|rejeitado|rejeitada !pelo|pela
+ .92 [] a equipe decidiu: <we> ~2 decidiu|optou|escolheu|acordou|aprovou|descartou|resolveu|preferiu|adotou|rejeitou|concordou|combinou|decidiram
+ .88 [] decidiu-se: decidiu-se|optou-se|escolheu-se|definiu-se|acordou-se|resolveu-se
+ .9 [] ficamos com: ficamos|fiquei|vamos|vou|seguimos|seguiremos|ficaremos|iremos com|de|por
+ .9 [] a decisão: a|nossa|minha ~1 decisão|escolha|aposta|conclusão ~2 é|foi|:|ficou
+ .88 [] a escolha: escolha|decisão|opção final|escolhida|tomada|definitiva
+ .88 [] de acordo: de acordo em|que
+ .84 [] venceu: venceu|vence|ganhou|ganha|prevaleceu
+ .82 [] o plano: o|nosso plano|acordo|combinado é|:|será @
+ .85 [] a partir de: partir da|do ~1 versão|release|sprint
+ .85 [] a partir de: a partir de agora|hoje|já|amanhã|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro
+ .85 [] daqui: daqui|de agora? para|por|em frente|diante
+ .85 [] não mais: não ~3 mais ~1 <now1>|usaremos|suportamos
+ .84 [] vamos: vamos <adv>? <inf>
+ .85 [] não vamos: não vamos !ver|saber|poder
+ .7 [r|a] vamos: vamos <adv>? *ar|*er|*ir !<work>
+ .84 [] usaremos: usaremos|utilizaremos|manteremos|adotaremos|migraremos|passaremos|moveremos|guardaremos|deixaremos|seguiremos|teremos|eliminaremos|substituiremos|removeremos|trocaremos|implantaremos|implementaremos|faremos|suportaremos|daremos|colocaremos|limitaremos|exigiremos|continuaremos|ficaremos|escreveremos !que
+ .7 [r|a] futuro: *aremos|*eremos|*iremos
+ .85 [] não usaremos: não *aremos|*eremos|*iremos
+ .82 [] trocamos: ^ ~2 <strong1> ~8 para|de|pelo|pela|por|com|na|no|em|o|a
+ .82 [r|a] usamos: ^ <adv>? ~4 <now1>|<design>
+ .62 [st|qt|rt] aberto: !<stative> *amos|*emos|*imos
+ .62 [st] cada: ^ cada|todos|todas ~4
+ .76 [t] não haverá: não haverá|terá|teremos|entra|incluirá|inclui
+ .8 [t|r|a] escolho: ^ fico|escolho|uso|mantenho|deixo|prefiro !de
+ .64 [rt] são feitos: ^ ~3 são|é !rejeitad*|negad*|cancelad*|bloquead*|ignorad*|perdid*|reiniciad*|fechad* *ados|*adas|*idos|*idas|*ado|*ada 
+ .58 [t] aberto: ^ !<stative>|usamos|utilizamos|executamos|rodamos *amos|*emos|*imos
+ .76 [t] a partir de segunda: partir de|da|do segunda*|terça*|quarta*|quinta*|sexta*|próxima|próximo|amanhã|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro
+ .76 [t] ideia: ideia|plano|proposta|opção ~6 abandonada|descartada|abandonado|descartado|rejeitada
+ .86 [] aprovado: foi|foram|ficou|ficaram <adv>? aprovad*|acordad*|decidid*|descartad*|adotad*|rejeitad*|escolhid*|definid*
+ .8 [t] será nosso: será|serão|é nosso|nossa|nossos
+ .78 [t] a favor: em favor|prol|detrimento de|do|da
+ .9 [] decidimo-nos: decidimo-nos|decidimo|optámos|inclinámo-nos|ficámos|escolhêmos
+ .8 [] como está: deixamos|mantemos|fica|ficam ~4 como|igual|tal
+ .66 [st] futuro: ^ ~4 *rão|*rá
+ .66 [st] vão: ^ ~4 vão|vai *r
+ .7 [t] passo: ^ passo|movo|troco|migro|separo|substituo|elimino|divido|tiro ~8 para|em|por|de|do|da
+ .68 [t] não será: não será|serão *ado|*ada|*ados|*adas|*ido|*ida|*idos|*idas
+ .82 [t] mudamos: mudamos|passamos|migramos para
+ .62 [] tiramos: ^ tiramos|removemos|eliminamos|substituímos|abandonamos|descartamos|unificamos
+ .6 [rt|st] eu: ^ eu? !encontrei|notei|vi|testei|li|olhei|achei|pensei|tentei|revisei|executei|recebi|perdi *ei|*i
+ .56 [stn] em vez: ^^ ~1
+ .84 [] de propósito: ^ de propósito
+ .84 [] de propósito: deliberadamente|intencionalmente|conscientemente
+ .9 [] votamos: votamos|votaram|votado ~6 por|pelo|pela|favor|contra
+ .86 [] proposta aceita: proposta|plano|ideia ~3 aceita|aceito|aprovada|aprovado|adotada
+ .88 [] acordo: chegamos|chegou-se ~1 acordo|consenso|conclusão
+ .84 [] preferência: damos|demos|daremos preferência|prioridade
+ .82 [] adotamos: adotamos|mantemos|conservamos|descartamos|aposentamos
+ .84 [] ficou claro: ficou|está|estava claro ~1 :|que
+ .74 [t] não permitido: não ~1 mais permitido|permitida|permitidos|permitidas|aceito|aceita|aceitos|aceitas|suportado
+ .66 [t] tirei: ^ eu? <adv>? tirei|substituí|troquei|removi|eliminei
+ .76 [t] passa a: ^ ~4 passa|passam a
+ .66 [t] é guardado: ^ ~3 é|são guardado|guardada|guardados|guardadas|armazenado|armazenada|armazenados|armazenadas como|em|no|na
+ .78 [] só: só sai|saem|se ~1
+ .62 [st] objetos: ^ os|as ~2 *am|*em
+ .74 [t] dividimos: ^ ~3 <design>
+ .74 [t] será feito: será|serão|vai|vão ser? <adv>? feito|feita|feitos|feitas|escrito|escrita|escritos|escritas|armazenado|armazenada|armazenados|armazenadas|hospedado|hospedada|hospedados|guardado|guardada|guardados|guardadas|implementado|implementada|gravado|gravados|construído|construída
+ .76 [t] ficam: ^ ~4 ficarão|ficará|ficam|fica|irão|irá em|no|na|com|de|nos|nas|do|dentro
+ .76 [t] como: como ~2 usaremos|usamos|utilizaremos|teremos|vai|será|escolhemos
+ .84 [t] desistimos: desistimos|abrimos|renunciamos|abdicamos mão? de|do|da|a|ao
+ .8 [r|a] usamos: <now1>|operamos|montamos|rodamos
+ .8 [] passam: ^ ~4 passa|passam|fica|ficam|segue|seguem|deixa|deixam|continua|continuam a|para|em|no|na|com|de|como ~1
+ .84 [a] não mais: ^ ~4 não ~3 mais
+ .82 [a] prefiro: prefiro|preferi|preferimos
+ .84 [a] I: ^ eu? <adv>? <pastI>
+ .76 [r] I: ^ eu? <adv>? <pastI>
+ .85 [] decidi: ^ eu? <adv>? decidi|optei|escolhi|preferi
+ .86 [] por isso: ^^ por isso <adv>? *amos|*emos|*imos|vamos
+ .88 [] então vamos: então vamos|ficamos|usamos|seguimos com|de
+ .8 [a] será: será|serão|irá|irão|estará|estarão|vai|vão
+ .74 [r] será: será|serão|irá|irão ~1 *ado|*ido|*ada|*ida|*ados|*idos|*adas|*idas
+ .7 [c] use: ^^ usar|use|adotar|manter
+ .84 [] usemos: ^ usemos|fiquemos|mantenhamos|adotemos|sigamos|deixemos

- sentence pergunta: ^^ qual|quem|como|por-que|quando|devemos|deveríamos|podemos|poderíamos|onde|será
- sentence se: ^^ se|suponha|supondo|imagine|caso
- sentence se quiser: se quiser|você|quiserem|preferir|vocês|precisar
- segment poderia: poderia|poderíamos|poderiam|deveria|deveríamos|seria|seriam|haveria|teria|gostaria|faria
- segment pode: pode|podes|podem|posso|podemos
- segment você: você|deve|tem|vocês que?|pode|escolher|usar
- segment talvez: talvez|possivelmente|provavelmente|quem-sabe
- segment opção: uma|outra|a opção|possibilidade|alternativa|ideia|saída é|seria
- segment recomenda: recomenda|recomendo|recomendamos|recomenda-se|sugiro|sugere|proponho|propõe|aconselha|convém
- sentence tutorial: neste|nesta tutorial|exemplo|guia|artigo|capítulo|seção|lição|vídeo|passo|curso
- sentence exemplo: por exemplo
- place não decidido: não|ainda|nunca|sem ~3 decidido|decidimos|decidi|escolhido|escolhemos|acordado|decidir|decide|chegamos|claro|definido|definimos|resolvido
- place sem decisão: não|sem|nenhuma|nenhum ~3 decisão|acordo|consenso|maioria|conclusão
- place aberto: continua|segue|fica|ficou|está|permanece ~2 aberto|aberta|pendente|decidir
- place precisamos decidir: precisamos|devemos|deve|quem|falta|para|antes|ajuda|temos ~3 decidir|escolher|decide
- segment decidir: decidimos|acordamos|vamos|combinamos|decidido|concordamos ~1 em|de|que? <work>|adiar|voltar|conversar
- segment outros: ele|ela|eles|elas|netflix|google|amazon|spotify|cliente|empresa|companhia|autores|autor|fornecedor|usuário|usuários|analisador|parser|git|compilador|programa|sistema|agendador|crianças|servidor|serviço ~2 escolheu|escolhe|decide|decidiu|decidiram|escolheram|optou|seleciona|prefere|usa|usou
- segment disse: disse|diz|dizem|escreveu|afirma|contou|explica|explicou|anunciou
- segment automaticamente: automaticamente|aleatoriamente
- segment antes: antes !de|do|da|que
- segment antes: originalmente|inicialmente|antigamente|anteriormente
- segment no início: no início|começo
- segment há anos: há ~2 anos|tempo|meses
- sentence revertemos: mas|e|depois ~3 revertemos|voltamos|desfizemos|abandonamos|revertido|desistimos|descartamos|tiramos
- segment passado: ano|mês|trimestre passado|anterior
- segment passo: primeiro|depois|amanhã|agora vou|vamos|rodar|dou|vejo
- segment passo: vou <adv>? <work>
- segment passo: vamos <adv>? <work>
- segment posso: posso|poderia
- sentence não sei: não sei|tenho|está|estou claro|certeza
- segment instruções: ^^ instale|execute|escolha|abra|clique|baixe

> reason: porque|pois
> reason: já|visto|dado|uma que|vez
> reason: dado|dada !que
> reason: devido a|ao|à|às|aos
> reason: por causa de|da|do
> reason: graças a|ao|à
> purpose: para que
> purpose: , @ assim as|os|a|o|não
> purpose: para evitar|reduzir|manter|economizar|simplificar|garantir|não|poder|facilitar
> reason: a fim de
> reason: por ser|ter|sua|seu|falta|motivos|conta|causa !isso|enquanto
> reason: ^^ como @ ~~10 ,
> reason: senão
> reason: do contrário
> reason: : @ ninguém|não|é|há|a|o|os|as|sua|nenhum
> contrast: em vez|lugar de|do|da|dos|das
> contrast: no lugar de|do|da|dos|das
> contrast: ao invés de|do|da
> alternative: prefer* ~4 a|ao|à @
> alternative: trocamos|substituímos|substituí|troquei @ ~6 por|pelo|pela
> contrast: não ~4 mais @ no|na|em|com|por ~6 ,? e sim
> contrast: , não @ !só|apenas|obstante
> contrast: e não @ em|com|por|um|uma|o|a|no|na
> alternative: consideramos|avaliamos|cogitamos|estudamos @ !que|usar
> consequence: , então|portanto @ !vamos|nós|ficamos
> consequence: por isso ~2 precis*|ter*
> consequence: o que significa|implica|obriga
> consequence: como resultado|consequência
> consequence: de modo|forma que
> assumption: supondo|assumindo|desde que
> constraint: com a condição
>> reason: ^^ a|o|principal razão|motivo|vantagem
>> reason: ^^ isso|assim|isto|com ~1 evita|mantém|economiza|reduz|permite|nos|simplifica|evitamos|elimina|libera
>> consequence: ^^ teremos|haverá|temos|precisaremos
>> consequence: ^^ isso|isto significa|implica|obriga
>> consequence: ^^ os|as clientes|usuários|equipes|serviços ~1 devem|precisam|terão
>> consequence: ^^ como consequência|resultado
>> previous: ^^ por isso
>> previous: ^^ portanto
`
