import { wordList } from '../../core/base/format.js';
import {
  type AmountText,
  type AskPart,
  COUNTED,
  type Comparison,
  type CountPart,
  type GroupPart,
  type KeepPart,
  type PolicyRules,
  type RulePart,
  type SelectPart,
  type TestPart,
} from '../../core/run/policy-rules.js';
import type { ModelLimits } from '../layers/thresholds/thresholds.js';
import { sizesOf, triggerOf } from './check-rules.js';
import { hasJitter, MIDDLE, mentions, parseAmount, type Sizes } from './expression.js';

/** Windows that a policy is explained at. */
const WINDOWS = [
  ['128K', 128_000],
  ['200K', 200_000],
  ['1M', 1_000_000],
] as const;

const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `115,200 of 128K, 180,000 of 200K and 900,000 of 1M`; a single number where all are the same. */
function atWindows(work: (window: number) => number): string {
  const values = WINDOWS.map(([, window]) => work(window));
  if (values.every((value) => value === values[0])) return count(values[0]!);
  return wordList(
    WINDOWS.map(([name], i) => `${count(values[i]!)} of ${name}`),
    'and',
  );
}

/** A policy to describe, with the longest answer that its amounts are computed with. */
class Description {
  /** Whether an amount so far goes by the longest answer. */
  goesByOutput = false;

  constructor(
    readonly policy: PolicyRules,
    private readonly maxOutput: ModelLimits['maxOutput'],
  ) {}

  sizesAt(window: number): Sizes {
    return sizesOf(this.policy, { window, maxOutput: this.maxOutput });
  }

  amount(amount: AmountText): string {
    this.goesByOutput ||= mentions(amount, 'O') || (mentions(amount, 'B') && mentions(this.policy.base, 'O'));
    const shown = atWindows((window) => parseAmount(amount)(this.sizesAt(window), MIDDLE));
    return hasJitter(amount) ? `about ${shown}` : shown;
  }
}

const SIGNS: Readonly<Record<Comparison['op'], string>> = {
  '>=': 'at least',
  '>': 'more than',
  '<=': 'at most',
  '<': 'less than',
};

function time(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms % 60_000 === 0) return `${ms / 60_000} min`;
  return `${ms / 1_000} s`;
}

const EVENTS: Readonly<Record<string, string>> = {
  refused: 'the API refuses the request as too long',
  manual: 'the user asks for it',
  'model-switch': 'the model was switched',
  resume: 'a session was resumed',
  'prefix-change': 'tools or system prompt changed',
};

function testWords(description: Description, test: TestPart): string {
  switch (test.kind) {
    case 'tokens':
      return `the context has ${SIGNS[test.is.op]} ${description.amount(test.is.amount)} tokens`;
    case 'growth':
      return `it has grown by ${SIGNS[test.is.op]} ${description.amount(test.is.amount)} tokens since the rule last acted`;
    case 'piled':
      return `${SIGNS[test.is.op]} ${description.amount(test.is.amount)} tokens of tool results accumulated after what is kept`;
    case 'prunable':
      return `${SIGNS[test.is.op]} ${description.amount(test.is.amount)} ${test.unit === 'chars' ? 'characters' : 'tokens'} would be freed`;
    case 'idle':
      return `idle for ${SIGNS[test.is.op]} ${time(test.is.ms)}`;
    case 'expiresIn':
      return `the cache entry has ${SIGNS[test.is.op]} ${time(test.is.ms)} left`;
    case 'warm':
      return test.is ? 'the cache entry is alive' : 'the cache entry is gone';
    case 'event':
      return EVENTS[test.is]!;
    case 'chance':
      return `by chance (${test.is * 100} % of the time)`;
    default:
      return `there are ${SIGNS[test.is.op]} ${description.amount(test.is.amount)} ${COUNTED[test.kind].words}`;
  }
}

const POINT_WORDS: Readonly<Record<string, string>> = {
  'before-request': 'before each request',
  prompt: 'before the first request of each prompt',
  results: 'when tool results come in',
  'after-response': 'after each response',
  'end-of-loop': 'after an answer that ends a prompt',
};

function groupWords(description: Description, { at, tests }: GroupPart): string {
  const where = at.flatMap((point) => POINT_WORDS[point] ?? []).join(' and ');
  const what = tests.map((test) => testWords(description, test)).join(', and ');
  if (what === '') return where;
  return where === '' ? `when ${what}` : `${where}, when ${what}`;
}

const WHAT: Readonly<Record<string, string>> = {
  'tool-results': 'tool results',
  'tool-inputs': 'inputs of tool calls',
  thinking: 'thinking',
  media: 'images and documents',
  pairs: 'tool calls and their results',
};

