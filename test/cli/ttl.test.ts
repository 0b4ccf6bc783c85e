import { describe, expect, it } from 'vitest';
import { sharedData } from '../helpers/shared.js';
import { cli, TRACE, tempFolder } from './cli.js';

const MTOK = 1e-6;

describe('ccbench ttl', () => {
  it('E1 prints the curve at the eleven lifetimes in one JSON object', async () => {
    const cwd = tempFolder({ 'a.json': TRACE });
    const { code, stdout, stderr } = await cli(['ttl', 'a.json', '--json'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ sessions: 1, requests: 4, promptTokens: 4_000, skipped: [] });
    const hits = [640, 640, 640, 640, 1_280, 1_280, 1_280, 1_280, 1_920, 1_920, 1_920];
    expect(report.curve).toEqual(
      [30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 86_400, null].map((ttlSeconds, i) => ({
        ttlSeconds,
        hitTokens: hits[i],
        hitRate: hits[i]! / 4_000,
      })),
    );
    // Sonnet 4.5: $15 out, $0.30 read, $3.75 and $6 written; 640 tokens hit within 5 minutes, 1,280 within an hour.
    expect(report.cost.total5mUsd).toBeCloseTo((640 * 0.3 + 3_360 * 3.75 + 40 * 15) * MTOK, 12);
    expect(report.cost.total1hUsd).toBeCloseTo((1_280 * 0.3 + 2_720 * 6 + 40 * 15) * MTOK, 12);
  });

  it('--ttl asks for other lifetimes, in order and once each', async () => {
    const cwd = tempFolder({ 'a.json': TRACE });
    const { stdout } = await cli(['ttl', 'a.json', '--json', '--ttl', '400,10,400'], { cwd });
    expect(JSON.parse(stdout).curve).toEqual([
      { ttlSeconds: 10, hitTokens: 0, hitRate: 0 },
      { ttlSeconds: 400, hitTokens: 1_280, hitRate: 0.32 },
    ]);
  });

  it('counts subagents as threads of their own, and leaves them out with --main-only', async () => {
    const trace = JSON.parse(TRACE);
    trace.requests.push({ type: 'subagent', t: 5, agent_id: 'x', requests: JSON.parse(TRACE).requests });
    const cwd = tempFolder({ 'a.json': JSON.stringify(trace) });
    expect(JSON.parse((await cli(['ttl', 'a.json', '--json'], { cwd })).stdout).requests).toBe(8);
    expect(JSON.parse((await cli(['ttl', 'a.json', '--json', '--main-only'], { cwd })).stdout).requests).toBe(
      4,
    );
  });

  it('uses the good files and says which were left out', async () => {
    const cwd = tempFolder({ 'a.json': TRACE, 'b.json': TRACE.slice(0, 50), 'c.json': TRACE });
    const { code, stdout, stderr } = await cli(['ttl', 'a.json', 'b.json', 'c.json', 'd.json', '--json'], {
      cwd,
    });
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.sessions).toBe(2);
    expect(report.skipped.map((item: { file: string }) => item.file)).toEqual(['b.json', 'd.json']);
    expect(stderr).toContain('2 of 4 files left out');
  });

  it('takes a folder as the recordings inside', async () => {
    const cwd = tempFolder({ 'a.json': TRACE, 'b.json': TRACE, 'notes.txt': 'x' });
    const report = JSON.parse((await cli(['ttl', '.', '--json'], { cwd })).stdout);
    expect(report.sessions).toBe(2);
    // 1,920 of 4,000 tokens in each
    expect(report.hitRatePerSession).toEqual({ median: 0.48, lowerQuartile: 0.48, mean: 0.48, min: 0.48 });
    expect((await cli(['ttl', '.'], { cwd })).stdout).toContain('unlimited lifetime: median 48.0%');
  });

  it('says in words what each lifetime costs, and per session on request', async () => {
    const cwd = tempFolder({ 'a.json': TRACE });
    const { stdout } = await cli(['ttl', 'a.json', '--per-session'], { cwd });
    expect(stdout).toContain('unlimited');
    expect(stdout).toContain('5 minutes is cheaper for 100.0% of the sessions');
    expect(stdout).toMatch(/\n {2}a +\$/);
  });

  it('prices a model nobody knows as another and says so', async () => {
    const cwd = tempFolder({ 'a.json': TRACE.replaceAll('claude-sonnet-4-5', 'mystery-1') });
    const { stdout } = await cli(['ttl', 'a.json', '--json'], { cwd });
    expect(JSON.parse(stdout).unknownModels).toEqual([{ model: 'mystery-1', pricedAs: 'claude-sonnet-4-5' }]);
    expect((await cli(['ttl', 'a.json'], { cwd })).stderr).toContain('mystery-1');
  });

  it.skipIf(!sharedData.present)('E1 reads the recorded traces', async () => {
    const files = sharedData.files('kv-cache-tester');
    const { code, stdout, stderr } = await cli(['ttl', '--json', ...files], { cwd: '.' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report.sessions).toBe(files.length);
    const rates = report.curve.map((point: { hitRate: number }) => point.hitRate);
    expect(rates).toEqual([...rates].sort((a, b) => a - b));
    expect(report.cost.share5mCheaper).toBeGreaterThan(0);
    expect(report.cost.share1hCheaper).toBeGreaterThan(0);
  });
});
