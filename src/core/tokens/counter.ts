import { createRegistry } from '../base/registry.js';
import { CHARS_PER_TOKEN } from '../model/block.js';
import { countGuarded } from './bpe-guard.js';
import { estimateText } from './heuristic.js';

/** Counts the tokens of a text (TOK-10). */
export interface TextCounter {
  readonly name: CounterName;
  count(text: string): number;
}

/** Names of the counters a scenario may ask for. */
export const COUNTER_NAMES = ['heuristic', 'gpt-tokenizer', 'js-tiktoken', 'recorded'] as const;

/** Name of a counter. */
export type CounterName = (typeof COUNTER_NAMES)[number];

/** Chunk for the fast tokenizer: whole multiples of the longest repeated-character tokens. */
const FAST_CHUNK_BYTES = 512;
/** Chunk for the oracle, which merges byte pairs with far more work per pair. */
const ORACLE_CHUNK_BYTES = 128;

type CountText = TextCounter['count'];

const LOADERS: Readonly<Record<CounterName, () => Promise<CountText>>> = {
  /** Characters over four, as clients guess (TOK-1). */
  heuristic: async () => (text) => estimateText(text.length),
  /** o200k by the fast library; special tokens count as the text they are. */
  async 'gpt-tokenizer'() {
    const { countO200k } = await import('./count-o200k.js');
    return (text) => countGuarded(text, countO200k, FAST_CHUNK_BYTES);
  },
  /** o200k by the reference port: the oracle for the fast one. */
  async 'js-tiktoken'() {
    const { Tiktoken } = await import('js-tiktoken/lite');
    const { default: ranks } = await import('js-tiktoken/ranks/o200k_base');
    const encoding = new Tiktoken(ranks);
    const count: CountText = (part) => encoding.encode(part, [], []).length;
    return (text) => countGuarded(text, count, ORACLE_CHUNK_BYTES);
  },
  /** Median characters per token of recorded sessions (E6): a first size, to be fitted to the recorded usage. */
  recorded: async () => (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
};

const COUNTERS = createRegistry(
  'token counter',
  COUNTER_NAMES.map((name) => [
    name,
    async (): Promise<TextCounter> => ({ name, count: await LOADERS[name]() }),
  ]),
);

/** Loads a counter with the library behind it; an unknown name is an error that lists the known ones. */
export async function loadCounter(name: string): Promise<TextCounter> {
  return COUNTERS.get(name)();
}
