import { describe, expect, it } from 'vitest';
import { usesFacts } from '../../../../src/cli/commands/inspect/uses-facts.js';
import {
  answered,
  ask,
  type Fields,
  jsonl,
  readSession,
  result,
  say,
  usage,
  user,
} from '../../../helpers/session.js';
import { cli, printed, tempFolder } from '../../cli.js';

const FILE = [
  'export const retryLimit_ms = 4200;',
  'function connectSocket() {',
  '  return openChannel();',
].join('\n');
const RULES = [
  'Never touch the folder dist.',
  'Write every test before the code.',
  'Use tabs, no semicolons.',
].join('\n');

const called = (i: number, content: unknown): Fields =>
  answered(i, 10 * i, content, usage(0, 1_000 * i, 1_000, 50));
const reads = (i: number): Fields => called(i, ask(`t${i}`, 'Read', { file_path: '/repo/a.ts' }));
const got = (i: number): Fields => result(`r${i}`, 10 * i + 1, `t${i}`, FILE);
const EDIT = { file_path: '/repo/a.ts', old_string: '  return openChannel();', new_string: '  return 1;' };

/**
 * Calls from 0: 0 reads the file, 1 names a function of it, 2 reads it again, 3 edits a line that both readings hold, 4 reads it
 * again though it was edited. Then the user says the rules of the beginning again.
 */
const LINES: readonly Fields[] = [
  user('u0', 0, RULES),
  reads(1),
  got(1),
  called(2, say('connectSocket waits')),
  user('u2', 25, 'go on'),
  reads(3),
  got(3),
  called(4, ask('t4', 'Edit', EDIT)),
  result('r4', 41, 't4', 'ok'),
  reads(5),
  got(5),
  called(6, say('done')),
  user('u6', 65, RULES),
  called(7, say('sorry')),
];

describe('the uses of a transcript', () => {
  const facts = usesFacts(readSession(LINES))!;

  it('are counted by kind and by origin, with the tokens that are read again', () => {
    const rereads = facts.uses.filter(({ kind }) => kind === 'reread');
    expect(facts.byKind).toEqual({ reread: 2, edit: 1, echo: 1, repeat: 1 });
    expect(facts.byOrigin).toEqual({ user: 1, assistant: 0, result: 4, summary: 0, attachment: 0 });
    expect(rereads.map(({ at, isStale }) => [at, isStale])).toEqual([
      [2, false],
      [4, true],
    ]);
    expect(facts.rereadTokens).toBe(rereads[0]!.tokens);
    expect(facts.staleTokens).toBe(rereads[1]!.tokens);
  });

  it('name items by their place, with how often they are needed and after how many calls', () => {
    const first = facts.items.find(({ message }) => message === 'r1')!;
    // Seen by call 1; needed by calls 1 (named) and 2 (read again).
    expect(first).toMatchObject({ tool: 'Read', path: '/repo/a.ts', seenAt: 1, times: 2, callsBetween: 1 });
    for (const { item, holders } of facts.uses) expect(holders).toContain(item);
    expect(facts.items.reduce((times, own) => times + own.times, 0)).toBe(facts.uses.length);
  });
});

describe('ccbench inspect --uses', () => {
  it('shows them in 25 lines at most, and all of them in the JSON', async () => {
    const folder = tempFolder({ 's.jsonl': jsonl(LINES) });
    const stdout = await printed(['inspect', 's.jsonl', '--uses'], { cwd: folder });
    expect(stdout).toContain('by kind: reread 2 · edit 1 · echo 1 · repeat 1\n');
    expect(stdout).toMatch(/Read +\/repo\/a\.ts +\d+ +2 +1\n/);
    expect(stdout).toContain('5 uses of ');
    expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
    const { stdout: json } = await cli(['inspect', 's.jsonl', '--uses', '--json'], { cwd: folder });
    const [file] = JSON.parse(json).files;
    expect(file.uses.uses.map(({ what }: { readonly what: string }) => what)).toContain('connectSocket');
    expect(file.turns).toBe(7);
    const { stdout: plain } = await cli(['inspect', 's.jsonl', '--json'], { cwd: folder });
    expect(JSON.parse(plain).files[0]).not.toHaveProperty('uses');
  });

  it('says so where there is no text, and where there is no session', async () => {
    const cwd = tempFolder({
      't.csv': 'time,model,input,cached,output\n2026-01-01T00:00:00Z,claude-sonnet-4-5,10,0,5\n',
    });
    const { code, stdout } = await cli(['inspect', 't.csv', '--uses'], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining('no text is recorded')]);
    const bare = await cli(['inspect', '--uses'], { cwd, env: { HOME: cwd } });
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain('no sessions were found in their usual places');
  });
});
