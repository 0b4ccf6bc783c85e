import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutForUse,
  parseSections,
  sectionsOver,
} from '../../../../src/agent/layers/session-memory/notes-file.js';
import { createRandom } from '../../../../src/core/base/random.js';
import { createBlock } from '../../../../src/core/model/block.js';
import type { KnownMemories } from '../../../../src/core/model/memory.js';
import type { Message } from '../../../../src/core/model/message.js';
import {
  NOTES_HEADINGS,
  NOTES_TEMPLATE,
  type Notes,
  notesFromText,
} from '../../../../src/core/model/notes.js';
import type { AnswerSpec } from '../../../../src/core/run/action.js';
import type { FakeLlmPlan } from '../../../../src/core/run/run-plan.js';
import { composeAnswer } from '../../../../src/provider/fake-llm/answers/compose-answer.js';
import { resultOf } from '../../../helpers/blocks.js';
import { forAll } from '../../../helpers/for-all.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { IN_FULL } from '../../../helpers/setup/in-full.js';
import { around, INSTRUCTION, plan, questionOf, said, toolRound } from '../build.js';

const LIMITS = { sectionTokens: 2_000, totalTokens: 12_000 }; // SES-4

function answer(spec: AnswerSpec, messages: readonly Message[], given: Partial<FakeLlmPlan> = {}) {
  return composeAnswer(spec, questionOf(messages, INSTRUCTION), plan(given), createRandom(1), null);
}

function notes(
  messages: readonly Message[],
  previous: string | null,
  given = {},
  condense: readonly string[] = [],
) {
  return answer(
    { kind: 'notes', previous: previous === null ? null : notesFromText(previous), condense },
    messages,
    given,
  );
}

/** A session of this many tokens behind one request. */
function session(tokens: number): readonly Message[] {
  return [
    said('human', 'Teach the reader to skip comments.'),
    said('model', 'The reader skips comments now.'),
    ...toolRound(1, 'Edit', 'src/reader.ts', 'file changed'),
    around('tool', [resultOf('x', tokens, { tool: 'Bash' })]),
  ];
}

