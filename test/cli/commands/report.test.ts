import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, snapshot, tempFolder } from '../cli.js';

/** More entries than are written to the tables at a time. */
const LONG = scenario('long')
  .replace('turns: 40', 'turns: 2100')
  .replace('policy: none', 'policy: unbounded');

async function ran(text: string, ...argv: readonly string[]): Promise<string> {
  const cwd = tempFolder({ 'a.yaml': text });
  expect((await cli(['run', 'a.yaml', '--out', 'ran', '--no-charts', ...argv], { cwd })).code).toBe(0);
  return cwd;
}

describe('ccbench report', () => {
  it('makes the tables of a long run again, byte for byte', async () => {
    const cwd = await ran(LONG);
    const log = readFileSync(join(cwd, 'ran/long/run.jsonl'), 'utf8');
    expect(log.split('\n').length).toBeGreaterThan(2_000);
    const { code, stdout } = await cli(['report', 'ran/long/run.jsonl', '--out', 'made', '--no-charts'], {
      cwd,
    });
    expect(code).toBe(0);
    expect(readdirSync(join(cwd, 'made')).sort()).toEqual(['events.csv', 'requests.csv', 'summary.json']);
    for (const name of ['events.csv', 'requests.csv'])
      expect(readFileSync(join(cwd, 'made', name), 'utf8')).toBe(
        readFileSync(join(cwd, 'ran/long', name), 'utf8'),
      );
    expect(stdout).toContain('made');
    expect(stdout).not.toContain('report.html');
  });

  it('leaves nothing behind of a log that contradicts itself after its tables were begun', async () => {
    const cwd = await ran(LONG);
    const log = readFileSync(join(cwd, 'ran/long/run.jsonl'), 'utf8');
    writeFileSync(
      join(cwd, 'edited.jsonl'),
      log.replace(/"cost":(\d+)(?=[^\n]*\n$)/, (member, cost: string) => member.replace(cost, `1${cost}`)),
    );
    const before = snapshot(cwd);
    const { code, stderr } = await cli(['report', 'edited.jsonl', '--out', 'out'], { cwd });
    expect([code, stderr.includes('the log contradicts itself')]).toEqual([2, true]);
    const after = Object.keys(snapshot(cwd)).filter((name) => before[name] !== snapshot(cwd)[name]);
    expect(after.filter((name) => name !== 'out')).toEqual([]);
  });

  it('writes nothing without --out, and the page with it', async () => {
    const cwd = await ran(scenario('tiny'));
    const before = snapshot(cwd);
    await cli(['report', 'ran/tiny/run.jsonl'], { cwd });
    expect(snapshot(cwd)).toEqual(before);
    const { stdout } = await cli(['report', 'ran/tiny/run.jsonl', '--out', 'made'], { cwd });
    expect(readdirSync(join(cwd, 'made'))).toContain('report.html');
    expect(stdout).toContain(join('made', 'report.html'));
  });
});
