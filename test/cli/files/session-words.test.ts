import { describe, expect, it } from 'vitest';
import { dayOf, firstWords, sessionWords } from '../../../src/cli/files/session-words.js';
import { readTranscript } from '../../../src/library/scenario.js';
import { tempFolder } from '../cli.js';

const line = (cwd: string): string => `${JSON.stringify({ type: 'user', cwd })}\n`;

describe('recordings in words', () => {
  const folder = (): string =>
    tempFolder({
      '1f0e.jsonl': line('/projects/shop'),
      '2f0e.jsonl': line('/projects/shop'),
      '3f0e.jsonl': line('/projects/site'),
    });

  it('are their project and their day', () => {
    const cwd = folder();
    expect(sessionWords([{ path: '1f0e.jsonl', day: '2026-02-21' }], cwd)).toBe('shop, 2026-02-21');
    expect(sessionWords([{ path: '1f0e.jsonl', day: null }], cwd)).toBe('shop');
  });

  it('are counted where there are several, from the first day to the last', () => {
    const cwd = folder();
    const two = [
      { path: '2f0e.jsonl', day: '2026-03-01' },
      { path: '1f0e.jsonl', day: '2026-02-21' },
    ];
    expect(sessionWords(two, cwd)).toBe('shop, 2 sessions, 2026-02-21 to 2026-03-01');
    const three = [...two, { path: '3f0e.jsonl', day: '2026-02-22' }];
    expect(sessionWords(three, cwd)).toBe('3 sessions, 2 projects, 2026-02-21 to 2026-03-01');
  });

  it('have the day of their first step, where their times are known', () => {
    const startedAtMs = Date.UTC(2026, 1, 21, 23, 59);
    expect(dayOf({ carries: ['timestamps'], startedAtMs })).toBe('2026-02-21');
    expect(dayOf({ carries: [], startedAtMs })).toBeNull();
    expect(dayOf({ carries: ['timestamps'], startedAtMs: null })).toBeNull();
  });

  it('begin with the first words of the user, and with nothing that the client put there', () => {
    const said = (content: string): string =>
      JSON.stringify({ type: 'user', uuid: content.slice(0, 8), message: { role: 'user', content } });
    const read = (...contents: string[]) => firstWords(readTranscript(`${contents.map(said).join('\n')}\n`));
    expect(read('Fix the\n login test')).toBe('Fix the login test');
    expect(read('<command-name>/clear</command-name>', 'Fix it')).toBe('Fix it');
    expect(read('<command-name>/clear</command-name>')).toBeNull();
    // 12 times five characters and a space is 72: of 60 characters ten words are whole
    expect(read('words '.repeat(12))).toBe(`${'words '.repeat(10).trim()}…`);
    const cwd = folder();
    expect(sessionWords([{ path: '1f0e.jsonl', day: '2026-02-21', prompt: 'Fix it' }], cwd)).toBe(
      'shop, 2026-02-21: Fix it',
    );
  });
});