describe('session notes', () => {
  it('SES-1 have the ten sections in order with their descriptions', () => {
    for (const previous of [null, NOTES_TEMPLATE]) {
      const sections = parseSections(notes(session(20_000), previous).text.read());
      expect(sections.map(({ name }) => name)).toEqual(NOTES_HEADINGS.map(({ name }) => name));
      expect(sections.map(({ description }) => description)).toEqual(
        NOTES_HEADINGS.map(({ about }) => `_${about}._`),
      );
      expect(sections.filter(({ content }) => content === '')).toEqual([]);
    }
  });

  it('SES-1 keep a header and a description that somebody changed', () => {
    const previous = '# Title\n_Mine._\n\n# My own section\n_About my things._\n\n- a thing\n';
    const sections = parseSections(notes(session(9_000), previous).text.read());
    expect(sections.map(({ name, description }) => [name, description])).toEqual([
      ['Title', '_Mine._'],
      ['My own section', '_About my things._'],
    ]);
    expect(sections[1]!.content.startsWith('- a thing\n')).toBe(true);
  });

  it('tell of the request, the files and the last answer', () => {
    const text = notes(session(40_000), null).text.read();
    for (const fact of [
      'Teach the reader to skip comments.',
      'src/reader.ts',
      'The reader skips comments now.',
    ]) {
      expect(text).toContain(fact);
    }
  });

  it('are as long as they say', () => {
    for (const tokens of [0, 500, 12_000, 200_000]) {
      for (const previous of [null, NOTES_TEMPLATE, notes(session(50_000), null).text.read(), 'no header']) {
        const { text } = notes(session(tokens), previous);
        expect(text.read().length).toBe(text.chars);
      }
    }
  });

  it('C31 an update writes what it is planned to, or a fifth of a shorter conversation', () => {
    // 1,200 tokens planned, 2.75 characters each; the session has 58 tokens besides its result.
    const grown = (tokens: number): number => {
      const { sizes } = notes(session(tokens), null).sections!;
      return sizes.slice(1).reduce((sum, size) => sum + size, 0);
    };
    expect(Math.abs(grown(100_000) - 1_200 * 2.75)).toBeLessThan(9);
    const short = 2_000 + questionOf(session(0), INSTRUCTION).tokens;
    expect(Math.abs(grown(2_000) - 0.2 * short * 2.75)).toBeLessThan(9);
  });

  it('C31 the output is what changed and the calls around it, however long the file is', () => {
    let previous: Notes | null = null;
    let output = 0;
    for (let round = 0; round < 20; round++) {
      const made = answer({ kind: 'notes', previous, condense: [] }, session(40_000));
      // 1,200 tokens of new lines in nine sections, a call of 45 tokens around each; a title at first.
      const title = previous === null ? made.sections!.sizes[0]! : 0;
      const calls = previous === null ? 10 : 9;
      expect(Math.abs(made.outputTokens - (1_200 + title / 2.75 + calls * 45))).toBeLessThan(5);
      const { text, tokens, digest, sections } = made;
      previous = { text, tokens, digest, sections };
      output += made.outputTokens;
    }
    // The whole file each time would be 1,416 + 2,472 + … tokens: more than 200,000.
    expect(output).toBeLessThan(20 * (1_200 + 450) + 100);
  });

  it('C31 the current state is renewed, the other sections go on', () => {
    const first = notes(session(40_000), null);
    const second = notes(session(40_000), first.text.read());
    const [before, after] = [first, second].map(({ text }) => parseSections(text.read()));
    expect(after![1]!.content).toHaveLength(before![1]!.content.length);
    expect(after![3]!.content).toHaveLength(2 * before![3]!.content.length);
  });

  it('go on where they stood and never shrink by themselves', () => {
    let previous = NOTES_TEMPLATE;
    for (let round = 1; round <= 6; round++) {
      const next = notes(session(round * 8_000), previous).text.read();
      const before = parseSections(previous);
      for (const [i, { content }] of parseSections(next).entries()) {
        if (i !== 1) expect(content.startsWith(before[i]!.content)).toBe(true);
      }
      expect(next.length).toBeGreaterThan(previous.length);
      previous = next;
    }
  });

  it('SES-4 go over a limit only until told to condense', () => {
    const large = { notesTokens: { fixed: 40_000 } };
    let previous = NOTES_TEMPLATE;
    for (let round = 0; round < 4; round++) previous = notes(session(200_000), previous, large).text.read();
    const over = sectionsOver(notesFromText(previous), LIMITS);
    expect(over.sections.length).toBeGreaterThan(0);
    expect(over.isTotalOver).toBe(true);
    const told = notes(session(200_000), previous, large, over.condense);
    const after = sectionsOver(notesFromText(told.text.read()), LIMITS);
    expect(after.sections).toEqual([]);
    expect(after.isTotalOver).toBe(false);
    expect(told.text.read().length).toBe(told.text.chars);
  });

  it('SES-4 one section told to condense comes back below its limit, the others stay', () => {
    const [title, state] = NOTES_HEADINGS.map(({ name, about }) => `# ${name}\n_${about}._\n`);
    const previous = `${title}\n- the title\n\n${state}\n${'- one more line of state\n'.repeat(500)}`;
    const text = notes([], previous, { notesTokens: { fixed: 0 } }, ['Current state']).text.read();
    expect(sectionsOver(notesFromText(previous), LIMITS).condense).toEqual(['Current state']);
    expect(sectionsOver(notesFromText(text), LIMITS).condense).toEqual([]);
    expect(text).toContain('- the title');
  });
});

describe('notes that nobody has read yet', () => {
  /** A row of extractions, each going on from the one before. */
  function row(tokens: readonly number[], amount: number, condense: readonly string[]) {
    let previous: Notes | null = null;
    for (const [i, size] of tokens.entries()) {
      const spec = { kind: 'notes', previous, condense: i % 3 === 2 ? condense : [] } as const;
      const {
        text,
        tokens: total,
        digest,
        sections,
      } = answer(spec, session(size), {
        notesTokens: { fixed: amount },
      });
      previous = { text, tokens: total, digest, sections };
    }
    return previous!;
  }

  it('SES-1 SES-4 tell their sections and their length exactly as a reader would find them', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 8 });
    const names = fc.subarray(NOTES_HEADINGS.map(({ name }) => name));
    forAll(
      { numRuns: propertyRuns(60) },
      sizes,
      fc.integer({ min: 0, max: 20_000 }),
      names,
      (tokens, amount, condense) => {
        const notes = row(tokens, amount, condense);
        const text = notes.text.read();
        expect(notes.text.chars).toBe(text.length);
        const { frames, sizes: chars } = notes.sections!;
        expect(frames.map(({ name }, i) => ({ name, chars: chars[i] }))).toEqual(
          parseSections(text).map(({ name, content }) => ({ name, chars: content.length })),
        );
        expect(sectionsOver(notes, LIMITS)).toEqual(sectionsOver(notesFromText(text), LIMITS));
        const cut = cutForUse(notes, 900, '/notes.md').notes.text;
        expect(cut.read()).toBe(cutForUse(notesFromText(text), 900, '/notes.md').notes.text.read());
        expect(cut.chars).toBe(cut.read().length);
      },
    );
  });

  it('SES-1 grow from the same words whether they were read on the way or not', () => {
    const messages = session(40_000);
    const go = (read: 'read' | 'unread'): string => {
      let previous: Notes | null = null;
      for (let i = 0; i < 6; i++) {
        const { text, tokens, digest, sections } = answer(
          { kind: 'notes', previous, condense: [] },
          messages,
        );
        if (read === 'read') text.read();
        previous = { text, tokens, digest, sections };
      }
      return previous!.text.read();
    };
    expect(go('unread')).toBe(go('read'));
  });

  it.runIf(IN_FULL)('SES-1 can be read after thousands of extractions that nobody looked at', () => {
    const notes = row(
      Array.from({ length: 3_000 }, () => 10),
      100,
      [],
    );
    expect(notes.text.read()).toHaveLength(notes.text.chars);
  });

  it('SES-1 with sections of somebody else are only known by reading', () => {
    const previous = notesFromText('# Mine\n_About it._\n\n```\n# no header\n');
    expect(answer({ kind: 'notes', previous, condense: [] }, session(10)).sections).toBeNull();
  });
});