function keepWords(description: Description, keep: KeepPart, items: string): string[] {
  const words: string[] = [];
  if (keep.first === 'opening') words.push('what was said before the first response');
  else if (keep.first > 0) words.push(`the first ${keep.first} ${items}`);
  if (keep.last !== null && keep.last.n > 0) {
    const unit = keep.last.unit === 'items' ? items : keep.last.unit;
    const one = unit === items ? `of the ${items}` : unit.slice(0, -1);
    words.push(`the latest ${keep.last.n === 1 ? one : `${keep.last.n} ${unit}`}`);
  }
  if (keep.tokens !== null) words.push(`the newest ${description.amount(keep.tokens)} tokens`);
  if (keep.share !== null)
    words.push(
      `the newest ${keep.share.is > 1 ? count(keep.share.is) : `${keep.share.is * 100} % of the`} ${keep.share.of === 'chars' ? 'characters' : 'tokens'}`,
    );
  if (keep.user !== null) words.push(`messages of the user up to ${count(keep.user.tokens)} tokens`);
  if (keep.recentFiles !== null) words.push(`the ${keep.recentFiles.n} files that were worked on last`);
  if (keep.finalAnswers) words.push('what follows the latest final answer');
  if (keep.errors) words.push('errors');
  return words;
}

const SHAPES: Readonly<Record<AskPart['shapes'][number], string>> = {
  extend: 'the main request followed by the instruction, which reads the cache',
  fork: 'a copy of the main request with its own output limit, which reads the cache',
  own: 'a request with its own system prompt, which pays the full price',
  text: 'the history as one text, which pays the full price',
  native: 'the provider itself, over the cached request',
};

function askWords(ask: AskPart): string {
  const shapes = ask.shapes.map((shape) => SHAPES[shape]).join('; failing that ');
  const model = ask.model === null ? '' : ` on ${ask.model}`;
  const output = ask.output === null ? '' : ` with at most ${count(ask.output)} tokens of answer`;
  const run = ask.run.kind === 'background' ? ' while the work continues' : '';
  const calls = {
    one: '',
    verify: ', and a second call that checks it',
    'split-turn': ', the current turn separately',
    'per-pair': ', a call for each',
    chunks: ', piece by piece',
  } as const;
  return `asks for a summary${run}${model}${output}: ${shapes}${calls[ask.calls.kind]}`;
}

/** Which of the items a rule is about: those that are kept are counted among them. */
function choiceWords({ of, except, minChars, exceptMedia, count: atATime }: SelectPart): string {
  const words: string[] = [];
  if (of !== null) words.push(`of ${of.join(', ')}`);
  if (except.length > 0) words.push(`not of ${except.join(', ')}`);
  if (minChars > 0) words.push(`of ${count(minChars)} characters or more`);
  if (exceptMedia) words.push('without images or documents');
  if (atATime !== null) words.push(`${atATime} at a time`);
  return words.length === 0 ? '' : ` ${words.join(', ')}`;
}

function actionWords(description: Description, rule: RulePart): string {
  const { replace, select, ask } = rule;
  if (replace === null) {
    const kept = keepWords(description, select.keep, 'messages');
    const images = rule.layout.find((piece) => piece.kind === 'images');
    if (images?.kind === 'images') kept.push(`the newest ${images.n} images`);
    const rest = kept.length === 0 ? 'nothing stays verbatim' : `what stays: ${kept.join(', ')}`;
    return ask === null ? `drops the oldest of the conversation; ${rest}` : `${askWords(ask)}; ${rest}`;
  }
  const items = `${WHAT[select.what] ?? select.what}${choiceWords(select)}`;
  const kept = keepWords(description, select.keep, items);
  const but = kept.length === 0 ? '' : ` but ${kept.join(', ')}`;
  const place = {
    placeholder: ` with a placeholder of ${replace.tokens} tokens`,
    preview: ` with the first ${count(replace.head)} and last ${count(replace.tail)} characters`,
    reference: ' with a reference to a file',
    nothing: '',
    summary: ' with a summary',
  }[replace.with];
  const lasts = replace.lasts === 'each-request' ? ', again for each request' : '';
  const where =
    replace.where === 'server'
      ? ' on the server'
      : replace.where === 'at-end'
        ? ' in a message at the end'
        : '';
  const { all, end } = untilWords(description, rule);
  const act = replace.with === 'nothing' ? 'removes' : 'replaces';
  return `${act} ${all}${items}${but}${place}${where}${lasts}${end}`;
}

/** How far a rule goes: whether all go, and behind it what ends it, or what it waits for. */
function untilWords(
  description: Description,
  { until, select: { order } }: RulePart,
): { readonly all: string; readonly end: string } {
  if (until === null) return { all: 'all ', end: '' };
  if (until.kind === 'every')
    return { all: 'all ', end: until.n === 1 ? '' : `, ${until.n} together, once that many are due` };
  const bound = `${SIGNS[until.is.op]} ${description.amount(until.is.amount)}`;
  const end = {
    tokens: `the context has ${bound} tokens`,
    chars: `the tool results have ${bound} characters`,
    freed: `${bound} tokens are freed`,
  }[until.kind];
  const first = order === 'farthest-use' ? 'what is needed last or never' : `the ${order}`;
  return { all: '', end: `, ${first} first, until ${end}` };
}

