import type { MemoryType } from '../model/memory.js';

/** Why a sentence is not kept, whatever else it says (AUT-2). */
export const EXCLUSIONS = [
  'question',
  'thanks',
  'once',
  'hedged',
  'debugging',
  'passing',
  'derivable',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** A rule over one sentence in small letters; `unless` takes back what it would say. */
export interface SentenceRule<Verdict> {
  readonly id: string;
  readonly verdict: Verdict;
  readonly when: RegExp;
  readonly unless?: RegExp;
  /** Asked of the sentence as it was written, for names. */
  readonly written?: RegExp;
}

/** What is never kept, in the order in which it is asked (AUT-2). Each rule is described in docs/memory-rules.md. */
export const EXCLUDING: readonly SentenceRule<Exclusion>[] = [
  { id: 'X1', verdict: 'question', when: /\?["')\]]*$/ },
  {
    id: 'X2',
    verdict: 'question',
    when: /^(?:who|what|when|where|why|which|how|is|are|does|did|can|could|would|will|shall|have|has) (?:i|you|we|it|this|that|the|there|they|do|does|is|are)\b(?! [a-z]+ing,)/,
    unless:
      /^(?:when|where) (?:you|we|i)\b|^how (?:we|you)\b.* (?:is|are)\b|^what (?:we|i) (?:want|use|prefer)\b/,
  },
  {
    id: 'X3',
    verdict: 'thanks',
    when: /^(?:thanks|thank you|thx|perfect|great|nice|awesome|brilliant|wonderful|cool|excellent|ok|okay|lgtm|looks good|sounds good|much better|all good|yes please|good job|well done)\b/,
    unless: /\b(?:but|from now on|always|never|keep doing|again)\b/,
  },
  {
    id: 'X4',
    verdict: 'once',
    when: /\b(?:for now|for the moment|for the time being|this time|just this once|only this once|in this step|in this commit|for this (?:commit|file|function|change|pr|test|step|one)|for today|before i (?:am|'m) back)\b/,
  },
  {
    id: 'X5',
    verdict: 'once',
    when: /^(?:please )?(?:don't|do not|skip|ignore|leave)\b.*\b(?:yet|today|anything else|in this file|in this function)\b/,
  },
  {
    id: 'X6',
    verdict: 'hedged',
    when: /^(?:maybe|perhaps|possibly|i wonder|i guess|i suppose|not sure|no idea|if (?:we|you|i) (?:used|had|could|were|did))\b|\b(?:might|could) (?:be|want|also|always|never)\b|\bi(?:'m| am) not sure\b/,
  },
  {
    id: 'X7',
    verdict: 'debugging',
    when: /^(?:fixed|solved|resolved|found (?:it|the)|turns out|turned out|works after|never mind)\b|^(?:the )?(?:bug|problem|issue|crash|cause|culprit|error) (?:was|is gone|came from|went away)\b|^it (?:turned out|was my)\b|^we found\b|^the \w+ (?:failed|crashed|broke) because\b|\b(?:fixed|works|solved) now\b|\bsolved (?:it|the)\b|\bhelped$/,
  },
  {
    id: 'X8',
    verdict: 'passing',
    when: /^(?:i(?:'ll| will) (?:be|go|check|look|come|try|do)|i(?:'m| am) (?:going|looking|on the|in the|back|done|about|trying|just|waiting|still|getting|seeing|currently)|i (?:just|tried|pushed|restarted|have opened|have pushed|opened|see|don't see|ran|got|think|saw|noticed)|wait\b|let me\b|hold on|one moment|hang on|my (?:laptop|machine|phone) (?:is|was)|it still|it (?:works|doesn't|does not)|we(?:'re| are) (?:almost|nearly|done|back|seeing|getting|reviewing|looking|working on|ready|here)|we (?:had|have|got) (?:an?|the) (?:\w+ ){0,2}(?:bug|problem|issue|error|crash|failure))/,
    unless:
      /^i(?:'m| am) on (?:a|the) (?:\w+ )?(?:team|connection)\b|^i think (?:we|you) should (?:always|never)|\b(?:every time|each time|always)\b/,
  },
  {
    id: 'X9',
    verdict: 'passing',
    when: /^i like (?:it|that|this|the \w+ (?:option|one|version|approach|idea))\b|^the (?:build|ci|test|tests|pipeline) (?:is|are) (?:green|red|passing|failing)\b/,
  },
  {
    id: 'X10',
    verdict: 'derivable',
    when: /^(?:the|this|that) (?:last )?(?:function|method|class|constant|variable|import|component|file|commit|module|interface|type|hook|prop|argument|test in)\b.*\b(?:returns?|has|have|takes?|calls?|exports?|imports?|is|are|covers?|changed|contains?|extends)\b/,
    unless: /\b(?:owned|because|deadline|customer|never be|must|frozen|should)\b/,
  },
  {
    id: 'X12',
    verdict: 'derivable',
    when: /^/,
    written:
      /`[^`]{1,80}`|\b\w{1,40}\(\)|\b[a-z]{1,30}[A-Z]\w*[a-z]\b|\b[a-z]{1,30}_[a-z_]{1,60}\b|\b\w{1,60}\.(?:ts|tsx|js|go|py|rs|java|rb)\b/,
    unless:
      /\b(?:always|never|we|i|you|don't|do not|please|customers?|prefer|avoid|convention)\b|^(?:use|no|not|actually)\b/,
  },
  {
    id: 'X11',
    verdict: 'derivable',
    when: /^there (?:is|are) (?:a |an |some )?(?:todo|function|class|method|import|file|test|typo)\b|\b(?:in|at|on) line \d/,
  },
];

/** What is kept, and as what (AUT-2); the first rule that fits counts. Each rule is described in docs/memory-rules.md. */
export const KEEPING: readonly SentenceRule<MemoryType>[] = [
  {
    id: 'R1',
    verdict: 'reference',
    when: /\b(?:linear|jira|figma|confluence|notion|grafana|kibana|datadog|sentry|pagerduty|slack|zendesk|1password|bitwarden|argocd|buildkite|crowdin|storybook|sharepoint|miro|launchdarkly|google (?:docs?|drive|sheet)|wiki|shared drive|spreadsheet|bucket|drive)\b|\b(?:is|are|lives?|published|found|documented|moved|with)\b.*(?: at | on | under | in |: )(?:https?:\/\/\S+|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|io|net|dev|internal)\b)/,
    unless:
      /^(?:fix|add|open|update|create|write|implement|read|fetch|look at|find|log|file|post|send|move|copy|replace|investigate|always|never|don't|do not|we|let's|in this|this is|i)\b/,
  },
  {
    id: 'R2',
    verdict: 'reference',
    when: /^(?:see|look|check|ask) (?:in|the|at)\b.*#\w+|^ask in\b|#\w+ (?:channel|on slack)/,
  },
  {
    id: 'R3',
    verdict: 'reference',
    when: /\b(?:is|are|was|were|lives?|(?:recorded|kept|stored|tracked|documented|published|written up|described|found|managed|archived|posted)) (?:in|on|at|under|through) (?:the |our |an? )?(?:[\w-]+ ){0,3}(?:repo|repository|handbook|folder|board|page|docs?|issues|tracker|portal|channel|calendar|vault)\b/,
    unless: /^(?:we|i|please|you)\b/,
  },
  {
    id: 'R4',
    verdict: 'reference',
    when: /^(?:the|all|our|you|bugs?|bug reports?|tickets|logs|docs|designs?|specs?|metrics|results)\b.*\b(?:documented|tracked|recorded|published|managed|kept|found|archived|filed|reported|come in|live|lives)\b/,
    written: /\b(?:in|on|at|under|through) (?:the )?[A-Z][\w-]+/,
  },
  {
    id: 'F1',
    verdict: 'feedback',
    when: /\b(?:from (?:now|here) on|going forward|in (?:the )?future|next time|every time|each time|as a (?:general )?rule|in general|whatever you do|when in doubt)\b/,
    unless: /\b(?:could|let's say)\b/,
  },
  {
    id: 'F2',
    verdict: 'feedback',
    when: /^(?:you (?:should|must) |but )?(?:always|never|don't ever|do not ever|remember to|remember that|make sure (?:to|you) always)\b|^(?:when|whenever|before|after|if)\b[^,]*, (?:always|never|don't|do not|stop|ask|run|use|tell|write|name|say|let me)\b|^whenever (?:you|a|an|something|the)\b/,
    unless: /\bwe (?:always|never)\b|\bthe user (?:clicks|presses|selects)\b/,
  },
  {
    id: 'F3',
    verdict: 'feedback',
    when: /^(?:don't|do not|stop|avoid|prefer|refrain from)\b/,
    unless:
      /^(?:stop|don't|do not) (?:worry|here|now|it|that|the|forget|bother|hesitate|know|see|think)\b|\b(?:here|there)\b/,
  },
  {
    id: 'F4',
    verdict: 'feedback',
    when: /^(?:no|nope|actually|again|wrong|that's wrong|that is wrong|not like that)[,:.!]? (?:we |the |you |it |this |that )?(?:don't|do not|use|no|not|never|always|should|must|belongs?|is|are|want|it's)\b|^that(?:'s| is) (?:wrong|not how we)\b/,
    unless:
      /^(?:no|actually)[,:.]? (?:problem|worries|idea|need|thanks|i|it (?:works|is fine)|that(?:'s| is) (?:fine|ok|good))\b|\bhere\b/,
  },
  {
    id: 'F5',
    verdict: 'feedback',
    when: /^(?:use|write|keep|name|put|add|format|run|sort|indent|call|treat|refer to|leave|be)\b.*(?:,? (?:and )?not |, always\b|, please$|\b(?:in|for|to) (?:all|every|each)\b|\beverywhere\b|\bin this (?:project|repo|repository|code ?base|code base)\b|\bunder \w+ (?:lines|characters)\b|\bwhenever\b|\bas (?:\w+ as possible|errors|tenants|[a-z]+s)$)/,
    unless: /\b(?:here|there|in this (?:function|file|test|prototype)|once|existing)\b(?!.*\balways\b)/,
  },
  {
    id: 'F6',
    verdict: 'feedback',
    when: /^(?:for|in) (?:all|every|each|any|new)\b.*\b(?:use|write|add|prefer|keep|avoid|put)\b|^(?:every|each|all|any|tests|errors|log messages|commits|functions|comments|commit messages|branch(?:es| names)|names|types|type hints)\b.*\b(?:needs?|gets?|(?:must|should) (?:be|have|not|never|always|carry|contain)|has to|have to|may never|may not|follow|start with)\b|\b(?:is|are) (?:mandatory|forbidden|not allowed|not optional|a must|off limits|taboo)\b|^(?:one|no|two) [\w -]+ (?:per|in) [\w ]+$/,
    unless: /\b(?:here|there|button|page|modal)\b|^no (?:idea|problem|change|difference|error)/,
  },
  {
    id: 'F7',
    verdict: 'feedback',
    when: /\byou (?:keep|always|never|should never|should always|must never|must always|must ask|must not|should not|shouldn't|should ask|should verify|forgot)\b|\bi (?:told|asked) you (?:not )?to\b|\bi(?:'d| would)? (?:don't|prefer|rather)(?: want| need| like)? you\b|\bi want (?:you to|all|every)\b.*\b(?:before you|first|always|never|every|all)\b|\b(?:annoys|bothers) me\b/,
  },
  {
    id: 'F8',
    verdict: 'feedback',
    when: /\bkeep doing\b|\bright call\b|\b(?:that|this) way again\b|\bit's not called\b|\bis not called\b|\bour convention\b|\bstick to (?:that|it|this)\b/,
    unless: /\bour (?:\w+ )?convention for\b/,
  },
  {
    id: 'U1',
    verdict: 'user',
    when: /^i(?:'m| am) (?:an?|the|not an?|new|more|responsible|colou?r ?blind|dyslexic|fluent|familiar|learning|used to|on (?:a|the) \w+ ?\w* (?:team|connection)|based|left-handed)\b|^as an? [\w ]+?,? i\b|^being (?:an?|the) \w+.*\bi\b/,
    unless: /\b(?:moment|bit|little) (?:confused|lost|late)\b/,
  },
  {
    id: 'U2',
    verdict: 'user',
    when: /^i (?:really |much |strongly |usually |mostly |generally |always |never |would |only |tend to |do most of )*(?:prefer|hate|love|dislike|can't stand|cannot stand|rather|care|learn|work|use|review|live|speak|maintain|own|run|come from|manage|teach|study|tend|enjoy|don't (?:know|enjoy|like|read|use|speak|care)|do not (?:know|enjoy|like|read|use)|find (?:\w+ ){1,4}(?:tiring|hard|easy|confusing|useful)|have (?:little|no|some|years|a lot of|\w+ years))\b|^i'd rather\b|^i like \w+ (?:\w+ )?(?:better|more)\b|^i've (?:been (?:writing|using|working)|got|never|only ever|worked|used)\b|^i (?:usually|mostly|generally|always|never|tend to) \w+|^for me\b/,
    unless:
      /\b(?:want|need) (?:you|to)\b|^i (?:would|don't know) (?:why|what|how|if|whether|like to see)\b|^i (?:run|use|have) (?:it|this|that|the|two|a different)\b|^i've got (?:a|the|an) (?:error|problem|question)/,
  },
  {
    id: 'U3',
    verdict: 'user',
    when: /^my (?:role|background|(?:day )?job|editor|shell|team|native language|first language|time ?zone|name|experience|keyboard|setup|operating system|os)\b.*\b(?:is|are|lies)\b|\b(?:not my (?:thing|strong suit)|my first language|foreign to me|new to me)\b/,
  },
  {
    id: 'P1',
    verdict: 'project',
    when: /^(?:we|our team|the team|the company|the client|the customer|marketing|legal|gdpr|nobody|the audit|the \w+ team)(?:'re|'ve|'ll)? (?!need|should|could|can\b(?!')|want |found|got|get\b|see|tried|just|might|may\b)[a-z']+/,
    unless:
      /\bwe (?:need|should|can|could|have) to\b|\bwe(?:'re| are) (?:now )?(?:almost|nearly|done|ready|good|here|there)\b|^we (?:have|are) (?:an?) (?:bug|problem|issue|error|crash)\b|\b(?:here|there|now)\b/,
  },
  {
    id: 'P2',
    verdict: 'project',
    when: /^our [\w -]+? (?:is|are|was|runs?|uses?|has|have|allows?|still|must|goes|gets?|lives?|needs?|follows?)\b/,
    unless: /^our (?:next|first|last) (?:step|task|goal)\b/,
  },
  {
    id: 'P3',
    verdict: 'project',
    when: /^(?=.*\b(?:is|are|was|were|has|have|will|owns|goes?|requires|forbids|allows|pins|takes|follows|used to be)\b).*\b(?:deadline|scheduled|owned by|owns|frozen|freeze|historical reasons|compliance|contract|budget|sla|nightly|shared (?:with|between)|on leave|switched off|goes? away|compatible with|fork of|pins|anonymised|release manager|trunk-based|maintained by|used by|done by an?|(?:is|was|are) agreed|has agreed|requires that|used to be|on purpose|out of scope|from the scope|are shared)\b/,
    unless: /^(?:i|you|please|let|add|fix|make|use|check|can|is)\b|\bshould (?:be|close|show)\b/,
  },
  {
    id: 'P4',
    verdict: 'project',
    when: /^(?!i\b|i'|you|please|let|add|fix|make|use|check|run|skip|it\b)[a-z].*\b(?:tomorrow|yesterday|(?:next|last) (?:week|month|quarter|year|sunday|monday|tuesday|wednesday|thursday|friday|saturday)|in (?:two|three|four|a few|\d+) (?:days|weeks|months)|by the \d+|end of (?:the|this) (?:week|month|quarter|year)|every (?:night|day|week|month|sunday|monday|tuesday|wednesday|thursday|friday)|until (?:the|monday|tuesday|wednesday|thursday|friday|next)|from (?:monday|tuesday|wednesday|thursday|friday) on|on (?:mon|tues|wednes|thurs|fri)days?)\b/,
  },
  {
    id: 'P5',
    verdict: 'project',
    when: /^(?:the )?(?:project|repository|repo|prod|production|staging|service|monorepo|releases|nightly job|database|prod database|api|app|mobile app|deadline|release|licence|license|main branch|payment)\b.*\b(?:is|are|has|have|uses?|follows?|runs? on|takes|needs|goes|comes?|cut|will|wants?|must|pins)\b|^this (?:repository|repo|project|app|service)\b.*\b(?:is|has|must|was|used|runs)\b/,
    unless:
      /\b(?:should|must) (?:be|show|close|have)\b|\b(?:not work|null|undefined|error|fails?|broken|crash\w*|returns?)\b|\b(?:here|there|now)\b/,
  },
  {
    id: 'P6',
    verdict: 'project',
    when: /^(?:for historical reasons|the reason (?:why )?(?:we|for|is))\b|^(?:the|this|that|only|everything|all)\b.*\bbecause\b.*\b(?:customers?|partners?|legal|team|vendor|users?|the \w+ (?:have|has) no|contract|law|compliance|last year|migrated)\b|^the \w+ was renamed\b/,
  },
  { id: 'P7', verdict: 'project', when: /^only (?:the )?[\w ]+ (?:may|are allowed|is allowed|can)\b/ },
];
