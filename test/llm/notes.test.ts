import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/base/random.js';
import { composeAnswer } from '../../src/llm/answers/compose-answer.js';
import type { AnswerSpec } from '../../src/model/action.js';
import { createBlock } from '../../src/model/block.js';
import { MEMORY_TYPES } from '../../src/model/memory.js';
import type { Message } from '../../src/model/message.js';
import { NOTES_HEADINGS, NOTES_TEMPLATE, type Notes, notesFromText } from '../../src/model/notes.js';
import type { FakeLlmPlan } from '../../src/model/run-plan.js';
import { cutForUse, parseSections, sectionsOver } from '../../src/tiers/session-memory/notes-file.js';
import { around, INSTRUCTION, plan, questionOf, said, toolRound } from './build.js';

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

/** A session of so many tokens behind one request. */
function session(tokens: number): readonly Message[] {
  return [
    said('human', 'Teach the reader to skip comments.'),
    said('model', 'The reader skips comments now.'),
    ...toolRound(1, 'Edit', 'src/reader.ts', 'file changed'),
    around('tool', [
      createBlock({ kind: 'tool_result', role: 'user', tokens, tool: 'Bash', toolUseId: 'x' }),
    ]),
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

  it('SES-1 start from the template that the notes file starts from', () => {});

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

  it('grow with the conversation towards the planned size', () => {
    const sizes = [5_000, 20_000, 80_000, 320_000].map((tokens) => notes(session(tokens), null).tokens);
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(new Set(sizes).size).toBe(4);
    const skeleton = Math.ceil(NOTES_TEMPLATE.length / 2.75);
    expect(sizes[3]! - skeleton).toBeGreaterThan(1_000);
    expect(sizes[3]! - skeleton).toBeLessThan(1_300);
  });

  it('go on where they stood and never shrink by themselves', () => {
    let previous = NOTES_TEMPLATE;
    for (let round = 1; round <= 6; round++) {
      const next = notes(session(round * 8_000), previous).text.read();
      const before = parseSections(previous);
      for (const [i, { content }] of parseSections(next).entries()) {
        expect(content.startsWith(before[i]!.content)).toBe(true);
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
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 20_000 }), names, (tokens, amount, condense) => {
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
      }),
      { numRuns: 60 },
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

  it('SES-1 can be read after thousands of extractions that nobody looked at', () => {
    const notes = row(
      Array.from({ length: 6_000 }, () => 10),
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
  const messages = [...session(100), said('human', 'Always run the linter before you stop.')];

  it('AUT-2 are markdown files with name, description and one of four types', () => {
    const { text, tokens } = answer({ kind: 'memories', existing: new Set() }, messages);
    const files = [
      ...text.read().matchAll(/^---\nname: (\S+)\ndescription: (.+)\ntype: (\w+)\n---\n\n(.+)\n/gm),
    ];
    expect(files.map((file) => file[3])).toEqual([...MEMORY_TYPES]);
    expect(text.read()).toContain('Always run the linter');
    expect(tokens).toBe(Math.ceil(text.chars / 2.75));
  });

  it('AUT-2 are named after the words of what they are about, wherever in it those stand', () => {
    const word = fc.constantFrom('Fix', 'the', 'parser.ts', 'Почини', '=====', 'v2', '日本語', 'élan', '…');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), (words) => {
        const line = words.join(' ').slice(0, 200).trim();
        const { text } = answer({ kind: 'memories', existing: new Set() }, [said('human', line)]);
        const plain = line
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .slice(0, 40)
          .replace(/^-+|-+$/g, '');
        expect(text.read()).toContain(`name: ${plain === '' ? 'user' : `user-${plain}`}\n`);
      }),
    );
  });

  it('AUT-2 are not written twice', () => {
    const first = answer({ kind: 'memories', existing: new Set() }, messages).text.read();
    const names = [...first.matchAll(/^name: (.+)$/gm)].map((match) => match[1]!);
    expect(answer({ kind: 'memories', existing: new Set(names) }, messages).text.read()).toBe('');
    expect(answer({ kind: 'memories', existing: new Set(names.slice(1)) }, messages).text.read()).toContain(
      `name: ${names[0]}`,
    );
  });
});

describe('a short answer', () => {
  it.each([
    ['about a file', session(10)],
    [
      'about a tool',
      [around('tool', [createBlock({ kind: 'tool_result', role: 'user', tokens: 3, tool: 'Bash' })])],
    ],
    ['about nothing', [said('human', 'hi')]],
  ] as const)('%s has three to five words', (_name, messages) => {
    const { text, tokens } = answer({ kind: 'short', tokens: 6 }, messages);
    const words = text.read().split(' ');
    expect(words.length).toBeGreaterThanOrEqual(3);
    expect(words.length).toBeLessThanOrEqual(5);
    expect(tokens).toBe(6);
  });
});
