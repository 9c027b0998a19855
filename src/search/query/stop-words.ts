/**
 * Words that hold sentences together or make them questions, in languages people often keep notes in.
 * Frequency alone does not find them: `what` and `how` are rare in notes and frequent in questions, and
 * would pass for telling words there. Folded like all words; pairs of characters where there are no spaces.
 */
const WORDS = [
  // English
  `a about above after again against all also am an and any are aren as at be because been before being below
  between both but by can cannot could couldn did didn do does doesn doing don done down during each either else etc
  ever every few for from further get gets got had hadn has hasn have haven having he her here hers him his how
  however i if in into is isn it its itself just let like may me might more most much must my myself need needs
  neither no nor not now of off on once one only or other others our ours out over own please same shall she should
  shouldn so some such than that the their theirs them then there these they this those through thus to too under
  until up upon us very via want was wasn way we were weren what whatever when where whether which while who whom
  whose why will with within without won would wouldn yes yet you your yours`,
  // German
  `aber als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den denn der des die dies diese
  diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch fur gegen gibt habe haben
  hat hatte ich ihm ihn ihr im in ist ja kann kein keine man mehr mein mit nach nicht noch nur ob oder ohne sein sich
  sie sind so soll uber um und uns unter vom von vor wann war warum was wenn wer werden wie wieso wir wird wo zu zum zur`,
  // French
  `au aux avec c ce cela ces cet cette comment d dans de des donc du elle elles en es est et etre eu il ils j je l la
  le les leur lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas plus pour pourquoi qu quand que quel
  quelle quelles quels qui quoi s sa sans se ses si son sont sur t ta te tes ton tu un une vos votre vous y`,
  // Spanish, Portuguese, Italian
  `al algo ao aos as com como cual cuales cuando da das de del della delle dello di do donde dos e el ella ellas ellos
  em en entre era eres es esa ese eso esta este esto foi gli ha han hay il isso isto la las le les lo los mais mas me
  mi mis muy na nas nel nella no nos o onde os para pela pelo per perche pero por porque qual quais quando que quem
  quien se sem seu si sin sobre sono su sua sus tambien te tu um uma un una uno y ya`,
  // Dutch
  `aan als bij dan dat de deze die dit door een en er geen haar heb hebben heeft het hij hoe hun ik in is je kan maar
  meer met mijn naar niet nog nu of om onder ook op over te tot uit van voor waar waarom wanneer was wat we wel welke
  wie wij worden wordt zich zijn zo`,
  // Russian
  `а без бы был была были было быть в вам вас весь во вот все всех вы где да для до его ее если есть еще же за и из
  или им их к как какая какие какой когда кто ли мне может мои мой мы на над нас не нет но о об один он она они от
  по под при с со так также такой там то тоже только у уже что чтобы эта эти это этот я`,
  // Chinese and Japanese, in pairs
  `什么 怎么 怎样 如何 为什 为何 哪些 哪个 哪里 是什 么是 多少 可以 我们 他们 一个 这个 那个 没有 因为 所以 如果 但是
  です ます した して いる から まで など とは こと もの どう どの なに なぜ どこ いつ ある する ない`,
];

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.flatMap((words) => words.split(/\s+/)));
