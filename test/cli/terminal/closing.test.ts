import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageData, StudyPageData } from '../../../src/report/page-data/page-data.js';
import { dataOf } from '../../helpers/pages/page-data.js';
import { cli, scenario, tempFolder } from '../cli.js';

/** The last lines of a command, after the last empty one; a sentence that was wrapped is joined again. */
async function closing(argv: readonly string[], cwd: string): Promise<readonly string[]> {
  const { stdout } = await cli(argv, { cwd, columns: 1_000 });
  return stdout.trimEnd().split('\n\n').at(-1)!.split('\n');
}

const TWO = `${scenario('tiny')}variants:\n  - { name: one hour, cache: { ttl: 1h } }\n`;

describe('the last lines of a command', () => {
  it('run says what it came to, what to doubt, and where the page is', async () => {
    const cwd = tempFolder({
      'a.yaml': `${scenario('tiny')}expect: [turns == 41]\n`,
      'b.yaml': scenario('tiny'),
    });
    const json = JSON.parse((await cli(['run', 'b.yaml', '--json', '--no-files'], { cwd })).stdout);
    const { costUsd, callsAnswered } = json.metrics;
    const lines = await closing(['run', 'b.yaml'], cwd);
    expect(lines[0]).toContain(
      `tiny cost $${costUsd.toFixed(costUsd < 1 ? 4 : 2)} for ${callsAnswered} calls`,
    );
    expect(lines).toHaveLength(3);
    expect(lines[2]).toBe('page reports/tiny/report.html');
    const failed = await closing(['run', 'a.yaml', '--no-charts'], cwd);
    expect(failed.slice(1)).toEqual([
      '1 of 1 expectation failed, the first: turns == 41.',
      'report reports/tiny',
    ]);
  });

  it('run of several variants names the cheapest, and of several scenarios what all came to', async () => {
    const cwd = tempFolder({ 'a.yaml': TWO, 'b.yaml': `${scenario('other')}expect: [turns == 40]\n` });
    const { runs } = JSON.parse((await cli(['run', 'a.yaml', '--json', '--no-files'], { cwd })).stdout);
    const [base, hour] = runs.map((run: { metrics: { costUsd: number } }) => run.metrics.costUsd);
    const lines = await closing(['run', 'a.yaml'], cwd);
    expect(lines[0]).toMatch(
      new RegExp(`^Of 2 runs of tiny the cheapest is ${base < hour ? 'tiny' : 'tiny/one hour'}, at \\$`),
    );
    expect(lines[2]).toBe('page reports/tiny/index.html');
    expect(await closing(['run', 'a.yaml', 'b.yaml', '--no-files'], cwd)).toEqual([
      expect.stringMatching(/^3 runs of 2 scenarios cost \$[\d.]+ in all; 1 of 1 expectation holds\.$/),
      'The conclusion of each is below its tables.',
    ]);
  });

  it('run says where variants did not finish, whatever they cost', async () => {
    // Forty turns of a session do not fit into a window of 20,000 tokens that nothing compacts.
    const small = `${scenario('tiny')}variants:\n  - { name: small, window: 20000 }\n`;
    const cwd = tempFolder({ 'a.yaml': small });
    const { runs } = JSON.parse((await cli(['run', 'a.yaml', '--json', '--no-files'], { cwd })).stdout);
    expect(runs.map((run: { finished: boolean }) => run.finished)).toEqual([true, false]);
    const lines = await closing(['run', 'a.yaml', '--no-files'], cwd);
    expect(lines[0]).toMatch(/^2 runs of tiny cost \$[\d.]+ in all\.$/);
    expect(lines[1]).toBe('1 of them did not finish: do not compare that cost with runs that did.');
  });

  it('report ends as the run did', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const [result] = await closing(['run', 'a.yaml', '--no-charts'], cwd);
    const again = await closing(['report', 'reports/tiny/run.jsonl', '--out', 'again', '--no-charts'], cwd);
    expect([again[0], again.at(-1)]).toEqual([result, 'report again']);
  });

  it('sweep and tune name the best, repeat it, and say on what it was chosen', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const swept = await closing(['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h'], cwd);
    expect(swept[0]).toMatch(/^The best cost of 2 points is \$[\d.]+, at cache\.ttl=(5m|1h)\.$/);
    expect(swept.slice(1)).toEqual([
      'It is best on one session: add more with --transcripts to see whether that holds.',
      expect.stringMatching(/^ {2}repeat: ccbench run a\.yaml --set cache\.ttl=(5m|1h)$/),
      'page reports/tiny-sweep/report.html',
    ]);
    const calls = ['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--metrics', 'callsLost', '--no-files'];
    expect((await closing(calls, cwd))[0]).toMatch(
      /^All 2 points have the same calls lost, 0\. No point compacts: the largest context is [\d,]+\.$/,
    );
    const search = ['tune', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--minimise', 'costUsd'];
    const tuned = await closing(search, cwd);
    expect(tuned[0]!.replace(/^The best cost of 2 settings is /, '')).toBe(
      swept[0]!.replace(/^The best cost of 2 points is /, ''),
    );
    // The scenario has that lifetime already.
    expect(tuned[1]).toBe(
      'Stay with the unchanged scenario: no setting is better than the unchanged scenario.',
    );
    const none = await closing([...search, '--subject-to', 'turns == 41', '--no-files'], cwd);
    expect(none[0]).toBe('No setting is chosen: none of 2 settings meets turns == 41.');
  });

  it.each([
    ['run', ['run', 'a.yaml'], 'tiny'],
    ['run whose expectation failed', ['run', 'failing.yaml'], 'failing'],
    ['compare', ['compare', 'two.yaml'], 'tiny-compare'],
    ['sweep', ['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h'], 'tiny-sweep'],
    ['tune', ['tune', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--minimise', 'costUsd'], 'tiny-tune'],
  ])('the page of %s says the same in front', async (_name, argv, folder) => {
    const cwd = tempFolder({
      'a.yaml': scenario('tiny'),
      'two.yaml': TWO,
      'failing.yaml': `${scenario('failing')}expect: [turns == 41]\n`,
    });
    const lines = await closing(argv, cwd);
    const page = dataOf<PageData | StudyPageData>(
      readFileSync(join(cwd, 'reports', folder, 'report.html'), 'utf8'),
    );
    const told = page.kind === 'runs' ? Object.values(page.conclusion!) : [page.lead, page.advice];
    expect(told).toEqual(lines.slice(0, 2));
  });
});
