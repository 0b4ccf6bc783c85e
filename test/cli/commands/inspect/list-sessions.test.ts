import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printed, tempFolder } from '../../cli.js';

const WRITTEN = 1_000_000;

interface Listed {
  /** The folder that the agent worked in. */
  readonly project: string;
  readonly day?: string;
  readonly lastDay?: string;
  /** What the file is grown to, without taking room on the disk. */
  readonly bytes?: number;
}

/** The beginning of a Claude Code session, and a line of its last day. */
function session({ project, day = '2026-03-01', lastDay = day }: Listed, n: number): string {
  const line = (uuid: string, on: string) =>
    JSON.stringify({
      type: 'user',
      uuid,
      parentUuid: null,
      sessionId: `s${n}`,
      cwd: project,
      version: '2.1.100',
      isSidechain: false,
      timestamp: `${on}T10:00:00.000Z`,
      message: { role: 'user', content: 'hi' },
    });
  return `${line(`a${n}`, day)}\n${line(`b${n}`, lastDay)}\n`;
}

/** What `ccbench inspect` prints of a home folder with these sessions; names of folders are the keys. */
async function listed(sessions: Readonly<Record<string, Listed>>, columns = 160) {
  const home = tempFolder();
  for (const [i, [name, each]] of Object.entries(sessions).entries()) {
    const path = join(home, '.claude/projects', name);
    mkdirSync(dirname(path), { recursive: true });
    const text = session({ ...each, project: each.project.replace('HOME', home) }, i);
    // empty lines as far as the beginning of a file is read, and nothing behind them
    writeFileSync(path, text.padEnd(Math.min(each.bytes ?? 0, WRITTEN), '\n'));
    if (each.bytes !== undefined) truncateSync(path, each.bytes);
  }
  const stdout = await printed(['inspect'], { cwd: '/', env: { HOME: home }, columns });
  const lines = stdout.split('\n');
  return { stdout, lines, rows: lines.map((line) => line.trim().split(/ {2,}/)) };
}

describe('the list of sessions', () => {
  it('has a row for each project in the order of names, and all of them below', async () => {
    const { rows } = await listed({
      'b/1.jsonl': { project: '/code/b', day: '2026-03-05', bytes: 4_000 },
      'a/1.jsonl': { project: '/code/a', day: '2026-03-01', lastDay: '2026-03-02', bytes: 999 },
      'a/2.jsonl': { project: '/code/a', day: '2026-02-20', bytes: 2_001 },
    });
    expect(rows.slice(0, 4)).toEqual([
      ['agent', 'project', 'sessions', 'days', 'size'],
      ['claude-code', '/code/a', '2', '2026-02-20–03-02', '3 kB'],
      ['claude-code', '/code/b', '1', '2026-03-05', '4 kB'],
      ['all', '2 projects', '3', '2026-02-20–03-05', '7 kB'],
    ]);
  });

  it.each([
    ['2026-03-01', '2026-03-01', '2026-03-01'],
    ['2026-03-01', '2026-04-02', '2026-03-01–04-02'],
    ['2025-12-31', '2026-01-01', '2025-12-31–2026-01-01'],
  ])('from %s to %s are the days %s', async (day, lastDay, text) => {
    const { rows } = await listed({ 'a/1.jsonl': { project: '/code/a', day, lastDay } });
    expect(rows[1]![3]).toBe(text);
  });

  it('names the home folder ~, and the end of a long path', async () => {
    const deep = `/code/${'x'.repeat(60)}`;
    const { rows } = await listed({ 'a/1.jsonl': { project: 'HOME/mine' }, 'b/1.jsonl': { project: deep } });
    const names = rows.slice(1, 3).map(([, name]) => name);
    expect(names).toContain('~/mine');
    expect(names).toContain(`…${'x'.repeat(39)}`);
  });

  it('leaves out the size first, then the days, and says so', async () => {
    const one = { 'a/1.jsonl': { project: `/code/${'x'.repeat(60)}`, lastDay: '2026-03-09' } };
    const heads = async (columns: number) => (await listed(one, columns)).rows[0];
    const all = ['agent', 'project', 'sessions', 'days', 'size'];
    expect(await heads(120)).toEqual(all);
    // names of 12 characters at least: 2 + 11 + 2 + 12 + 2 + 8 are 37, with the days 18 more
    expect(await heads(56)).toEqual(all.slice(0, 4));
    expect(await heads(40)).toEqual(all.slice(0, 3));
    expect((await listed(one, 120)).stdout).not.toContain('not shown');
    expect((await listed(one, 40)).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'not shown in 40 columns: days, size; --json has all',
    );
  });

  it('ends with how many there are, and leads to the largest project in words that a shell takes', async () => {
    const { stdout } = await listed({
      'small/1.jsonl': { project: '/code/a', bytes: 5_000 },
      'small/2.jsonl': { project: '/code/a', bytes: 5_000 },
      "it's big/1.jsonl": { project: '/code/b', bytes: 50_000 },
    });
    const said = stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain('3 sessions of 2 projects were found on this machine.');
    expect(said).toContain("ccbench inspect ~/'.claude/projects/it'\\''s big'");
    const alone = await listed({ 'plain/1.jsonl': { project: '/code/a' } });
    expect(alone.stdout.replaceAll(/\s+/g, ' ')).toContain('1 session of 1 project was found ');
    expect(alone.stdout.replaceAll(/\s+/g, ' ')).toContain('ccbench inspect ~/.claude/projects/plain ');
  });
});
