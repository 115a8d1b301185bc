package capture

const english = `
= joining: and but so then or ok okay well yes yeah also therefore thus hence however instead overall finally eventually ultimately anyway accordingly consequently still now yet
= turn: but so however therefore thus hence instead nevertheless although though whereas
= we: we teams sides project engineering org organization organisation everyone everybody team group board committee council guild maintainers architects management leads stakeholders
= any1: we i everyone everybody team group board committee council guild maintainers architects management
= have: have has 've 's
= adv: also already just finally eventually ultimately now therefore thus then hence collectively unanimously jointly explicitly deliberately consciously recently both all simply instead provisionally formally officially mutually quickly together since clearly definitely
= be: is are was were be been being 's got get
= past: was were been
= sub: when if before after until once while whether unless who how why where what whenever
= retell: explains explain explained describes describe described shows wonder wonders wondering asked asks ask
= ours: us the our a an majority consensus vote voting default design hand everyone everybody all team both
= eval: evaluate investigate explore discuss revisit consider decide wait think look meet talk review compare check try test experiment examine reconsider research continue schedule ask vote skip disagree sleep take give
= everyday: dinner lunch breakfast restaurant holiday holidays vacation kids children wife husband sister brother mother father parents mom dad grandma friend friends girlfriend boyfriend dog cat puppy trip beach home lights movie film recipe birthday wedding apartment bedroom kitchen wallpaper garden shoes dress jacket flight hotel train museum walk hike weekend school university guitar pizza cake coffee gift gifts present presents gym diet haircut sofa paint wine supper cinema concert novel marathon yoga baby neighbour neighbor
= adopt: use defer postpone delay adopt switch migrate move replace keep stay stick drop remove deprecate retire introduce split merge store ban forbid require go rewrite rebuild pin freeze enforce ship host support target standardise standardize build cache expose return route handle base rely depend deploy put model represent encode version sign encrypt cap limit restrict allow disallow reject vendor fork bundle inline extract publish serve render offer treat hash avoid stop abandon consolidate unify separate isolate delegate self-host roll phase sunset lock generate persist save partition shard index queue batch stream leave outsource convert port invest settle choose pick select prefer favour favor opt rename centralise centralize decouple embed maintain accept implement postpone lean write run denormalise normalize keep commit turn let cut hold
= adopts: uses adopts switches migrates moves replaces keeps stays sticks drops remains goes lives becomes
= adopted: used adopted switched migrated moved replaced kept stayed stuck dropped removed deprecated retired introduced split merged stored banned pinned froze frozen enforced standardised standardized built cached exposed routed based deployed put modelled modeled represented encoded capped limited restricted vendored forked bundled inlined extracted rewrote rewritten rebuilt consolidated unified separated isolated delegated converted ported settled preferred centralised centralized decoupled embedded made swapped turned set skipped wrote written kept added implemented left avoided stopped changed
= shifted: switched migrated adopted dropped retired deprecated replaced abandoned standardised standardized swapped sunset consolidated outsourced banned
= adopting: adopting switching migrating moving replacing keeping staying sticking dropping removing deprecating retiring introducing splitting merging standardising standardizing going leaving banning freezing pinning rewriting rebuilding consolidating consolidated abandoning ditching sunsetting outsourcing settling opting betting phasing rolling self-hosting hosting decoupling porting converting centralising centralizing enforcing requiring storing shipping capping limiting postponing cutting
= dropping: dropping retiring deprecating abandoning ditching sunsetting switching migrating sticking standardising standardizing
= i: i
= wee: we
= cond: if when unless until once whenever while whether as-soon
= time: monday tuesday wednesday thursday friday saturday sunday tomorrow january february march april may june july august september october november december
= dept: product security legal ops design marketing finance sre qa infra devops leadership engineering support
= asking: why whether how
= stative: be is are was were been am have has had need needs want wants think know knew see saw believe believed hope hoped got found find noticed looked look measured tested tried try failed fail ran run lost lose missed miss spent waited wait met meet talked talk discussed discuss asked ask received get could can may might must should would will shall did do does not like love hate feel felt expect expected suspect guess assume assumed understand understood learn learned hear heard wonder worry struggle struggled seem seemed read check checked investigate still never often usually sometimes rarely currently always already just also all both forgot forget lack recommend suggest appreciate welcome thank hit
= participle: stored written hashed kept served built rendered handled encrypted signed cached sorted compressed sampled throttled processed split validated generated deployed hosted logged versioned batched queued scheduled routed computed calculated done named called published copied synced replicated limited capped pinned split grouped
= actor: i you he she they who according my this that it function method parser compiler server script program flag algorithm library linter tool command option plugin scheduler planner runtime browser client router proxy balancer collector loop iterator constructor macro interpreter kernel driver hook handler middleware decorator operator api call module class package react git rust python java kubernetes docker user users customer customers people developers teams functions methods tests test
= group: team group board committee council guild maintainers management architects leads stakeholders
= foreign: their his her another other rival its whose these those your old former previous half some most many each
= by: by
= you: you your yours
= pointing: is 's reason
= hence: so therefore thus hence
= strip: to that : ,
= keep: against for on upon in over with out without by of
= considered: considered evaluated weighed explored
= compare: compared comparing comparison candidates contenders trade-offs tradeoffs benchmarked evaluated weighed shortlisted
= optionends: for in on as at when while where with because since due so on under within here if after during this
= optionverb: *ing run to use in add running build have be keep
= report: passed failed passes fails failed finished completed took found measured crashed errors
= work: read look check see find search grep investigate explore analyze analyse review verify examine inspect walk show explain continue proceed discuss meet talk think consider evaluate decide compare measure learn cover focus dive come wait report send share finish debug reproduce rerun clean ask tell know help try test start begin fix update give get do need happen call be take open able probably likely also install create configure follow assume
= number: one two three four five six ten 0* 1* 2* 3* 4* 5* 6* 7* 8* 9*
= pick: chosen selected picked adopted preferred favoured favored agreed
= rejects: rejected discarded dropped abandoned dismissed vetoed
= undecided: tbd pending undecided none open unclear unknown deferred postponed n/a todo later

# first person, past and perfect
+ .93 [] decided: <we>|i <have>|had? <adv>? decided <adv>? @ to|against|on|that|not|upon|in|we|for
+ .93 [] decided: <we>|i <have>? <adv>? made|taken|took|reached the|a|our decision|call|choice @ to|that|not|:
+ .92 [] went with: <we>|i <have>? <adv>? went|gone <adv>? with|for
+ .92 [] chose: <we>|i <have>? <adv>? chose|chosen|picked|selected|opted|elected <adv>? !up|out|someone|between|randomly|from
+ .9 [] settled: <we> <have>? <adv>? settled|resolved|closed the|this ~5 question|debate|matter|discussion
+ .92 [] settled on: <we>|i <have>? <adv>? settled|landed|converged|standardised|standardized|zeroed|aligned <adv>? on|upon|for|in
+ .9 [] committed to: <we> <have>? <adv>? committed|resolved|pledged <adv>? to
+ .9 [] agreed: <we>|i <have>? <adv>? agreed|voted|concluded @ to|on|that|upon|not|against|in|for
+ .85 [] signed off: <we>|i <have>? <adv>? signed|approved|ratified|endorsed|greenlit|accepted|blessed off? on? the|our|a|using|moving ~4
+ .75 [] approved: approved|ratified|greenlit|endorsed the|a switch|move|plan|proposal|design|migration|adoption|use|rewrite|removal|split|rfc|adr|change|approach|rollout
+ .9 [] ruled out: <we>|i <have>? <adv>? ruled|turned|voted out|down
+ .88 [] rejected: <we>|i <have>? <adv>? <rejects>
+ .85 [] ended up: <we>|i <have>? <adv>? ended up not? @ with|using|going|choosing|picking|keeping|building|dropping|replacing|moving
+ .8 [r|a|t] ended up: <we>|i <have>? <adv>? ended up *ing
+ .82 [] picked: <we>|i've <adv>? choose|opt|settle|select|elect <adv>? !between|from
+ .75 [a|r] prefer: <we> <adv>? prefer|favour|favor
+ .8 [] would rather: <wee> 'd|would|will rather
+ .85 [] leaving: <we>|i <have>? <adv>? left|kept <adv>? ~6 as is|it
+ .86 [] in favour: <we>|i <have>? <adv>? <adopted>|<shifted>|removed ~8 in favour|favor of
+ .84 [] in favour: ^^ <adopted>|<shifted>|removed|removing|dropping|retiring ~8 in favour|favor of
+ .7 [t] in favour: was|were|been|be dropped|abandoned|retired|removed|rejected|deprecated in favour|favor of
+ .88 [r|a] adopted: <we> <have>? <adv>? <adopted>
+ .7 [t] adopted: <we> <have>? <adv>? split|splitting|unify|unified|rewrote|rewrite|separated|froze|pinned|renamed|capped|forbid|ban|require|merged|extracted
+ .76 [] not doing: <wee> are not *ing !sure|able
+ .72 [] gave up: <we> <have>? <adv>? gave|given|give up on|the
+ .8 [] shifted: <we> <have>? <adv>? <shifted>
+ .72 [r|a] using: <we>|i are|am <adv>? using|leaving|doing|storing|building|running|writing|making|putting
+ .78 [r|a] adopted: <we> <adv>? skip|avoid|stick|accept|limit|cap|expose|hash|version|encrypt|use|keep|store|build|run|ship|host|rely|base|put|pin|cache|route|deploy|leave|drop|treat|render|handle|generate|write !to
+ .8 [a] I adopted: i <have>? <adv>? <adopted>
+ .72 [r] I adopted: i <have>? <adv>? <adopted>|made !sure
+ .62 [st|qt] open: <wee> <adv>? do? not? !<stative>
+ .6 [rt] open: <wee> <have>? !<stative>|restarted|crashed|noticed|realized|realised|discovered|observed|experienced|cancelled|canceled|suffered|exceeded|encountered|missed *ed
+ .6 [rt] open: <wee> deliberately|intentionally|consciously|only|never|do|now? not? !<stative>|*ed
+ .78 [t] accept: <wee> <adv>? accept|tolerate|sacrifice|trade|forgo|forego the|a|some|that|eventual ~2
+ .9 [] voted: <we> <have>? <adv>? voted ~4 for|against|on|in|to
+ .88 [] department: ^ <dept> <have>? <adv>? decided|vetoed|chose|approved|rejected|picked|agreed|insisted|ruled|banned|dropped
+ .84 [] vetoed: <we>|i <have>? vetoed|blocked|banned|killed the|our
+ .78 [t] fine with: everyone|everybody|all|we|team|group was|were|is|are fine|ok|okay|happy|comfortable|good with
+ .86 [] accepted: proposal|suggestion|rfc|adr|idea|draft|motion|plan was|is|got|has|were been? <adv>? accepted|adopted|approved|passed|agreed|ratified
+ .62 [t] I replaced: i <have>? <adv>? replaced|switched|swapped|ditched|dropped
+ .74 [t|r|a] I choose: i am <adv>? <adopting>|choosing|picking|selecting|preferring !through|to|over|by|ahead|fast|forward
+ .86 [] but went: but|and|so|then <adv>? went|chose|picked|opted|settled|stuck|landed with|for|on|to
+ .8 [r|a|t] but chose: but|so <adv>? chose|picked|kept|decided|selected
+ .82 [] stick: <wee> <adv>? stick|go|stay|side with|to|on
+ .72 [t] changes: ^ ~4 changes|moves|switches|migrates from ~4 to|into
+ .64 [st] plural will: ^ ~4 will !be|have|see|get|fail|take|need|happen
+ .86 [t] went ahead: <we>|i <have>? went ahead and|with
+ .6 [rt|st] I open: i <have>? !noticed|wanted|tried|thought|needed|looked|checked|asked|failed|learned|worked|missed|received|realized|realised|discovered|fixed|tested|verified|reviewed|added|updated|debugged|opened|closed|checked|observed|expected|assumed|wondered|liked|hoped|finished|restarted|searched|confirmed *ed
+ .86 [t] starting in: ^ starting|beginning|from in|on|with <time>|may
# no subject: commit messages, notes, lists
+ .9 [] chosen bare: ^^ <adv>? chose|decided|opted|settled|picked|went|selected|agreed|standardised|standardized @ over|against|for|on|with|to|that|not|upon|in|out
+ .85 [r|a] chosen bare: ^^ <adv>? chose|picked|selected|preferred|kept|stuck
+ .85 [] ruled out bare: ^^ <adv>? ruled out
+ .85 [r|a] rejected bare: ^^ <rejects>
+ .82 [a] bare: ^^ <adopted> !with|by
+ .72 [r] bare: ^^ <adopted>|<shifted> !a|the|test|tests|bug
+ .78 [r|a] bare: ^^ <adopting>|choosing|picking|selecting|preferring 
+ .68 [a] bare: ^^ using
+ .74 [rt|at] bare: ^^ not going|gonna to
+ .74 [rt] bare: ^^ will not <adopt>|support|use
+ .82 [] sticking: ^^ sticking|going|staying|settling|standardising|standardizing with|on
+ .76 [rat] verdict: ^^ ~3 over
# passive
+ .9 [] was decided: it|that|this <have>? was|is|'s|been|has <adv>? been? <adv>? decided|agreed|settled|resolved|concluded <adv>? @ that|to|upon|on|:|not|against|in
+ .85 [] settled: it 's|is <adv>? settled|decided|agreed|official
+ .86 [p] was chosen: <past>|got|gets <adv>? <pick> !by|at|as
+ .86 [p] was chosen: <past>|got|gets <adv>? <pick> by|as the|our|a|us|consensus|majority|vote
+ .84 [p] was ruled out: <past>|got|is|are <adv>? ruled out
+ .8 [pr] was rejected: <past>|got <adv>? <rejects>|rejected
+ .76 [prt|pat] was adopted: <past> <adv>? replaced|kept|dropped|moved|switched|pinned
+ .8 [] won: won|wins|prevailed|winning out|over|here|because|for|on
+ .8 [] won: ^ ~5 wins|won|prevails $
+ .86 [] it is: ^ !it|now|as|what|that|keep|how|leave|whatever|like|than|where|here|there|because|since|yes|no|unless|if ~3 it is $
+ .82 [] is the choice: is|are|was|were|became|remains|will our|the|my clear|final|obvious|better|best|preferred? choice|pick|winner|decision !of|between|whether|to
+ .7 [c] better: is|are|seems the|a better|best|right|simplest|safest choice|fit|option|match
+ .82 [t] signed off: signed|signs|sign off on
+ .76 [] do that: ^ let 's do|try? that|this|it $
+ .88 [] vote: vote|majority ~3 in|for|against favour|favor|keeping|moving|the|using
+ .8 [t] our choice: will be our
+ .62 [rt] now done: ^ each|every|all ~3 is|are now <participle>
+ .72 [t] all will: ^ all|every|each|no|any new? ~4 will|shall|must !have|see|get|fail
# rules and prohibitions
+ .72 [t] forbidden: is|are|be no longer|more allowed|permitted|accepted
+ .72 [t] forbidden: is|are not allowed|permitted|accepted any|anymore
+ .7 [t] forbidden: is|are|become|becomes now? forbidden|prohibited|banned|mandatory|disallowed|off-limits from|for|in|now|again|starting
+ .78 [] off the table: is|are off the table
+ .72 [t] no more: ^ no more ~3
+ .82 [] settles: that|this settles it|that|the
+ .8 [] compromise: ^ as|for a|the compromise|moment|middle
+ .8 [] clear: it was|became|is clear|obvious :|that ~3
+ .72 [t] so the: so the|our ~2 is : 
+ .76 [t] there will be no: there will be no
+ .7 [t] replaces: ^ ~3 replaces|replace|supersedes our|the|its|all|both
+ .84 [] onwards: from|after|since ~3 onwards|onward
# design told by its objects
+ .62 [st] objects: ^ the|our|all|new|these !<actor> *s !*s|of|in|from|to
+ .62 [st] objects: ^ each|every !<actor> ~1 *s
+ .62 [st] objects: ^^ !<actor>|the|our|all|new|these|this|that|a|an|its|his|was|is|has|does|unless|always|as|yes|thus|returns|throws|differences *s !*s|a|an|the|if|when|over|each|every|to|from|with|in|of|for|only|true|false|{code}|its|this|that|what|how
+ .62 [qt] objects: ^ the|our|all|new|these !<actor> ~2 are
+ .62 [st] done: ^ !<actor>|if|when ~4 is|are <participle>
+ .6 [rtn] done: ^ ~5 is|are <participle>
+ .6 [qt] done: ^ !<actor>|if|when ~4 is|are <participle>
+ .7 [rt|at] new: ^ the|our new ~3 uses|runs|talks|stores|writes|reads|is|ships|comes|gets|has
+ .74 [t] our will: our ~3 will be|use|run|live
+ .74 [t] will live: will|shall <adv>? live|reside|sit in|next|inside|outside|on|under|at|with
+ .56 [stn] contrast: ^^ the|our|all|each|every|new|no|any|*s ~1
# nouns
+ .84 [] the chosen: chosen|selected|final|agreed|preferred|winning|approved approach|solution|design|option|architecture|tool|stack|library|framework|plan|strategy|scheme|format|layout|technology|setup|model|variant <adv>? is|uses|was|:|will|keeps|has|relies|combines
+ .88 [] decision made: decision|call|choice|verdict was|has|is|been ~1 made|taken|reached ~1 to|that|:|—|;
+ .88 [] reached: consensus|agreement|decision|resolution reached|made|taken :|to|that|on|—
+ .74 [t] standard: is|are|becomes|become now|officially? our default|standard|primary|official|preferred|target
+ .93 [] decision is: the|our|my|final|unanimous <adv>? final|joint|team|architectural|design|unanimous? decision|verdict|consensus|agreement|conclusion is|was|:|'s|remains|stands <adv>? @ !not|pending|still|up|yours|hard|open|due|made
+ .9 [] choice is: our|my|the|final ~1 choice|pick|winner|preference is|was|:|'s|fell|falls|goes|went <adv>? !between|not|yours|up|of|hard|whether|how|what|why
+ .9 [] final call: our|my|final call is|was|:|'s @
+ .88 [] choice fell: choice|decision fell|falls|goes|went on|to|in|with|for
+ .8 [] plan is: the|our plan <adv>? is|:|now|remains <adv>? @ to|that|for !help|see|find|look|check
+ .82 [] decision to: the|our decision @ to ~~12 stands|holds|remains|final
+ .8 [] adr stands: ^ ~6 adr|decision ~5 stands
+ .86 [] consensus: consensus|agreement|conclusion ~5 was|is|: @ to|that !have|continue
+ .7 [t] idea dropped: idea|plan|proposal|option ~6 is|was|are|were|been <adv>? dropped|abandoned|rejected|shelved|off
+ .8 [] consensus: reached|have|had|was|there 's|is? consensus|agreement @ to|on|that|is|was
# future
+ .88 [] let us: let 's|us <adv>? @ go|stick|settle|stay|standardise|standardize|opt with|on|for
+ .78 [] let us: let 's|us <adv>? @ not? keep|use|have|build|run|write|cache|treat|cap|limit|host|ship|start-with|freeze|adopt|drop|switch|move|replace|remove|store|pick|choose|avoid|leave|ban|require|pin|split|put|migrate|retire|deprecate|freeze|make !looking|going|it|sure|following|moving|you|on
+ .76 [] let us not: let 's|us not !forget|worry|panic|jump|get|rush|go
+ .8 [] will: <we> will|shall <adv>? not? <adv>? be? <adv>? <adopt>|<adopting> !sure|by|you|able|through
+ .82 [] will not: <we> will|shall not <adv>? !be|know|have|see|get|need|go|make|find|change|fix|notice|lose|break
+ .82 [] will not: <we> will|shall not be *ing
+ .7 [r|a] will: <we> will|shall <adv>? be? !<work>
+ .85 [a] will: <we> will|shall <adv>? be?
+ .86 [] I go with: i will|'d <adv>? go|stick|settle|stay with|for|on
+ .78 [rt|at|c] I will: i will|am <adv>? going? to? <adopt>|<adopting> !by|you|sure|to
+ .85 [] going with: <we>|i are|am|'s|is <adv>? going|sticking|settling|standardising|standardizing|staying|aligning|betting with|on|for
+ .76 [t] moving: ^ ~6 is|are moving|switching|migrating|going to|from|off|away|onto !be
+ .84 [] switching: <we> are|'s|is <adv>? <adopting> !through|to|over|by|ahead|fast|forward
+ .84 [] switching: <we> are|'s|is <adv>? migrating|moving|switching|standardising over? to|from|off|away|onto|into|~3
+ .78 [] going to: <we> are|'s|is <adv>? not? going to <adv>? <adopt> !sure|you
+ .7 [r|a] going to: <we> are|is <adv>? not? going|planning|intend to <adv>? !<work>
+ .74 [] plan to: <we> <have>? <adv>? plan|intend|planned|aim to <adv>? <adopt> !sure
+ .7 [?] propose: <we> propose|proposed @ to <adopt>
+ .78 [] future: ^ going|moving forward|on
+ .86 [] from now on: from now|here|today|this on|onwards|onward|point|forward ~1
+ .84 [] going forward: going|moving forward
+ .84 [] effective: henceforth
+ .8 [] as of: ^ as of today|now|next|tomorrow|monday|january|february|march|april|may|june|july|august|september|october|november|december
+ .84 [] from now on: from|with this|the|next|that ~1 release|version|sprint|quarter|month|week|point on|onward|onwards|forward
+ .84 [] effective: ^ effective immediately|now|today|from
+ .8 [] starting: ^ starting|beginning|as with|from|in|of next|version|release|v*|today|now|this|january|february|march|april|may|june|july|august|september|october|november|december ~~6 we|all|every|each|no
+ .76 [t] from: ^ starting|beginning|from|as|effective from|of? <time> ~~4
+ .8 [st] will be: are|is going to be? <adv>? <adopted>|handled|stored|served|hosted|managed|done|kept|read|written|rendered|built
+ .8 [st] will be: will|shall <adv>? not? be? <adv>? <adopted>|<adopt>|handled|stored|served|hosted|live|stay|remain|become|managed|done|kept|read|written|rendered|built
+ .76 [t] will be: is|are going to be <adv>? written|implemented|built|hosted|rewritten|replaced|retired|split|dropped|removed|moved|migrated
+ .76 [t] will be: will|shall <adv>? be <adv>? written|implemented|built|hosted|rewritten|developed|based in|on|with|using !terms
+ .76 [t] will be: will|shall <adv>? be <adv>? ported|split|retired|phased|migrated|standardised|standardized|open-sourced|moved out|into|to|over|on
+ .7 [ht] will: ^ ~6 will use|run|live|store|keep|stay|remain
+ .7 [r] will be: will|shall <adv>? be? <adv>? <adopted>|handled|stored|served|hosted|live|stay|remain|managed|done|rendered !you
+ .8 [] will be: ^ support|everything|all|every ~5 will|shall be? <adopted>|live|stay|dropped
+ .8 [a] stays: ^ ~5 stays|stay|remains|remain|stayed|moves|goes|becomes|lives <adv>? !to|down|up
+ .74 [rt] stays: ^ ~5 stays|stay|remains|remain|moves <adv>? !to|down|up
+ .76 [] for now: ^ ~5 stays|stay|remains|moves|becomes ~6 for now|good
+ .76 [rt] purpose: on purpose|deliberately
+ .76 [rt] purpose: deliberately|intentionally|consciously !ending|throw*|trigger*
+ .72 [rat] now: ^ ~6 is|are ~5 now !considered|available|possible|deprecated|supported
+ .68 [rt] now: ^ ~6 now includes|uses|stores|keeps|requires|runs|lives|sends|goes|caches|rejects|ignores|skips|relies|happens|belongs|depends|owns|carries|goes
+ .78 [] no longer: <we> no longer|longer
+ .7 [] not anymore: <we> do|will not ~6 anymore|longer
+ .85 [] what we use: that|which|this|it 's|is what|how|where|why we|i <have>? <adv>? use|used|do|did|chose|went|picked|go|settled|ship|build|store
+ .86 [] why we chose: that|which|this|reason 's|is? why we|i <have>? <adv>? <adopted>|<adopt>|went|chose|picked|opted|decided|settled
+ .76 [a] instead: ^^ instead|rather of|than ~~8 now|we|will|gets|get
+ .7 [t] new: ^ ~1 new ~3 will be|use|run|live a|an|the|in|on|with|based
+ .76 [t] this change: ^^ this|the pr|commit|change|patch|mr|branch|cl ~1 replaces|switches|moves|migrates|drops|swaps|converts|splits
+ .7 [ht] no: ^ no ~3 for now|yet
# imperative, when the text around it is an outcome
+ .78 [o] imperative: ^^ <adopt> !to|it|sure|:
+ .62 [ct] imperative: ^^ use|keep|adopt|choose|pick|go|prefer|take|stick !to|it|sure|: ~~30 $
+ .62 [rat] imperative: ^^ use|switch|adopt|replace|move|drop|keep|stick|prefer|store|migrate|stop|remove|split|make|avoid|put|return|extract|convert|ban|pin|introduce|rename|merge|rewrite|cache|render !to|sure
+ .8 [] go with: ^^ please? go with|for

# who or what keeps a match from being a decision
- sentence question word: ^^ what|why|how|who|which|where|should|shall|could|would|can|do|does|did|is|are|has|have|will|may|might we|you|i|they|it|the|anyone|anybody|this|that|made|there ~~30 ?
- sentence condition: ^^ if|suppose|imagine|unless|had|should|were|supposing|whether
- sentence example: for|as example|instance|an $|example|instance
- sentence example: for example|instance
- sentence lesson: in|throughout|during this|the|next|following next|following? tutorial|guide|example|article|chapter|section|lesson|post|video|exercise|demo|walkthrough|workshop|course|step|page|book|class
- sentence offer: i|we can|could|'d|would|might|am be? happy|glad|also|gladly? ~~14 if you
- sentence offer: if you|that want|like|prefer|agree|wish|'d|would|need|think|are|have
- sentence offer: let me know
- sentence offer: want|like|prefer me to
- sentence offer: happy|glad to
- segment offer: i can|could|would|might
- segment hedge: might|maybe|perhaps|possibly|could|probably
- segment hedge: not sure|certain|convinced|clear|yet|ready
- segment hedge: unsure|undecided|wonder|wondering|unclear|tempted|leaning|thinking|debating
- segment you: you|your|users|customers can|could|may|might|should|will|must|need|have|choose|select|pick|want
- segment advice: it is|'s recommended|advisable|possible|worth|common|typical|usual|best|good
- segment advice: one|another|option|alternative|possibility|idea would|could|is|might !settled|decided
- segment advice: consider|suggest|recommend|recommends|suggests|proposes|proposed
- segment advice: should|ought !not ~3 probably|really|consider|decide
- segment past: originally|initially|formerly|previously
- segment past: ^ once
- segment past: at first
- segment past: used to
- segment past: back then|in
- segment past: in the past|beginning|old
- segment past: old design|system|code|version|approach|implementation
- segment past: first|earlier|previous attempt|try|implementation
- segment past: earlier|previous version|approach
- segment past: years|decades|months ago
- sentence undone: then|but|and|later|until|before ~~6 rolled|reverted|backed|undid|undone|regretted|abandoned|gave|scrapped
- sentence undone: was|were abandoned|reverted|scrapped|rolled|undone
- sentence undone: but|then|later ~4 went|moved|switched|came|gone back
- place none: not ~1 have|reach|reached|find|found|had ~1 decision|consensus|agreement|conclusion
- segment mind: keep|bear in mind
- place none: no|without|neither|nor|none|nobody|never|yet ~5 decision|decisions|consensus|conclusion|majority|agreement|vote|winner
- place undecided: not|never|yet|still ~3 to? decide|decided|decides|choose|chosen|picked|agree|agreed|settled|made|reached|deciding|selected|been
- place must decide: need|needs|have|has|must|should|let|to|please|will|can|cannot|help|time|try|trying|who|and|or decide|choose
- place must decide: are|am|is|'s|still|been|keep|be evaluating|considering|discussing|debating|comparing|weighing|deciding|exploring
- place must decide: waiting for
- place deferred: defer|postpone|delay|table ~2 decision|choice|discussion|question|this|that
- segment deferred: decided|agreed|voted|chose|opted|going|will|plan|plans|want|wants|'s|resolved|settled <adv>? not? yet? to|on <adv>? <eval>
- segment said: he|she|they|cto|ceo|author|authors|speaker|article|paper|docs|documentation|blog|vendor|google|amazon|netflix|spotify|customer|client|someone|somebody|people|competitor said|says|wrote|writes|claims|claimed|told|argued|argues|reported|announced|mentioned|recommends|recommend|states|insists|thinks|believes
- sentence according: according to !our|the meeting|minutes|adr
- segment others: they|he|she|you|their|his|her|it|who had|have|has? <adv>? chose|decided|picked|went|selected|opted|switched|moved|agreed|settled|adopted|dropped|used
- segment automatic: automatically|randomly|dynamically|by default
- segment last wins: last|first|longest|latest|newest|highest|write|writer|rule|value|match ~2 wins|won|win
- sentence wish: it would be
- segment wish: would|could have been|helped|worked|used|chosen|gone
- segment thanks: thanks|thank|sorry|please
- segment work: i will ~3 <work>
- segment will see: to see|find|check|verify|confirm|test|understand|learn|figure|investigate|debug|reproduce whether|if|what|how|why|where|that|out|the|which
- segment step: first|next|then i|we will|am|are

# parts
> reason: because of?
> reason: ^^ because of? @ ~~12 ,
> reason: since !then|last|the|version|v|january|monday|20|yesterday|its|upgrading
> reason: ^^ since @ !then|last|version|january|monday|20|yesterday|upgrading ~~14 ,
> reason: since @ the|v* ~6 <be>|has|have|must|cannot|can|needs|need|kept|does|do|did|will|account|accounts|fails|already|only|accept
> reason: due to
> reason: owing|thanks to
> reason: given the|that|how|our|its|this
> purpose: so that
> purpose: , so|that @ clients|users|everyone|we|the ~1 can|could|stay|stays|remain|remains|get|gets|does|do
> purpose: that way
> purpose: so @ !we|i|that|far|it|they|you|our ~4 needs|need|can|stays|stay|does|gets|get|never
> reason: , as !of|a|an|the|well|soon|long|far|is|in|such|needed|before|expected|usual|of
> reason: , as @ the|a|an|it|we ~4 <be>|has|have|must|cannot|can|needs|need|kept|does|do|did|will|no|never
> purpose: in order to
> reason: to avoid|prevent|reduce|keep|save|simplify|make|ensure|stop|minimise|minimize|cut|get
> reason: otherwise
> reason: : @ it|we|they|the|no|nobody|there|this|its|that
> reason: ; @ we|i need|want|only|do|have|can|cannot
> reason: , @ we only|do|never|already|need
> reason: ; @ it|they|the|no|nobody|there|this|its|migrating|an|a
> reason: reason being|is|was|for
> alternative: over @ !time|again|the|and|to|all|http|https|tls|ssl|tcp|grpc|there|here|this|that|these|those|its|our|their|<number>
> alternative: over @ the !air|wire|network|top|last|next|internet|weekend|years|past|course|whole|entire|same
> contrast: instead of
> contrast: rather than
> contrast: as opposed to
> contrast: in place|lieu of
> contrast: , not to? @ the|a|our
> contrast: , not @ !to|only|yet|just|because|even|all|every|sure
> contrast: and|but not @ by|in|on|a|the|as|with|via|from|through|inside
> contrast: , never
> alternative: considered|evaluated|weighed|explored @ !and|too|but|as|that|whether|to|in|by
> alternative: <we>|i 'd|would rather ~~10 than @
> alternative: <we>|i <have>? <adv>? replaced|swapped|replace @ ~8 with|by|for
> alternative: ^^ replaced|replace|replacing|swap|swapped @ !with|by ~8 with|by|for
> alternative: from @ ~4 to
> consequence: which|this|that means|implies|requires|forces that?
> consequence: , meaning that? @
> consequence: as a result|consequence
> consequence: , so @ we|it must|have|need|will|cannot|can|had|is
> consequence: so partners|clients|users|we|everyone|consumers|teams|services|existing|old must|have|need|will|cannot|should
> consequence: therefore ~3 must|have|need|will|cannot
> assumption: assuming|provided|presuming that?
> assumption: as long as
> assumption: under|on the assumption that
> constraint: as required by
> constraint: subject|limited to
> constraint: constrained|bound by
>> reason: ^^ the|main|our ~3 reason|reasons|rationale|motivation|advantage|benefit is|was|are|: simple|clear|that|obvious? ,|:? @ ~1
>> reason: ^^ this|that|it way|also? keeps|gives|saves|avoids|makes|lets|allows|removes|reduces|means|helps|simplifies|prevents|halves|frees|spares|cuts|brings|fits|matches|solves
>> reason: ^^ that|this way
>> consequence: ^^ as a result|consequence
>> consequence: ^^ this|that|which means|implies|requires|forces
>> consequence: ^^ consumers|clients|users|callers|everyone|teams|partners|services|we|existing|old ~3 must|have|need|will
>> consequence: ^^ the|a downside|trade-off|tradeoff|price|catch|cost|drawback is|:
>> previous: ^^ that|this|which 's|is why
>> previous: ^^ for that|this reason
`
