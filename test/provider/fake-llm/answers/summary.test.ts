import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SUMMARY_SECTIONS, UP_TO_SECTIONS } from '../../../../src/agent/layers/rules/prompt.js';
import { createRandom } from '../../../../src/core/base/random.js';
import {
  collapseBlankLines,
  formatSummary,
  formattedChars,
} from '../../../../src/core/model/format-summary.js';
import type { Message } from '../../../../src/core/model/message.js';
import { lazyText } from '../../../../src/core/model/text.js';
import type { AnswerSpec } from '../../../../src/core/run/action.js';
import type { FakeLlmPlan } from '../../../../src/core/run/run-plan.js';
import { composeAnswer } from '../../../../src/provider/fake-llm/answers/compose-answer.js';
import { exactText } from '../../../../src/provider/fake-llm/answers/facts.js';
import { SUMMARY_TITLES } from '../../../../src/provider/fake-llm/answers/summary.js';
import { userText } from '../../../helpers/blocks.js';
import { forAll } from '../../../helpers/for-all.js';
import { around, fault, INSTRUCTION, plan, questionOf, said, toolRound } from '../build.js';

const FULL: AnswerSpec = { kind: 'summary', style: 'full', quoteTokens: 2_000 };
const UP_TO: AnswerSpec = { kind: 'summary', style: 'partial-up-to', quoteTokens: 2_000 };

function summarise(messages: readonly Message[], given: Partial<FakeLlmPlan> = {}, spec = FULL, seed = 1) {
  return composeAnswer(spec, questionOf(messages, INSTRUCTION), plan(given), createRandom(seed), null);
}

/** Titles in the order in which a text names them as headings, which are numbered from 1. */
function headings(text: string): string[] {
  const found = [...text.matchAll(/^(\d)\. (.+):$/gm)];
  expect(found.map(([, number]) => Number(number))).toEqual(found.map((_, i) => i + 1));
  return found.map((match) => match[2]!);
}

const SESSION = [
  said('human', 'Make the parser faster.\n\nKeep the tests green.'),
  said('model', 'I will look at the parser first.'),
  ...toolRound(1, 'Read', 'src/parser.ts', 'export function parse() {}'),
  ...toolRound(2, 'Bash', 'test/parser.test.ts', 'Error: expected 3, got 4', true),
  said('human', 'Use a table instead of the switch.'),
  said('model', 'The table is in place.'),
];

const anyText = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '\n\n\n\na\n\n\n',
    '</summary>',
    '<analysis>x</analysis>',
    '# Title\n```\n',
    '9. Optional next step:',
    '😀',
  ),
);
const anyMessage = fc.oneof(
  anyText.map((text) => said('human', text)),
  anyText.map((text) => said('model', text)),
  fc.integer({ min: 1, max: 5_000 }).map((tokens) => around('human', [userText(tokens)])),
  anyText.map((text) => toolRound(1, 'Read', 'src/a b\n.ts', text, true)[1]!),
  fc.constant(around('boundary', [])),
);
const conversation = fc.array(anyMessage, { maxLength: 12 });

function humansSinceBoundary(messages: readonly Message[]): readonly Message[] {
  const last = messages.map(({ origin }) => origin).lastIndexOf('boundary');
  return messages.slice(last + 1).filter(({ origin }) => origin === 'human');
}

