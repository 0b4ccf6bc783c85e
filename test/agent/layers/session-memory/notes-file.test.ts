import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutForUse,
  isEmptyTemplate,
  notesOnDisk,
  parseSections,
  SessionMemoryState,
  sectionsOver,
  truncateForUse,
} from '../../../../src/agent/layers/session-memory/notes-file.js';
import { createFiles } from '../../../../src/core/base/files.js';
import { NOTES_TEMPLATE, notesFromText } from '../../../../src/core/model/notes.js';
import { forAll } from '../../../helpers/for-all.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';

const LIMITS = { sectionTokens: 2_000, totalTokens: 12_000 };

function filled(contents: readonly string[]): string {
  return parseSections(NOTES_TEMPLATE)
    .map((section, i) => `${section.header}\n${section.description}\n\n${contents[i] ?? ''}\n`)
    .join('\n');
}

describe('notes file', () => {
  it('SES-1 has ten sections in order, each with a one-line italic description', () => {
    const sections = parseSections(NOTES_TEMPLATE);
    expect(sections.map((section) => section.name.toLowerCase())).toEqual([
      'title',
      'current state',
      'task specification',
      'files and functions',
      'workflow',
      'errors and corrections',
      'codebase documentation',
      'learnings',
      'key results',
      'worklog',
    ]);
    for (const section of sections) expect(section.description).toMatch(/^_[^_\n]+_$/);
  });

  it('SES-5 takes headers and descriptions alone for empty, one word for notes', () => {
    expect(isEmptyTemplate(notesFromText(NOTES_TEMPLATE))).toBe(true);
    expect(isEmptyTemplate(notesFromText(`\n${NOTES_TEMPLATE}\n\n`))).toBe(true);
    expect(isEmptyTemplate(notesFromText(''))).toBe(true);
    expect(isEmptyTemplate(notesFromText(filled(['a word'])))).toBe(false);
  });

  it('SES-1 does not take a comment in fenced code for a header', () => {
    const sections = parseSections('# Workflow\n_how_\n```\n# build\nmake\n```\nafter\n# Worklog\n_log_\nx');
    expect(sections.map(({ name }) => name)).toEqual(['Workflow', 'Worklog']);
    expect(sections[0]!.content).toBe('```\n# build\nmake\n```\nafter');
  });

  it('SES-1 in the file are those that are known as long as it holds their words, whoever wrote them there', () => {
    const state = new SessionMemoryState();
    const found = (text: string) => {
      const files = createFiles();
      files.write('/notes.md', text, 0);
      return notesOnDisk(state, files.read('/notes.md')!);
    };
    expect(found('# A\nold').text.read()).toBe('# A\nold');
    state.notes = notesFromText('# A\nold');
    expect(found('# A\nold')).toBe(state.notes);
    for (const other of ['# A\nnew', '# A\nolder']) expect(found(other).text.read()).toBe(other);
  });

  it('SES-4 a section of 2,000 tokens is within the limit, one of 2,001 is over', () => {
    expect(sectionsOver(notesFromText(filled(['', 'x'.repeat(8_000)])), LIMITS).condense).toEqual([]);
    const over = sectionsOver(notesFromText(filled(['', 'x'.repeat(8_004)])), LIMITS);
    expect(over.sections).toEqual([{ name: 'Current state', tokens: 2_001 }]);
    expect(over.condense).toEqual(['Current state']);
    expect(over.isTotalOver).toBe(false);
  });

  it('SES-4 over the total every section that holds something is to be condensed', () => {
    const at = `# A\n_a_\n${'x'.repeat(47_992)}`;
    expect(at.length).toBe(48_000);
    expect(sectionsOver(notesFromText(at), LIMITS).isTotalOver).toBe(false);
    expect(sectionsOver(notesFromText(`${at}xxxx`), LIMITS).isTotalOver).toBe(true);
    const seven = filled(Array.from({ length: 7 }, () => 'x'.repeat(7_900)));
    const over = sectionsOver(notesFromText(seven), LIMITS);
    expect(over.sections).toEqual([]);
    expect(over.isTotalOver).toBe(true);
    expect(over.condense).toHaveLength(7);
  });

  it('SES-9 leaves notes within the budget exactly as they are', () => {
    const text = filled(['x'.repeat(8_000)]);
    const notes = notesFromText(text);
    expect(cutForUse(notes, 8_000, '/notes.md')).toEqual({ notes, cut: [] });
  });

  it('SES-9 cuts a long section, keeps headers and descriptions, says where the file is', () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `step ${i} was done`);
    const text = filled(['name', '', '', '', '', '', '', '', '', lines.join('\n')]);
    const { notes, cut } = cutForUse(notesFromText(text), 8_000, '/session-memory/main/notes.md');
    const used = notes.text.read();
    expect(cut).toEqual(['Worklog']);
    expect(used).toContain('/session-memory/main/notes.md');
    const before = parseSections(NOTES_TEMPLATE);
    const after = parseSections(used);
    expect(after.map(({ header }) => header)).toEqual(before.map(({ header }) => header));
    expect(after.map(({ description }) => description)).toEqual(before.map(({ description }) => description));
    const kept = after[9]!.content.split('\n').filter((line) => line.startsWith('step'));
    expect(kept.slice(0, -1)).toEqual(lines.slice(0, kept.length - 1));
    expect(kept.length).toBeGreaterThan(400);
  });

  it('SES-9 closes code that was cut into, so that the next header stays a header', () => {
    const code = `\`\`\`\n${'make all\n'.repeat(100)}\`\`\``;
    const used = truncateForUse(`# Workflow\n_how_\n${code}\n\n# Worklog\n_log_\nend\n`, 300, '/p');
    expect(parseSections(used).map(({ name }) => name)).toEqual(['Workflow', 'Worklog']);
  });

  it('SES-9 INV-10 no section enters the context above its budget, and no header is lost', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 10 });
    const lineLength = fc.integer({ min: 1, max: 900 });
    forAll(
      { numRuns: propertyRuns(100) },
      sizes,
      lineLength,
      fc.integer({ min: 200, max: 2_000 }),
      (chars, width, budget) => {
        const contents = chars.map((n) =>
          'é😀z'.repeat(n / 4).replaceAll(new RegExp(`(.{${width}})`, 'gu'), '$1\n'),
        );
        const text = filled(contents);
        const used = truncateForUse(text, budget, '/p');
        const body = used.replace(/\n\[Notes cut for length; the whole file is \/p\]\n$/, '');
        const sections = parseSections(body);
        expect(sections).toHaveLength(10);
        for (const section of sections) {
          expect(section.content.length).toBeLessThanOrEqual(budget);
          expect(section.description).not.toBeNull();
        }
        expect(used).not.toMatch(/\p{Surrogate}/u);
      },
    );
  });
});
