import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageData, PageRun } from '../../../src/report/page-data/page-data.js';
import { cli, printed, scenario, snapshot, tempFolder } from '../cli.js';

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
    const stdout = await printed(['report', 'ran/long/run.jsonl', '--out', 'made', '--no-charts'], {
      cwd,
    });
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

  /** What a page says of what fills its prompts. */
  const filled = (
    page: string,
  ): Pick<PageRun, 'fill' | 'noFill'> & { readonly prompts: readonly number[] } => {
    const data = JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)![1]!) as PageData;
    const { fill, noFill, requests } = data.runs[0]!;
    const { read, write5m, write1h, input } = requests;
    const prompts = read.map((own, i) => own + write5m[i]! + write1h[i]! + input[i]!);
    return { ...(fill === undefined ? {} : { fill }), noFill, prompts };
  };

  it('shows what fills the prompts as the page of the run does, from the table beside the log', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['run', 'a.yaml', '--out', 'ran'], { cwd });
    await cli(['report', 'ran/tiny/run.jsonl', '--out', 'made'], { cwd });
    const [ofRun, made] = ['ran/tiny', 'made'].map((folder) =>
      filled(readFileSync(join(cwd, folder, 'report.html'), 'utf8')),
    );
    expect(made).toEqual(ofRun);
    const { fill, noFill, prompts } = made!;
    expect(noFill).toBeNull();
    const held = prompts.map(() => 0);
    for (const { grown } of fill!) {
      let tokens = 0;
      for (const [i, more] of grown.entries()) held[i]! += tokens += more;
    }
    expect(held).toEqual(prompts);
  });

  it('says why it does not show what fills the prompts: no table, or that of another run', async () => {
    const cwd = await ran(scenario('tiny'));
    const table = join(cwd, 'ran/tiny/prompts.csv');
    const whole = readFileSync(table, 'utf8');
    const told = async (): Promise<string | null> => {
      await cli(['report', 'ran/tiny/run.jsonl', '--out', 'made'], { cwd });
      const { fill, noFill } = filled(readFileSync(join(cwd, 'made/report.html'), 'utf8'));
      expect(fill).toBeUndefined();
      return noFill;
    };
    const foreign = /prompts\.csv beside the log is damaged or belongs to another run/;
    for (const text of [
      `${whole}99999,1\n`, // a row too many, and too short
      whole.replace(/,(\d+)\n/, (_row, tokens: string) => `,${Number(tokens) + 1}\n`), // one token too many
      whole.replace('system', 'words'),
      whole.replace(/[^\n]+\n$/, ''), // without the last row
      '',
    ]) {
      writeFileSync(table, text);
      expect(await told()).toMatch(foreign);
    }
    rmSync(table);
    expect(await told()).toMatch(/prompts\.csv, which ccbench run writes .* is not beside the log/);
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