describe('a summary', () => {
  it('FUL-2 has a scratchpad and then nine sections in order, inside tags', () => {
    const text = summarise(SESSION).text.read();
    expect(text).toMatch(/^<analysis>\n[\s\S]+\n<\/analysis>\n\n<summary>\n[\s\S]+\n<\/summary>$/);
    expect(headings(text)).toEqual([...SUMMARY_SECTIONS]);
  });

  it('FUL-11 up to a pivot ends with the work completed and the context for going on', () => {
    expect(headings(summarise(SESSION, {}, UP_TO).text.read())).toEqual([...UP_TO_SECTIONS]);
  });

  it('tells of the files, tools and errors of the messages it replaces', () => {
    const text = formatSummary(summarise(SESSION).text.read(), 'drop');
    for (const fact of ['src/parser.ts', 'Bash: 1 calls', 'expected 3, got 4', 'The table is in place.']) {
      expect(text).toContain(fact);
    }
    const next = text.slice(text.indexOf('9. '));
    expect(next).toContain('"Use a table instead of the switch."');
  });

  it('INV-14 holds every user message since the last boundary as it was written', () => {
    forAll(conversation, fc.integer({ min: 1, max: 3_000 }), (messages, tokens) => {
      const text = summarise(messages, { summaryTokens: { fixed: tokens } }).text.read();
      let from = text.indexOf('6. All user messages:');
      for (const { blocks } of humansSinceBoundary(messages)) {
        const words = blocks[0]!.text?.read() ?? `${blocks[0]!.tokens} tokens, not recorded`;
        const at = text.indexOf(words, from);
        expect(at).toBeGreaterThanOrEqual(from);
        from = at + words.length;
      }
      expect(from).toBeLessThan(text.lastIndexOf('7. Pending tasks:'));
    });
  });

  it('INV-14 leaves out what was said before the boundary, by tools or in attachments', () => {
    const file = userText(9, { text: 'FILE CONTENT', facts: { attachment: 'file' } });
    const messages = [
      said('human', 'EARLIER WORDS'),
      around('boundary', []),
      around('human', [userText(3, { text: 'LATER WORDS' }), file]),
    ];
    const text = summarise(messages).text.read();
    const section = text.slice(text.indexOf('6. All'), text.indexOf('7. Pending'));
    expect(section).toContain('LATER WORDS');
    expect(section).not.toContain('EARLIER WORDS');
    expect(section).not.toContain('FILE CONTENT');
  });

  it('is exactly as long as it says before it is read', () => {
    forAll(
      conversation,
      fc.integer({ min: 0, max: 4_000 }),
      fc.integer({ min: 0, max: 900 }),
      (messages, a, b) => {
        const given = { summaryTokens: { fixed: a }, scratchpadTokens: { fixed: b } };
        const { text } = summarise(messages, given);
        expect(text.read().length).toBe(text.chars);
      },
    );
  });

  it('FUL-3 is as long as its tokens say once formatted', () => {
    forAll(conversation, fc.integer({ min: 0, max: 4_000 }), (messages, tokens) => {
      const answer = summarise(messages, { summaryTokens: { fixed: tokens } });
      const formatted = formatSummary(answer.text.read(), 'drop');
      expect(formatted.length).toBe(formattedChars(answer, 'drop'));
      expect(formatted.length).toBe(Math.round(answer.tokens * 2.75));
    });
    const plain = summarise(SESSION);
    expect(formatSummary(plain.text.read(), 'relabel').length).toBe(formattedChars(plain, 'relabel'));
  });

  it('is never shorter than what it quotes of the user, whatever is planned', () => {
    const long = said('human', 'word '.repeat(20_000));
    const whole = { ...FULL, quoteTokens: 100_000 };
    expect(summarise([long], { summaryTokens: { fixed: 500 } }, whole).tokens).toBeGreaterThan(25_000);
    const opaque = around('human', [userText(7_000)]);
    expect(summarise([opaque], { summaryTokens: { fixed: 500 } }, whole).tokens).toBeGreaterThan(7_000);
    expect(summarise([opaque], { summaryTokens: { fixed: 500 } }).tokens).toBeLessThan(2_500);
  });

  it('C19 INV-14 quotes a message of more tokens than the limit by its head and tail, with a mark', () => {
    const words = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`).join('\n');
    forAll(
      { numRuns: 60 },
      fc.array(fc.integer({ min: 1, max: 3_000 }).map(words), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 20, max: 4_000 }),
      (texts, quoteTokens) => {
        const messages = texts.map((text) => said('human', text));
        const answer = summarise(messages, {}, { ...FULL, quoteTokens });
        const text = answer.text.read();
        expect(text.length).toBe(answer.text.chars);
        let from = text.indexOf('6. All user messages:');
        for (const { blocks } of messages) {
          const { tokens, text: said } = blocks[0]!;
          const whole = said!.read();
          const half = Math.floor((whole.length * quoteTokens) / tokens / 2) - 1;
          const isLong = tokens > quoteTokens && !text.includes(whole, from);
          const parts = isLong
            ? [whole.slice(0, half), `${tokens - quoteTokens} tokens of this message are left out`]
            : [whole];
          if (isLong) parts.push(whole.slice(whole.length - half + 1));
          for (const part of parts) {
            const at = text.indexOf(part, from);
            expect(at).toBeGreaterThanOrEqual(from);
            from = at + part.length;
          }
        }
        expect(from).toBeLessThan(text.lastIndexOf('7. Pending tasks:'));
      },
    );
  });

  it('C19 gives way to its limit: free sections first, then the scratchpad, then quotations become shorter (C41)', () => {
    const messages = Array.from({ length: 8 }, (_, i) => said('human', `${i} `.repeat(1_000)));
    const bounded = (maxOutputTokens: number) =>
      composeAnswer(
        FULL,
        { ...questionOf(messages, INSTRUCTION), maxOutputTokens },
        plan({ summaryTokens: { fixed: 9_000 }, scratchpadTokens: { fixed: 800 } }),
        createRandom(1),
        null,
      );
    // Eight messages of 2,000 characters and what stands around them are some 6,400 tokens.
    expect(bounded(20_000)).toMatchObject({ tokens: 9_000, scratchpadTokens: 800, stopReason: 'end_turn' });
    expect(bounded(8_000)).toMatchObject({ tokens: 7_200, scratchpadTokens: 800, stopReason: 'end_turn' });
    const tight = bounded(6_700);
    expect(tight.tokens + tight.scratchpadTokens).toBeLessThanOrEqual(6_700);
    expect(tight.scratchpadTokens).toBeLessThan(800);
    for (const message of messages) expect(tight.text.read()).toContain(message.blocks[0]!.text!.read());
    const short = bounded(3_000);
    expect(short).toMatchObject({ form: 'normal', stopReason: 'end_turn', scratchpadTokens: 0 });
    expect(short.outputTokens).toBeLessThanOrEqual(3_000);
    expect(short.text.read().match(/tokens of this message are left out/g)).toHaveLength(8);
    for (const message of messages)
      expect(short.text.read()).toContain(message.blocks[0]!.text!.read().slice(0, 200));
    // Headings alone do not fit: such an answer is still cut.
    expect(bounded(100)).toMatchObject({ outputTokens: 100, form: 'cut', stopReason: 'max_tokens' });
  });

  it('has the planned tokens otherwise, and bills summary and scratchpad', () => {
    const answer = summarise(SESSION, { summaryTokens: { fixed: 4_400 }, scratchpadTokens: { fixed: 900 } });
    expect(answer).toMatchObject({ tokens: 4_400, scratchpadTokens: 900, outputTokens: 5_300 });
  });

  it('reads no text until it is read itself', () => {
    let reads = 0;
    const text = lazyText(11, () => {
      reads += 1;
      return 'hello world';
    });
    const block = userText(3, { text, digest: 77 });
    const answer = summarise([around('human', [block])]);
    expect(answer.text.chars).toBeGreaterThan(0);
    expect(reads).toBe(0);
    expect(answer.text.read()).toContain('hello world');
    expect(reads).toBe(1);
  });

  it('names the sections that the question asks for', () => {
    expect(SUMMARY_TITLES.full).toEqual(SUMMARY_SECTIONS);
    expect(SUMMARY_TITLES['partial-up-to']).toEqual(UP_TO_SECTIONS);
  });
});

describe('the size of a summary', () => {
  const drawn = { median: 4_400, p90: 6_500, min: 1_600, max: 9_000 };

  it('follows the planned median and ninetieth percentile between the limits', () => {
    const sizes: number[] = [];
    for (let seed = 0; seed < 2_000; seed++)
      sizes.push(summarise(SESSION, { summaryTokens: drawn }, FULL, seed).tokens);
    sizes.sort((a, b) => a - b);
    expect(sizes[1_000]).toBeGreaterThan(4_200);
    expect(sizes[1_000]).toBeLessThan(4_600);
    expect(sizes[1_800]).toBeGreaterThan(6_100);
    expect(sizes[1_800]).toBeLessThan(6_900);
    expect(sizes[0]).toBeGreaterThanOrEqual(1_600);
    expect(sizes.at(-1)).toBeLessThanOrEqual(9_000);
  });

  it('INV-13 equal questions get equal answers, in whatever order they are asked', () => {
    const random = createRandom(4);
    const ask = (spec: AnswerSpec, messages: readonly Message[]) =>
      composeAnswer(spec, questionOf(messages, INSTRUCTION), plan({ summaryTokens: drawn }), random, null);
    const first = ask(FULL, SESSION);
    ask(UP_TO, SESSION.slice(2));
    random.next();
    const again = ask(FULL, SESSION);
    expect(again.digest).toBe(first.digest);
    expect(again.text.read()).toBe(first.text.read());
  });

  it('other messages, another style, another question or another seed give another digest', () => {
    const other = said('directive', 'Summarise, and mind the tests.');
    const digests = [
      summarise(SESSION).digest,
      summarise(SESSION.slice(1)).digest,
      summarise(SESSION, {}, UP_TO).digest,
      summarise(SESSION, {}, FULL, 2).digest,
      composeAnswer(FULL, questionOf(SESSION, other), plan(), createRandom(1), null).digest,
      composeAnswer(FULL, questionOf(SESSION, INSTRUCTION), plan(), createRandom(1), fault('empty_summary'))
        .digest,
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('FUL-7 answers with something wrong', () => {
  const wrong = (error: Parameters<typeof fault>[0]) =>
    composeAnswer(FULL, questionOf(SESSION, INSTRUCTION), plan(), createRandom(1), fault(error));

  it('an empty one has no text', () => {
    expect(wrong('empty_summary')).toMatchObject({
      form: 'empty',
      tokens: 0,
      text: { chars: 0 },
      stopReason: 'end_turn',
    });
  });

  it('an error comes back as if it were the answer', () => {
    const answer = wrong('error_as_summary');
    expect(answer.form).toBe('error');
    expect(answer.text.read()).toMatch(/^API Error: 500 /);
  });

  it('a tool call stops for the tool', () => {
    expect(wrong('tool_call')).toMatchObject({ form: 'tool-call', tokens: 0, stopReason: 'tool_use' });
  });

  it('a summary without tags has its sections all the same', () => {
    const answer = wrong('no_summary_tags');
    expect(answer.form).toBe('untagged');
    expect(answer.text.read()).not.toContain('<summary>');
    expect(headings(answer.text.read())).toEqual([...SUMMARY_SECTIONS]);
    expect(answer.text.read().length).toBe(answer.text.chars);
  });

  it('C23 one that is cut has written all it may and lacks its end', () => {
    const answer = composeAnswer(
      FULL,
      { ...questionOf(SESSION, INSTRUCTION), maxOutputTokens: 3_000 },
      plan(),
      createRandom(1),
      fault('cut_summary'),
    );
    expect(answer).toMatchObject({ form: 'cut', stopReason: 'max_tokens', outputTokens: 3_000 });
    expect(answer.text.read()).not.toContain('</summary>');
  });

  it('a slow one is complete', () => {
    expect(wrong('slow').form).toBe('normal');
  });
});

describe('FUL-3 formatting', () => {
  const raw = '<analysis>\nthinking\n</analysis>\n\n\n\n<summary>\n1. One\n\n\n\n2. Two\n</summary>\n';

  it('drops the scratchpad and the tags and collapses blank lines', () => {
    expect(formatSummary(raw, 'drop')).toBe('Summary:\n1. One\n\n2. Two');
  });

  it('relabels the scratchpad', () => {
    expect(formatSummary(raw, 'relabel')).toBe('Analysis:\nthinking\n\nSummary:\n1. One\n\n2. Two');
  });

  it('leaves an answer without tags as it is', () => {
    expect(formatSummary('Just words.\n\n\n\nMore.', 'drop')).toBe('Just words.\n\nMore.');
  });

  it('a quoted tag does not end the summary', () => {
    expect(formatSummary('<summary>\nsay </summary> twice\n</summary>', 'drop')).toBe(
      'Summary:\nsay </summary> twice',
    );
    expect(formatSummary('<summary>\n<analysis>kept</analysis>\n</summary>', 'drop')).toContain('kept');
  });

  it('collapsing is idempotent', () => {
    forAll(fc.stringMatching(/^[a\n]*$/), (text) => {
      const once = collapseBlankLines(text);
      expect(once).not.toContain('\n\n\n');
      expect(collapseBlankLines(once)).toBe(once);
    });
  });
});

it('a text of a given length is cut, or filled up below the lines that it has', () => {
  expect(exactText(['one', 'two'], 5)).toBe('one\nt');
  const filled = exactText(['one', 'two'], 40);
  expect([filled.length, filled.split('\n').slice(0, 2)]).toEqual([40, ['one', 'two']]);
  expect(exactText([], 40)).toMatch(/^\S.{39}$/);
});
