import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageData, StudyPageData } from '../../../src/report/page-data/page-data.js';
import { dataOf } from '../../helpers/pages/page-data.js';
import { assistant, jsonl, say, usage, user } from '../../helpers/session.js';
import { cli, scenario, TRACE, tempFolder } from '../cli.js';

/** The last lines of a command, after the last empty one; a sentence that was wrapped is joined again. */
async function closing(argv: readonly string[], cwd: string): Promise<readonly string[]> {
  const { stdout } = await cli(argv, { cwd, columns: 1_000 });
  return stdout.trimEnd().split('\n\n').at(-1)!.split('\n');
}

/** Two calls with all that is needed to price them. */
function recording(): Uint8Array {
  const model = { model: 'claude-sonnet-4-5' };
  const fields = { version: '2.1.100', cwd: '/project' };
  return jsonl([
    user('u0', 0, 'a question', fields),
    assistant('a0', 1, 'm0', say('an answer'), { ...usage(10, 0, 20_000, 100), ...model, ...fields }),
    user('u1', 20, 'another', fields),
    assistant('a1', 21, 'm1', say('one more'), { ...usage(10, 20_000, 1_000, 100), ...model, ...fields }),
  ]);
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
      '1 of 1 expectation failed, the first of them turns == 41.',
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

  it('run says nothing of it where it is quiet or prints JSON', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    expect((await cli(['run', 'a.yaml', '--quiet', '--no-files'], { cwd })).stdout).toBe('');
    const { stdout } = await cli(['run', 'a.yaml', '--json', '--no-files'], { cwd });
    expect(JSON.parse(stdout).runs).toHaveLength(1);
  });

  it('report ends as the run did', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const [result] = await closing(['run', 'a.yaml', '--no-charts'], cwd);
    const again = await closing(['report', 'reports/tiny/run.jsonl', '--out', 'again', '--no-charts'], cwd);
    expect([again[0], again.at(-1)]).toEqual([result, 'report again']);
  });

  it('compare names the nearest rival of the baseline and how much is known of the difference', async () => {
    const cwd = tempFolder({ 'a.yaml': TWO, 'one.yaml': scenario('one') });
    const { variants } = JSON.parse(
      (await cli(['compare', 'a.yaml', '--json', '--no-files'], { cwd })).stdout,
    );
    const { mean } = variants[1].differences.costUsd;
    const lines = await closing(['compare', 'a.yaml'], cwd);
    expect(lines[0]).toMatch(
      mean < 0 ? /^one hour has cost .* less than base\.$/ : /^No variant is better than base/,
    );
    expect(lines.slice(1)).toEqual([
      'It is one session: --transcripts with more of them says whether the difference would last.',
      'page reports/tiny-compare/report.html',
    ]);
    expect((await closing(['compare', 'one.yaml', '--no-files'], cwd))[1]).toContain(
      'There is nothing to compare it with',
    );
  });

  it('sweep and tune name the best, repeat it, and say on what it was chosen', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const swept = await closing(['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h'], cwd);
    expect(swept[0]).toMatch(/^The best cost of 2 points is \$[\d.]+, at cache\.ttl=(5m|1h)\.$/);
    expect(swept.slice(1)).toEqual([
      'It is best on one session: --transcripts with more of them says whether it stays so.',
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
    expect(tuned[1]).toContain('chosen and judged on the same sessions');
    const none = await closing([...search, '--subject-to', 'turns == 41', '--no-files'], cwd);
    expect(none[0]).toBe('No setting is chosen: none of 2 settings holds turns == 41.');
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

  it('ttl names the cheaper lifetime last', async () => {
    const cwd = tempFolder({ 'trace.json': TRACE });
    const { cost } = JSON.parse((await cli(['ttl', 'trace.json', '--json'], { cwd })).stdout);
    const lines = await closing(['ttl', 'trace.json', '--out', 'ttl'], cwd);
    expect(lines[0]).toContain(cost.total5mUsd < cost.total1hUsd ? '; 5 minutes saves' : '; 1 hour saves');
    expect(lines[1]).toContain(cost.total5mUsd < cost.total1hUsd ? 'Choose 5 minutes' : 'Choose 1 hour');
    expect(lines[2]).toBe('page ttl/ttl.html');
  });

  it('the commands on recordings say what they found and where to go on', async () => {
    const cwd = tempFolder({ 's.jsonl': recording() });
    const { recordedUsd } = JSON.parse(
      (await cli(['why', 's.jsonl', '--json', '--no-files'], { cwd })).stdout,
    );
    const cost = `$${recordedUsd.toFixed(4)}`;
    expect((await closing(['inspect', 's.jsonl'], cwd))[0]).toMatch(
      new RegExp(`^1 session with 2 calls cost \\${cost} as recorded, .*; no problems found\\.$`),
    );
    expect((await closing(['inspect', 's.jsonl'], cwd))[1]).toContain('ccbench why');
    const why = await closing(['why', 's.jsonl'], cwd);
    expect(why[0]).toBe(`1 session cost ${cost}, with no avoidable cache break.`);
    expect(why.at(-1)).toBe('page reports/why/why.html');
    const validated = await closing(['validate', 's.jsonl', '--out', 'v'], cwd);
    expect(validated[0]).toMatch(/^The cost of this session was within ± [\d.]+%; /);
    expect(validated[1]).toContain('was never recorded');
    expect(validated[2]).toBe('page v/validate.html');
    const diff = await closing(['diff', 's.jsonl', '--out', 'd'], cwd);
    expect(diff[0]).toMatch(/^\d of 2 requests differs?; /);
    expect(diff[1]).toContain('ccbench validate');
    expect(diff[2]).toBe('page d/diff.html');
    const under = await closing(['providers', '--session', 's.jsonl'], cwd);
    expect(under[0]).toMatch(
      /^The session cost \$[\d.]+ as recorded; replayed it costs between \$[\d.]+ at .* and \$[\d.]+ at /,
    );
    expect(under[1]).toContain('not answers');
  });

  it('listings say how many there are and what is to be doubted', async () => {
    const cwd = tempFolder();
    const { models } = JSON.parse((await cli(['models', '--json'], { cwd })).stdout);
    expect((await closing(['models'], cwd))[0]).toMatch(
      new RegExp(`^${models.length} models, with list prices`),
    );
    const { providers } = JSON.parse((await cli(['providers', '--json'], { cwd })).stdout);
    const least = Math.min(
      ...providers.map(
        ({ breakEvenRequests }: { breakEvenRequests: number | null }) => breakEvenRequests ?? Infinity,
      ),
    );
    expect((await closing(['providers'], cwd))[0]).toContain(
      `pays soonest after ${least.toFixed(0)} further requests at `,
    );
    const shown = await closing(['policies', 'show', 'claude-code/2026'], cwd);
    const { thresholds } = JSON.parse(
      (await cli(['policies', 'show', 'claude-code/2026', '--json'], { cwd })).stdout,
    );
    const tokens = thresholds.autoCompact.toLocaleString('en-US');
    expect(shown[0]).toBe(`claude-code/2026 compacts at ${tokens} tokens, for claude-sonnet-4-5.`);
    await cli(['policies', 'new', 'mine'], { cwd });
    expect(await closing(['policies', 'check', 'mine.yaml'], cwd)).toEqual([
      'mine can be used.',
      'Next: ccbench run <scenario> --policy mine.yaml',
    ]);
    writeFileSync(join(cwd, 'bad.yaml'), 'nothing: here\n');
    expect((await closing(['policies', 'check', 'bad.yaml'], cwd))[0]).toMatch(
      /^bad\.yaml cannot be used: \d+ problem/,
    );
    expect((await closing(['cache'], cwd)).at(-1)).toContain('ccbench cache clear removes what is kept.');
  });

  it('results of a sweep into columns say which point is best, and where to ask', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const sweep = ['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--workers', '0', '--results', 'out'];
    const swept = await closing(sweep, cwd);
    expect(swept[0]).toMatch(/^The best cost of tiny\S* is \$[\d.]+, at cache\.ttl=(5m|1h)\.$/);
    expect(swept[1]).toBe('ccbench results out answers questions on them.');
    const asked = await closing(['results', 'out'], cwd);
    expect(asked[0]).toBe(swept[0]);
    expect(asked[1]).toContain('ccbench tune');
  });
});