const SOURCES: Readonly<Record<CountPart['source'], string>> = {
  usage: 'the latest usage',
  'usage+new': 'the latest usage and an estimate of what is newer',
  estimate: 'an estimate',
  max: 'the larger of usage and estimate',
  tokenizer: 'a tokenizer',
};

function ruleSentence(description: Description, rule: RulePart): string {
  const when =
    rule.when.length === 0
      ? 'only when another rule falls back on it'
      : rule.when.map((group) => groupWords(description, group)).join('; or ');
  const failing = {
    'go-on': '',
    stop: '; without a summary the work stops',
    rule: '',
    truncate: '; without a summary the oldest rounds are dropped',
  }[rule.fail.else.kind];
  const back =
    rule.fail.else.kind === 'rule' ? `; without a summary it falls back on ${rule.fail.else.name}` : failing;
  const counts = rule.count === undefined ? '' : ` (counted by ${SOURCES[rule.count.source]})`;
  return `${rule.name}: ${when}${counts}: ${actionWords(description, rule)}${back}.`;
}

function sentencesOf(description: Description): readonly string[] {
  const { rules, guards, cache } = description.policy;
  const sentences = rules.map((rule) => ruleSentence(description, rule));
  if (guards.breaker !== null) {
    const { after, until } = guards.breaker;
    const end =
      typeof until === 'object'
        ? `for ${time(until.ms)}`
        : {
            success: 'until one succeeds',
            session: 'to the end of the session',
            prompt: 'until the next prompt',
          }[until];
    const whose = guards.breaker.scope === 'rule' ? ' of one rule' : '';
    const its = guards.breaker.scope === 'rule' ? ' by it' : '';
    sentences.push(
      `After ${after} failed ${after === 1 ? 'summary' : 'summaries'}${whose} in a row no more are requested${its}, ${end}.`,
    );
  }
  if (guards.perTurn !== null)
    sentences.push(
      `At most ${guards.perTurn} ${guards.perTurn === 1 ? 'summary is' : 'summaries are'} requested per turn.`,
    );
  if (guards.cooldownMs.length > 0)
    sentences.push(`After failures it pauses: ${guards.cooldownMs.map(time).join(', ')}.`);
  if (guards.spend !== null)
    sentences.push(
      `At most ${guards.spend.calls} calls in ${time(guards.spend.perMs)}, then a pause of ${time(guards.spend.restMs)}.`,
    );
  if (guards.floor !== null)
    sentences.push(`Below ${description.amount(guards.floor)} tokens the history is not replaced.`);
  if (guards.block !== null)
    sentences.push(`From ${description.amount(guards.block)} tokens on new input is refused.`);
  if (guards.refills !== null)
    sentences.push(
      `The run ends after ${guards.refills.max} compactions that filled up again within ${guards.refills.within} turns.`,
    );
  if (cache.keepAlive !== null)
    sentences.push(
      `During pauses a short request keeps the cache entry alive every ${time(cache.keepAlive.everyMs)}, at most ${cache.keepAlive.times} times.`,
    );
  if (cache.key === 'session') sentences.push('Sessions share no cache entries.');
  if (cache.warmBefore !== undefined)
    sentences.push(
      'If the cache entry is gone, a short request rewrites it before a summary request reads it.',
    );
  if (
    !rules.some((rule) => WINDOWS.some(([, window]) => triggerOf(rule, description.sizesAt(window)) !== null))
  )
    sentences.push('No rule depends on the context size alone.');
  return sentences;
}

/** The longest answer that a policy is described with, and whose it is, such as `that of claude-sonnet-4-5`. */
export interface KnownOutput {
  readonly maxOutput: number;
  readonly whose: string;
}

/** What a policy will do, in plain sentences with the token counts on usual windows; the last one says for which longest answer. */
export function policySentences(policy: PolicyRules, { maxOutput, whose }: KnownOutput): readonly string[] {
  const description = new Description(policy, maxOutput);
  const sentences = sentencesOf(description);
  return description.goesByOutput
    ? [
        ...sentences,
        `Counted with a longest answer of ${count(maxOutput)} tokens, ${whose}: another one changes the counts.`,
      ]
    : sentences;
}

/** Whether the counts in the sentences on a policy go by the longest answer. */
export function goesByOutput(policy: PolicyRules): boolean {
  const description = new Description(policy, null);
  sentencesOf(description);
  return description.goesByOutput;
}
