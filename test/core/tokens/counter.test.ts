import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { COUNTER_NAMES, loadCounter, type TextCounter } from '../../../src/core/tokens/counter.js';

const asText = { disallowedSpecial: new Set<string>() };
const unguarded = (text: string): number => countTokens(text, asText);

interface Sample {
  readonly name: string;
  readonly text: string;
}

let fast: TextCounter;
let oracle: TextCounter;

beforeAll(async () => {
  fast = await loadCounter('gpt-tokenizer');
  oracle = await loadCounter('js-tiktoken');
});

/** Repeats a pattern of characters without a fixed period, up to a length. */
function scramble(alphabet: string, chars: number): string {
  const units = [...alphabet];
  let state = 12_345;
  let made = '';
  while (made.length < chars) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    made += units[Math.floor((state / 2 ** 32) * units.length)]!;
  }
  return made;
}

const CJK = '数据结构与算法分析语言程序设计原理操作系统网络通信内存管理';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const BASE64 = `${LETTERS}${LETTERS.toUpperCase()}0123456789+/`;

const ordinary: readonly Sample[] = [
  { name: 'nothing', text: '' },
  {
    name: 'prose',
    text: 'The quick brown fox can’t jump over the lazy dog, and it’s fine with that. '.repeat(12),
  },
  {
    name: 'code',
    text: 'export function add(a: number, b: number): number {\n  return a + b; // sum\n}\n\n'.repeat(10),
  },
  {
    name: 'json',
    text: JSON.stringify(
      Array.from({ length: 30 }, (_, id) => ({ id, name: `item ${id}`, tags: ['x', null, 1.5] })),
    ),
  },
  { name: 'indented', text: '\t\tif (x) {\r\n\t\t\treturn;\r\n\t\t}\r\n\r\n'.repeat(20) },
  { name: 'punctuated Chinese', text: '他说，今天的天气很好。我们去公园吧！好的，几点？'.repeat(15) },
  { name: 'accents', text: 'Ça déjà vu: naïve façade, Größe, señor, Ærøskøbing. '.repeat(10) },
  { name: 'emoji', text: '👍🏽 done 👩‍👩‍👧‍👦 family 🇩🇪 flag '.repeat(10) },
  { name: 'digits', text: '3141592653589793238462643383279502884197 '.repeat(15) },
  { name: 'base64', text: scramble(BASE64, 1_500) },
  { name: 'camel case', text: 'getUserNameByIdOrThrowIfMissing'.repeat(20) },
  { name: 'separators', text: `${'-'.repeat(300)}\n${'='.repeat(300)}\n${' '.repeat(300)}x` },
];

const longRuns: readonly Sample[] = [
  { name: 'one letter', text: 'a'.repeat(4_000) },
  { name: 'spaces', text: ' '.repeat(4_000) },
  { name: 'newlines', text: '\n'.repeat(4_000) },
  { name: 'letters', text: scramble(LETTERS, 4_000) },
  { name: 'base64', text: scramble(BASE64, 4_000) },
  { name: 'Chinese without punctuation', text: scramble(CJK, 2_000) },
  { name: 'emoji', text: scramble('😀🚀👍🔥🎉', 4_000) },
  { name: 'punctuation', text: scramble('!@#$%^&*()-=+<>', 4_000) },
  { name: 'slashes and newlines', text: '/\n'.repeat(2_000) },
  { name: 'a run inside prose', text: `Before it. ${'z'.repeat(3_000)} After it, some more words.` },
];

describe('BPE counters', () => {
  it.each(ordinary)('TOK-10 the fast tokenizer agrees with the oracle: $name', ({ text }) => {
    expect(text.length).toBeLessThanOrEqual(2_048);
    expect(fast.count(text)).toBe(oracle.count(text));
  });

  it.each(ordinary)('TOK-10 the guard leaves ordinary text alone: $name', ({ text }) => {
    expect(fast.count(text.repeat(4))).toBe(unguarded(text.repeat(4)));
  });

  it.each(longRuns)('TOK-10 cutting long runs moves the count by at most 0.5 percent: $name', ({ text }) => {
    const exact = unguarded(text);
    expect(Math.abs(fast.count(text) - exact)).toBeLessThanOrEqual(exact * 0.005);
    expect(Math.abs(oracle.count(text) - exact)).toBeLessThanOrEqual(exact * 0.005);
  });

  it.each(['<|endoftext|>', 'a <|endofprompt|> b', '<|endoftext|><|endoftext|>'])(
    'TOK-10 counts a special token as the text it is: %s',
    (text) => {
      expect(fast.count(text)).toBe(oracle.count(text));
      expect(fast.count(text)).toBeGreaterThan(3);
    },
  );

  it('TOK-10 counts a lone half of a surrogate pair without throwing', () => {
    expect(fast.count('\ud83d')).toBeGreaterThan(0);
    expect(fast.count(`${'\udc00'.repeat(2_000)}\ud83d`)).toBeGreaterThan(0);
  });
});

describe('loadCounter', () => {
  it('TOK-10 loads every listed counter under its own name', async () => {
    for (const name of COUNTER_NAMES) {
      const counter = await loadCounter(name);
      expect(counter.count('')).toBe(0);
    }
  });

  it('TOK-10 heuristic counts chars / 4, recorded the median of recorded sessions', async () => {
    expect((await loadCounter('heuristic')).count('x'.repeat(1_100))).toBe(275);
    expect((await loadCounter('recorded')).count('x'.repeat(1_100))).toBe(400);
  });

  it('names the known counters when asked for another', async () => {
    await expect(loadCounter('gpt-tokeniser')).rejects.toMatchObject({
      code: 'unknown-name',
      hint: expect.stringContaining('did you mean "gpt-tokenizer"?'),
    });
  });
});