describe('memories', () => {
  const NOTHING: KnownMemories = { has: () => false, says: () => false };
  const messages = [...session(100), said('human', 'Always run the linter before you stop.')];
  const extract = (lines: readonly Message[], existing = NOTHING) =>
    answer({ kind: 'memories', existing }, lines);

  it('C32 AUT-2 come from what the user states, as markdown files with name, description and type', () => {
    const { text, tokens } = extract(messages);
    expect(text.read()).toBe(
      '---\nname: feedback-always-run-the-linter-before-you-stop\n' +
        'description: formatting: Always run the linter before you stop.\n' +
        'type: feedback\n---\n\nAlways run the linter before you stop.\n',
    );
    expect(tokens).toBe(Math.ceil(text.chars / 2.75));
  });

  it('C31 are billed as files that are written and a line in the index each', () => {
    const { text, outputTokens } = extract(messages);
    const name = 'feedback-always-run-the-linter-before-you-stop';
    const line = `- [${name}](${name}.md): formatting: Always run the linter before you stop.\n`;
    expect(outputTokens).toBe(Math.ceil((text.chars + line.length) / 2.75) + 2 * 45);
    expect(extract(session(100)).outputTokens).toBe(12);
  });

  it('C32 tasks, thanks, questions, listings and pasted logs leave nothing', () => {
    for (const words of [
      'Fix the failing test in parser.ts.',
      'Thanks, that is great!',
      'Should we always use a Map here?',
      'src/a.ts src/b.ts src/c.ts',
      '2026-02-11 10:22:31 ERROR we always fail here',
      '```\nalways(use, tabs)\nAlways use tabs.\n```',
      '> Never push without asking.',
    ])
      expect(extract([said('human', words)]).text.chars, words).toBe(0);
  });

  it('C32 what others say in the place of the user is not taken for the user', () => {
    const line = 'Always run the linter before you stop.';
    for (const origin of ['model', 'tool', 'meta', 'summary'] as const)
      expect(extract([said(origin, line)]).text.chars).toBe(0);
  });

  it('AUT-2 are not written when a memory of that name is there, or one that says so, or the instructions do', () => {
    const known = { ...NOTHING, has: (name: string) => name.startsWith('feedback-always-run') };
    expect(extract(messages, known).text.read()).toBe('');
    expect(extract(messages, { ...NOTHING, says: () => true }).text.read()).toBe('');
  });

  it('C32 a statement that is repeated within one extraction is written once', () => {
    const twice = [...messages, said('human', 'Please always run the linter before you stop!', 'again')];
    expect(
      extract(twice)
        .text.read()
        .match(/^name: /gm),
    ).toHaveLength(1);
  });

  it('C32 looks at the start of a prompt alone', () => {
    const late = said('human', `${'Go on with the next file. '.repeat(300)}Always run the linter.`);
    expect(extract([late]).text.chars).toBe(0);
  });
});

describe('a short answer', () => {
  it.each([
    ['about a file', session(10).slice(0, -1), /^\w+ the file [\w.]+$/],
    [
      'about a tool',
      [around('tool', [createBlock({ kind: 'tool_result', role: 'user', tokens: 3, tool: 'Bash' })])],
      /^Waiting for Bash results$/,
    ],
    ['about nothing', [said('human', 'hi')], /^Thinking about the request$/],
  ] as const)('%s has three to five words on the latest work', (_name, messages, expected) => {
    const { text, tokens } = answer({ kind: 'short', tokens: 6 }, messages);
    const words = text.read().split(' ');
    expect(text.read()).toMatch(expected);
    expect(words.length).toBeGreaterThanOrEqual(3);
    expect(words.length).toBeLessThanOrEqual(5);
    expect(tokens).toBe(6);
  });
});
