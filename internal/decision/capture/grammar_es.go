package capture

const spanish = `
= joining: y e pero así entonces bueno vale ok sí también luego finalmente al final por eso tanto ello consiguiente además ahora
= turn: pero entonces aunque sin así
= hence: entonces así eso tanto ello consiguiente
= strip: que de : ,
= keep: por con en a al contra
= i: yo
= group: equipo grupo comité consejo junta dirección
= actor: función método parser compilador servidor servicio programa opción algoritmo biblioteca navegador cliente planificador sistema usuario usuarios clientes desarrolladores script prueba pruebas herramienta
= cond: si cuando mientras hasta
= foreign: su sus otro otra otros tu vuestro antiguo viejo mitad
= formers: anterior antiguo viejo pasado previo anteriores
= asking: qué si cómo
= stative: tenemos somos estamos sabemos pensamos creemos vemos podemos queremos debemos necesitamos esperamos encontramos buscamos miramos hablamos discutimos comparamos probamos revisamos suponemos entendemos perdimos tuvimos fuimos estuvimos vimos hicimos recibimos notamos temos había recomendamos
= by: nunca-una-palabra
= sub: cuando si cómo quién dónde mientras cuándo
= you: usted ustedes tú te tu su vosotros puede puedes podéis
= considered: consideramos evaluamos valoramos barajamos estudiamos
= compare: comparado comparación comparé comparamos candidatos candidatas contendientes
= report: falló pasaron pasó terminó completado error
= optionends: para en como al cuando porque y con por ya debido a dado
= optionverb: *ar *er *ir
= undecided: pendiente ninguna ninguno tbd abierto aplazado aplazada ninguna
= adv: ya finalmente también ahora entonces por al final todos todas juntos simplemente definitivamente directamente eso tanto ello no siempre mejor solo aquí además
= we: nosotros equipo grupo comité consejo junta todos
= dec: decidimos optamos elegimos escogimos acordamos seleccionamos descartamos preferimos resolvimos convinimos rechazamos apostamos consensuamos pactamos concluimos
= pp: decidido optado elegido escogido acordado seleccionado descartado preferido resuelto rechazado apostado aprobado consensuado pactado adoptado
= everyday: regalo regalos hermano hermana mujer marido esposa esposo hijos hijo hija niños amigos amiga playa cine película restaurante receta cumpleaños boda cocina jardín vestido cena desayuno comida hotel tren museo paseo vacaciones perro gato viaje guitarra sofá padres madre padre
= inf: usar utilizar migrar mover pasar cambiar adoptar mantener guardar conservar eliminar quitar retirar reemplazar sustituir dividir separar unir fusionar fijar limitar prohibir congelar alojar desplegar reescribir rehacer dejar abandonar introducir implementar soportar cachear almacenar generar servir seguir continuar delegar unificar centralizar exigir versionar cifrar firmar publicar exponer hacer escribir tener poner dar llevar apostar quedar quedarnos añadir dar
= now1: pasamos cambiamos migramos usamos utilizamos mantenemos seguimos dejamos retiramos eliminamos quitamos sustituimos reemplazamos adoptamos movemos dividimos separamos fijamos limitamos prohibimos congelamos desplegamos alojamos guardamos abandonamos reescribimos introducimos apostamos ponemos descartamos delegamos unificamos hacemos servimos generamos trasladamos extraemos
= design: dividimos separamos versionamos ciframos cacheamos guardamos almacenamos movemos migramos escribimos construimos alojamos desplegamos unificamos limitamos firmamos empaquetamos generamos partimos extraemos delegamos exponemos usaremos guardaremos seguiremos
= strong1: pasamos cambiamos migramos seguimos dejamos retiramos eliminamos sustituimos reemplazamos adoptamos fijamos congelamos prohibimos apostamos abandonamos descartamos trasladamos continuamos
= pastI: usé elegí opté preferí cambié sustituí reemplacé moví pasé saqué dejé escogí decidí puse hice implementé extraje quité
= work: leer mirar ver revisar comprobar probar ejecutar empezar analizar investigar buscar explicar pensar hablar discutir evaluar comparar decidir estudiar medir preparar esperar intentar considerar abordar tratar ir reunirnos

+ .93 [] decidimos: <dec> !ir|entre|si
+ .92 [] decidimos: <dec> <adv>? @ que|no|por|usar|guardar|mantener|con|<inf>
+ .93 [] hemos decidido: hemos|he|ha|habíamos <adv>? <pp> ~1
+ .92 [] el equipo decidió: <we> ~2 decidió|optó|eligió|acordó|escogió|aprobó|descartó|resolvió|prefirió|adoptó|rechazó|decidieron|acordaron
+ .9 [] se acordó: se <adv>? ha? acordó|decidió|eligió|optó|escogió|aprobó|descartó|resolvió|convino|seleccionó|adoptó|acordado|decidido|elegido|optado|descartado
+ .92 [] se decidió: se <adv>? decidió|acordó|resolvió|optó @ que|por|no|<inf>
+ .9 [] queda decidido: queda|quedó|está|quedan|queda ~2 decidido|acordado|descartado|descartada|decidida|resuelto|aprobado|aprobada|descartados|fijado
+ .86 [] fue elegido: fue|fueron|sido|resultó|ha ~1 elegido|elegida|escogido|escogida|seleccionado|seleccionada|descartado|descartada|adoptado|adoptada|elegidos
+ .9 [] nos quedamos: nos quedamos|decantamos|decidimos|inclinamos|quedaremos|ponemos|pusimos|vamos|iremos|quedamos ~1 con|por|en|de|a
+ .88 [] nos quedamos: me quedo|quedé|decanté|decanto|incliné ~1 con|por
+ .9 [] la decisión: la|nuestra|mi ~1 decisión|elección|apuesta|conclusión ~2 es|fue|:|ha|final
+ .85 [] la elección: elección|decisión|opción final|elegida|tomada|definitiva
+ .9 [] de acuerdo: de acuerdo en|que
+ .84 [] ganó: ganó|gana|venció|se|impuso impuso|la|el|ganó
+ .82 [] el plan: el|nuestro plan|enfoque|acuerdo es|:|será|consiste @
+ .85 [] a partir de: partir de ahora|hoy|ya|mañana|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre
+ .82 [t] a partir de: partir de la|el|esta|este versión|próxima|próximo|release|siguiente|sprint
+ .82 [t] desde: desde ahora|hoy|ya
+ .84 [] en adelante: en adelante
+ .85 [] ya no: ya no ~2 <now1>|se|usaremos|daremos|vamos|soportamos|soportaremos|usamos|habrá
+ .84 [] vamos a: vamos <adv>? a <adv>? <inf>
+ .85 [] no vamos a: no vamos a !ver|saber|poder
+ .7 [r|a] vamos a: vamos <adv>? a <adv>? !<work>
+ .85 [] vamos con: vamos|iremos|voy con|por
+ .84 [] usaremos: usaremos|utilizaremos|mantendremos|adoptaremos|migraremos|pasaremos|moveremos|guardaremos|dejaremos|seguiremos|tendremos|eliminaremos|sustituiremos|retiraremos|cambiaremos|reemplazaremos|desplegaremos|implementaremos|haremos|soportaremos|daremos|pondremos|limitaremos|exigiremos|seguiremos|escribiremos !que
+ .7 [r|a] futuro: *aremos|*eremos|*iremos
+ .85 [] no usaremos: no *aremos|*eremos|*iremos
+ .82 [] pasamos a: ^ ~2 <strong1> ~8 a|de|con|por|en|desde|para
+ .82 [r|a] usamos: ^ <adv>? ~4 <now1>|<design>
+ .62 [st|qt|rt] abierto: !<stative> *amos|*emos|*imos
+ .62 [st] cada: ^ cada|todos|todas ~4
+ .76 [t] no habrá: no habrá|tendrá|tendremos|entra|incluirá|incluye
+ .8 [t|r|a] elijo: ^ elijo|escojo|uso|mantengo|dejo|prefiero
+ .64 [rt] se hace: ^ ~3 se !rechaza*|cancel*|bloque*|ignor*|produce*|debe*|cierra*|cae*|pierde*|reinici*|detien* *an|*a|*en|*e
+ .58 [t] abierto: ^ !<stative>|usamos|utilizamos|ejecutamos *amos|*emos|*imos
+ .76 [t] desde el lunes: desde|del|partir el|del? lunes|martes|miércoles|jueves|viernes|próximo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre
+ .76 [t] idea: idea|plan|propuesta|opción ~6 abandonada|descartada|abandonado|descartado|rechazada
+ .86 [] se aprobó: se aprobó|aprobaron|acordó|acordaron|decidió|decidieron|descartó|descartaron|adoptó|adoptaron|rechazó|rechazaron|eligió|eligieron !si
+ .8 [t] será nuestro: será|serán|es nuestro|nuestra|nuestros
+ .78 [t] a favor: a favor de
+ .9 [] nos decidimos: nos decidimos|inclinamos|decantamos|decidimos por|en
+ .74 [t] lo haremos: lo|la|los|las *aremos|*eremos|*iremos
+ .82 [] ganó: ^ ganó|venció|gana
+ .8 [] como está: dejamos|mantenemos|queda|quedan ~4 como|igual|tal
+ .6 [t] lo dejamos: lo|la|los|las !<stative> *amos|*emos|*imos
+ .66 [st] futuro: ^ ~4 *rán|*rá
+ .7 [t] paso: ^ paso|muevo|cambio|migro|separo|sustituyo|elimino|divido|saco ~8 a|en|por|de
+ .68 [t] no se: no se *an|*arán|*ará
+ .82 [t] nos pasamos: nos pasamos|cambiamos|mudamos|movimos a
+ .62 [] quitamos: ^ quitamos|eliminamos|retiramos|sustituimos|reemplazamos|abandonamos|descartamos|unificamos
+ .6 [rt|st] yo: ^ yo? !encontré|noté|vi|probé|leí|miré|creí|pensé|intenté|revisé|ejecuté|recibí|perdí *é|*í
+ .56 [stn] en lugar: ^^ ~1
+ .84 [] a propósito: ^ a propósito|conciencia|sabiendas
+ .84 [] a propósito: deliberadamente|intencionadamente|conscientemente
+ .9 [] votamos: votamos|votaron|votado ~6 por|favor|contra
+ .86 [] se aceptó: se aceptó|aprobó|adoptó|rechazó|aceptaron la|el ~1
+ .86 [] propuesta aceptada: propuesta|plan|idea ~3 aceptada|aceptado|aprobada|aprobado
+ .88 [] coincidimos: coincidimos|convenimos|quedamos en
+ .84 [] preferencia: damos|dimos|daremos preferencia|prioridad
+ .82 [] adoptamos: adoptamos|mantenemos|conservamos|descartamos|retiramos
+ .84 [] quedó claro: quedó|está|estaba claro ~1 :|que
+ .74 [t] ya no se: ya? no se permite|permiten|admite|admiten|aceptan|usa|usan|soporta|soportan
+ .66 [t] quité: ^ yo? <adv>? quité|sustituí|reemplacé|cambié|eliminé
+ .76 [t] pasa a: ^ ~6 pasa|pasan|pasará|pasarán a
+ .66 [t] se guarda: ^ ~3 se guarda|guardan|almacena|almacenan como|en
+ .78 [] solo se: solo|únicamente se ~1
+ .62 [st] objetos: ^ los|las ~2 *an|*en
+ .74 [t] dividimos: ^ ~3 <design>
+ .74 [t] se hará: se ~1 *ará|*erá|*irá|*arán|*erán|*irán con|en|por|mediante|desde|a|como
+ .76 [t] estarán: ^ ~4 estarán|estará|quedarán|quedará|irán|irá|vivirán|vivirá|tendrá|tendrán en|con|de|a|dentro|por|~1
+ .76 [t] como: como ~2 usaremos|usamos|utilizaremos|tendremos|va|irá|será|elegimos
+ .84 [t] renunciamos: renunciamos|desistimos|prescindimos|prescindiremos|renunciaremos a|de
+ .8 [r|a] usamos: <now1>|hospedamos|operamos|montamos
+ .8 [] pasan: ^ ~4 pasa|pasan|queda|quedan|sigue|siguen|deja|dejan a|en|con|de|como ~1
+ .84 [a] ya no: ^ ~4 ya? no ~8 sino
+ .82 [a] prefiero: prefiero|prefiere|preferí|preferimos
+ .84 [a] I: ^ yo? <adv>? <pastI>
+ .76 [r] I: ^ yo? <adv>? <pastI> !el|un test|error
+ .85 [] decidí: ^ yo? <adv>? decidí|opté|elegí|escogí|preferí
+ .86 [] por eso: ^^ por eso|ello <adv>? *amos|*emos|*imos|nos|se|he|hemos|vamos
+ .86 [] por eso: por|es eso|ello|por ~1 <dec>|<now1>|nos
+ .8 [a] será: será|serán|irá|irán|estará|estarán|va|van
+ .74 [r] será: será|serán|irá|irán|estará|estarán ~1 *ado|*ido|*ada|*ida|*ados|*idos|*adas|*idas
+ .7 [c] usa: ^^ usar|usa|use|usemos|adoptar|quedarse|mantener
+ .84 [] usemos: ^ usemos|quedémonos|vayamos|mantengamos|adoptemos|sigamos|dejemos

- sentence pregunta: ^^ qué|quién|cómo|por-qué|cuál|cuándo|deberíamos|podríamos|podemos|debemos|dónde
- sentence si: ^^ si|supongamos|suponiendo|imagina|imaginemos
- sentence si quieres: si quieres|quiere|queréis|prefieres|prefiere|os|le|te|lo|quieren
- segment podría: podría|podríamos|podrías|podrían|debería|deberíamos|sería|serían|habría|tendría|gustaría|haría
- segment puede: puede|puedes|pueden|podéis|puedo|podemos|se-puede
- segment usted: usted|debe|deberá|tiene|tienes que?|elegir|usar
- segment quizá: quizá|quizás|posiblemente|probablemente|acaso
- segment quizá: tal vez
- segment opción: una|otra|la opción|posibilidad|alternativa|idea|salida es|sería|consiste
- segment recomienda: recomienda|recomiendo|recomendamos|sugiero|sugiere|propongo|propone|recomendable|aconseja|conviene
- sentence tutorial: en este|esta|el|la|próximo|siguiente tutorial|ejemplo|guía|artículo|capítulo|sección|lección|vídeo|video|paso|apartado|curso
- sentence ejemplo: por ejemplo
- place no decidido: no|aún|todavía|nunca|sin ~4 decidido|decidimos|elegido|acordado|decidir|decide|llegado|hay|claro|definido|resuelto
- place sin decisión: no|sin|ninguna ~3 decisión|acuerdo|consenso|mayoría|conclusión
- place abierta: sigue|queda|quedó|está|continúa|quedan ~2 abierta|abierto|pendiente|pendientes|decidir
- place hay que decidir: que|debemos|debe|quién|falta|para|antes|ayuda|necesitamos ~2 decidir|elegir|decide
- segment decidir: decidimos|acordamos|vamos|hemos|decidido|acordado ~1 a|en|que|de? <work>|posponer|aplazar|volver|seguir|hablar
- segment otros: él|ella|ellos|ellas|netflix|google|amazon|spotify|cliente|empresa|compañía|autores|autor|proveedor|usuario|usuarios|analizador|parser|git|compilador|programa|sistema|planificador|niños|servidor|asistente ~1 eligió|elige|decide|decidió|decidieron|eligieron|optó|escogió|selecciona|prefiere|usa|usó
- segment dijo: dijo|dice|dicen|escribió|afirma|según|contó|explica|explicó|anunció|recomienda
- segment automáticamente: automáticamente|aleatoriamente
- segment antes: antes !de|que
- segment antes: originalmente|inicialmente|entonces|antaño|anteriormente
- segment al principio: al principio|inicio
- segment hace años: hace ~2 años|tiempo|meses
- sentence revertimos: pero|y|luego|después ~3 revertimos|volvimos|deshicimos|abandonamos|revertido|dimos|revirtió|descartamos|quitamos
- segment pasado: año|mes|trimestre pasado|anterior
- segment paso: primero|luego|después|mañana|ahora voy|vamos|miro|ejecutaré|leeré|revisaré
- segment paso: voy <adv>? a <work>
- segment paso: vamos <adv>? a <work>
- segment puedo: puedo|podría
- sentence no sé: no sé|tengo|está|estoy claro|seguro
- segment instrucciones: ^^ instale|instala|ejecute|ejecuta|elija|elige|abra|haga|pulse|descargue|mire|escriba

> reason: porque|pues
> reason: ya|puesto|dado|visto que
> reason: dado|dada|dadas|dados !que
> reason: debido a
> reason: a causa|fin de|que
> reason: gracias a
> purpose: para que
> purpose: , @ así las|los|el|la|no|se

> purpose: para no|evitar|reducir|mantener|ahorrar|simplificar|garantizar|poder|conseguir
> reason: por su|sus|los|las|ser|la|el|tener|falta|motivos|razones !momento|contrario|ahora|eso
> reason: ^^ como @ !siempre|resultado|alternativa ~~10 ,

> reason: de lo|otro contrario|modo
> reason: : @ nadie|no|es|hay|la|el|los|las|su|ninguno
> contrast: en lugar|vez de|del
> alternative: frente|respecto a|al @
> alternative: antes|más que @ !nada|un|uno|dos
> alternative: prefer* ~4 a|al @
> alternative: sustituimos|reemplazamos|cambiamos|sustituí|reemplacé|cambié @ !de|a ~6 por
> contrast: no ~4 @ en|con|por ~6 sino
> contrast: , no @ !solo|sólo|obstante|se
> contrast: y no @ en|con|por|un|una|el|la
> alternative: consideramos|evaluamos|valoramos|barajamos|estudiamos @ !que|usar
> consequence: así que|pues hay|habrá|tendremos|debemos|los|las|tenemos
> consequence: por lo que|tanto
> consequence: lo que|cual significa|implica|obliga|supone
> consequence: como resultado|consecuencia
> consequence: de modo|forma|manera que
> assumption: suponiendo|asumiendo|siempre que
> constraint: a condición de
>> reason: ^^ la|el|principal razón|motivo|principal|ventaja
>> reason: ^^ así|esto|eso|con evita|mantiene|ahorra|reduce|permite|nos|simplifica|evitamos|ahorramos|mantenemos|esto|eso|elimina|libera
>> consequence: ^^ tendremos|habrá|tenemos|hay|habría que
>> consequence: ^^ esto|eso significa|implica|obliga|supone
>> consequence: ^^ los|las clientes|usuarios|equipos|servicios ~1 deben|deberán|tendrán|tienen
>> consequence: ^^ como consecuencia|resultado
>> previous: ^^ por eso|ello|tanto
`
