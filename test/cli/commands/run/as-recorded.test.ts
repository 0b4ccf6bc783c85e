import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPEN_LOOP } from '../../../../src/report/text/as-recorded.js';
import { answered, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, printed, scenario, tempFolder } from '../../cli.js';

/** Two calls of Sonnet 4.5 that cost $0.006 × 10 + $0.015 and $0.003 + $0.006 + $0.015, so $0.099 in all. */
const SESSION = jsonl([
  user('u1', 0, 'first question'),
  answered(1, 5, say('first answer'), usage(0, 0, 10_000, 1_000)),
  user('u2', 20, 'second question'),
  answered(2, 25, say('second answer'), usage(0, 10_000, 1_000, 1_000)),
]);

const YAML = 'name: replay\ntranscript: { file: s.jsonl }\npolicy: none\n';
const VARIANTS = 'variants: [{ name: hour, cache: { ttl: 1h } }]\n';
const NOTE = 'without what transcripts lack: summary requests (0 here)';

function folder(more = '') {
  return tempFolder({ 's.jsonl': SESSION, 'a.yaml': YAML + more });
}

const read = (cwd: string, path: string): string => readFileSync(join(cwd, 'reports', path), 'utf8');
/** The same text whatever its lines are broken at. */
const flat = (text: string): string => text.replace(/\s+/g, ' ');

describe('what a recording cost', () => {
  it('C3 stands first in the cost of a run: terminal, summary.json, page', async () => {
    const cwd = folder();
    const stdout = await printed(['run', 'a.yaml'], { cwd });
    const lines = stdout.split('\n');
    const title = lines.findIndex((line) => line.startsWith('Cost by cause'));
    expect(lines[title + 1]).toMatch(/^ {2}as recorded +\$0\.0990 +2 calls$/);
    expect(lines[title + 2]).toMatch(/^ {2}total .* against the recording$/);
    expect(flat(stdout)).toContain(NOTE);
    expect(flat(stdout)).toContain(OPEN_LOOP);
    const summary = JSON.parse(read(cwd, 'replay/summary.json'));
    expect(summary.asRecorded.metrics.costUsd).toBeCloseTo(0.099, 9);
    expect(summary.metrics.recordedCostUsd).toBeCloseTo(0.099, 9);
    expect(summary.assumes).toBe(OPEN_LOOP);
    const page = read(cwd, 'replay/report.html');
    expect(page).toMatch(/"cards":\[\{"label":"As recorded","value":"\$0\.0990"/);
    expect(page).toContain(OPEN_LOOP);
  });

  it('C3 is the first row of the variants of a run', async () => {
    const { stdout } = await cli(['run', 'a.yaml', '--no-files'], { cwd: folder(VARIANTS) });
    const lines = stdout.split('\n');
    const head = lines.findIndex((line) => /^run +cost/.test(line));
    expect(lines[head + 1]).toMatch(/^as recorded +\$0\.0990 +100\.0% +47\.6%/);
  });

  it('C3 is the first row of a comparison: terminal, json, csv, markdown, page', async () => {
    const cwd = folder(VARIANTS);
    const { stdout } = await cli(['compare', 'a.yaml'], { cwd });
    const lines = stdout.split('\n');
    const head = lines.findIndex((line) => line.startsWith('variant'));
    expect(lines[head + 1]).toMatch(/^as recorded +\$0\.0990/);
    const json = JSON.parse(read(cwd, 'replay-compare/compare.json'));
    expect(json.variants.map(({ name }: { name: string }) => name)).toEqual(['as recorded', 'base', 'hour']);
    expect(json.variants[0].metrics.costUsd).toBeCloseTo(0.099, 9);
    expect(json.baseline).toBe('base');
    expect(Object.values(json.best)).not.toContain('as recorded');
    const csv = read(cwd, 'replay-compare/compare.csv').split('\n');
    expect(csv[1]).toMatch(/^as recorded,s\.jsonl,yes,yes,0\.099/);
    const page = read(cwd, 'replay-compare/compare.md');
    expect(page.split('\n')[4]).toMatch(/^\| as recorded \| \$0\.0990 \|/);
    expect(page).toContain(NOTE);
    expect(page).toContain(OPEN_LOOP);
    expect(read(cwd, 'replay-compare/report.html')).toContain(OPEN_LOOP);
  });

  it('C3 is a line beside a sweep and a search', async () => {
    const cwd = folder();
    const swept = await cli(['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h'], { cwd, columns: 400 });
    const line = /^as recorded: costUsd \$0\.0990, finishedShare 100\.0%, callsLost 0, cacheHitRate 47\.6%/m;
    expect(swept.stdout).toMatch(line);
    for (const text of [NOTE, OPEN_LOOP]) {
      expect(swept.stdout).toContain(text);
      expect(read(cwd, 'replay-sweep/sweep.md')).toContain(text);
    }
    expect(read(cwd, 'replay-sweep/report.html')).toContain(OPEN_LOOP);
    expect(JSON.parse(read(cwd, 'replay-sweep/sweep.json')).recorded.metrics.costUsd).toBeCloseTo(0.099, 9);
    const tuned = await cli(
      ['tune', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--minimise', 'costUsd', '--budget', '2', '--no-files'],
      { cwd, columns: 400 },
    );
    expect(tuned.stdout).toMatch(/^as recorded: costUsd \$0\.0990/m);
    expect(tuned.stdout).toContain(OPEN_LOOP);
  });

  it('C3 stands beside the lifetimes, and beside the predictions', async () => {
    const cwd = folder();
    const ttl = (await cli(['ttl', 's.jsonl', '--per-session'], { cwd })).stdout;
    expect(ttl).toMatch(/^ {2}session +as recorded +5 min/m);
    expect(ttl).toMatch(/^ +cost\n {2}as recorded +\$0\.0990\n {2}5 minutes +\$/m);
    expect(flat(ttl)).toContain(NOTE);
    const validated = (await cli(['validate', 's.jsonl'], { cwd })).stdout;
    expect(validated).toMatch(/^As recorded\n +cost\n {2}s +\$0\.0990\n {2}all +\$0\.0990$/m);
    expect((await cli(['inspect', 's.jsonl'], { cwd })).stdout).toMatch(/^ {2}as recorded +\$0\.0990$/m);
  });

  it('C3 is not there for generated sessions, whose reports say what a run assumes all the same', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny', VARIANTS) });
    const ran = (await cli(['run', 'a.yaml', '--no-files'], { cwd })).stdout;
    const compared = (await cli(['compare', 'a.yaml', '--no-files'], { cwd })).stdout;
    for (const text of [ran, compared]) {
      expect(text).not.toContain('as recorded');
      expect(flat(text)).toContain(OPEN_LOOP);
    }
  });

  it('prices a lifetime by the step that a prompt crosses, as the bill does', async () => {
    const long = jsonl([user('u1', 0, 'go'), answered(1, 5, say('done'), usage(0, 0, 250_000, 1_000))]);
    const cwd = tempFolder({ 's.jsonl': long });
    const { cost, recorded } = JSON.parse((await cli(['ttl', 's.jsonl', '--json'], { cwd })).stdout);
    // Above 200,000 tokens: $6 in, so $12 written for an hour, and $22.50 out.
    expect(recorded.costUsd).toBeCloseTo(0.25 * 12 + 0.001 * 22.5, 9);
    expect(cost.total1hUsd).toBeCloseTo(recorded.costUsd, 9);
  });
});
