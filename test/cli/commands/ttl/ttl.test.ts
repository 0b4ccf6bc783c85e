import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, printed, snapshot, TRACE, tempFolder } from '../../cli.js';

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
    const short = await cli(['ttl', 'a.json', '--per-session'], { cwd, detail: 'as-given' });
    expect(short.stdout).toMatch(/\nEach session\n.*\n {2}a +\$/);
    expect((await cli(['ttl', 'a.json'], { cwd })).stdout).not.toMatch(/\n {2}a +\$/);
  });

  it('invents no price for a model nobody knows', async () => {
    const cwd = tempFolder({ 'a.json': TRACE.replaceAll('claude-sonnet-4-5', 'mystery-1') });
    const { stdout } = await cli(['ttl', 'a.json', '--json'], { cwd });
    const { unknownModels, cost } = JSON.parse(stdout);
    expect(unknownModels).toEqual([{ model: 'mystery-1', calls: 4 }]);
    expect(cost).toMatchObject({ total5mUsd: null, total1hUsd: null, calls: 4, unpricedCalls: 4 });
    const text = await cli(['ttl', 'a.json'], { cwd });
    expect(text.stderr).toContain('without a price: mystery-1 (4 calls)');
    expect(text.stdout).toContain('no model of the 4 calls has a price');
    expect(text.stdout).toContain('Which lifetime is cheaper is unknown');
    expect(text.stdout).not.toContain('$');
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

type Row = readonly [minutes: number, model: string, input: number, cached: number, written: number | ''];

/** A table of requests with 1,000 tokens of output each. */
function rows(...list: readonly Row[]): string {
  const lines = list.map(([minutes, model, input, cached, written]) =>
    [1_767_225_600 + minutes * 60, 's', model, input, cached, written, 1_000].join(','),
  );
  return ['time,session,model,input,cached,written,output', ...lines, ''].join('\n');
}

async function ruled(files: Readonly<Record<string, string | Uint8Array>>, more: readonly string[] = []) {
  const cwd = tempFolder(files);
  const stdout = await printed(['ttl', ...Object.keys(files), '--json', ...more], { cwd });
  return JSON.parse(stdout);
}

const usdOf = (costs: readonly { readonly costUsd: number }[]) => costs.map(({ costUsd }) => costUsd);

describe('ccbench ttl where the provider rules the lifetime', () => {
  /** Everything of GPT-5.4 as it was: $2.50 in, $0.25 read, $15 out. */
  const gpt54 = (input: number, read: number) => (input * 2.5 + read * 0.25 + 1_000 * 15) * MTOK;

  it('prices a gap of 20 minutes: gone at 5, read in full from 30 on, on steps of 128 tokens', async () => {
    const { byProvider, cost, recorded } = await ruled({
      'a.csv': rows([0, 'gpt-5.4', 100_000, 0, ''], [20, 'gpt-5.4', 110_000, 0, '']),
    });
    const { openai } = byProvider;
    const asRecorded = gpt54(100_000, 0) + gpt54(110_000, 0);
    // Prompt and answer are stored, 101,000 tokens: 789 steps of 128.
    const read = gpt54(100_000, 0) + gpt54(110_000 - 100_992, 100_992);
    expect(recorded.costUsd).toBeCloseTo(asRecorded, 9);
    expect(openai.recordedUsd).toBeCloseTo(asRecorded, 9);
    expect(openai.averageUsd).toBeCloseTo(asRecorded, 9);
    const seconds = openai.lifetimes.map(({ ttlSeconds }: { ttlSeconds: number }) => ttlSeconds);
    expect(seconds).toEqual([300, 1_800, 3_600, 86_400, null]);
    const [five, ...longer] = usdOf(openai.lifetimes);
    expect(five).toBeCloseTo(asRecorded, 9);
    for (const each of longer) expect(each).toBeCloseTo(read, 9);
    expect(openai.lifetimes[1].savesUsd).toBeCloseTo(asRecorded - read, 9);
    expect(cost).toMatchObject({ perSession: [], share5mCheaper: null });
  });

  it('an entry lives up to its last second; one that is gone leaves what the first request found warm', async () => {
    const { byProvider } = await ruled(
      { 'a.csv': rows([0, 'gpt-5.4', 100_000, 4_992, ''], [10, 'gpt-5.4', 110_000, 100_992, '']) },
      ['--ttl', '599,600'],
    );
    const first = gpt54(100_000 - 4_992, 4_992);
    const [gone, living] = usdOf(byProvider.openai.lifetimes);
    expect(gone).toBeCloseTo(first + gpt54(110_000 - 4_992, 4_992), 9);
    expect(living).toBeCloseTo(first + gpt54(110_000 - 100_992, 100_992), 9);
  });

  it('takes half of what could be read where the survival curve leaves half', async () => {
    const { byProvider } = await ruled({
      'a.csv': rows([0, 'gpt-5.4', 100_000, 0, ''], [16, 'gpt-5.4', 110_000, 0, '']),
    });
    // All are left after 15 minutes, none after 17: half after 16.
    const half = 100_992 / 2;
    expect(byProvider.openai.averageUsd).toBeCloseTo(gpt54(100_000, 0) + gpt54(110_000 - half, half), 9);
  });

  it('leaves what came up short while entries live as it was recorded', async () => {
    const { byProvider } = await ruled({
      'a.csv': rows([0, 'gpt-5.4', 100_000, 0, ''], [2, 'gpt-5.4', 110_000, 0, '']),
    });
    const asRecorded = gpt54(100_000, 0) + gpt54(110_000, 0);
    for (const each of usdOf(byProvider.openai.lifetimes)) expect(each).toBeCloseTo(asRecorded, 9);
  });

  it('bills writes at their price, and all of a prompt above a step at the higher one', async () => {
    // GPT-5.6 before the cut of August 2026: $5 in, $0.50 read, $6.25 written, $30 out; above 272,000 tokens of prompt $10, $1, $12.50 and $45.
    const { byProvider } = await ruled(
      {
        'a.csv': rows([0, 'gpt-5.6', 270_000, 0, 269_000], [40, 'gpt-5.6', 280_000, 0, 279_000]),
      },
      ['--ttl', '1800,3600'],
    );
    const first = (1_000 * 5 + 269_000 * 6.25 + 1_000 * 30) * MTOK;
    const second = (1_000 * 10 + 279_000 * 12.5 + 1_000 * 45) * MTOK;
    // Reads end at 768 and every 1,024 tokens behind it: 768 + 262 × 1,024.
    const read = 269_056;
    const rescued = (1_000 * 10 + (279_000 - read) * 12.5 + read * 1 + 1_000 * 45) * MTOK;
    const { recordedUsd, averageUsd, lifetimes } = byProvider['openai-5.6'];
    for (const each of [recordedUsd, averageUsd, lifetimes[0].costUsd])
      expect(each).toBeCloseTo(first + second, 9);
    expect(lifetimes[1]).toEqual({
      ttlSeconds: 3_600,
      costUsd: expect.closeTo(first + rescued, 9),
      savesUsd: expect.closeTo(second - rescued, 9),
    });
  });

  it('says what a longer lifetime would save, and asks no question that nobody can answer', async () => {
    const cwd = tempFolder({
      'a.csv': rows([0, 'gpt-5.4', 100_000, 0, ''], [20, 'gpt-5.4', 110_000, 0, '']),
    });
    const { stdout } = await cli(['ttl', 'a.csv', '--per-session'], { cwd, columns: 200 });
    // 100,992 tokens at $2.25 less.
    expect(stdout.replace(/\s+/g, ' ')).toContain('a longer one would save: 30 min $0.2272, 1 h $0.2272');
    expect(stdout).toMatch(/by its rule +\$0\.5550/);
    expect(stdout).not.toContain('5 minutes is cheaper');
    expect(stdout).toContain('Only shorter pauses would save as much as a longer lifetime.');
    const steady = rows([0, 'gpt-5.4', 100_000, 0, ''], [1, 'gpt-5.4', 110_000, 100_992, '']);
    const idle = await cli(['ttl', 'a.csv'], { cwd: tempFolder({ 'a.csv': steady }), columns: 200 });
    expect(idle.stdout).toContain('A longer one would save nothing here.');
    expect(idle.stdout).toContain('Shorter pauses would save as little as a longer lifetime.');
  });

  it('keeps both questions apart where sessions of several providers come together', async () => {
    const { cost, byProvider, recorded } = await ruled({
      'a.csv': rows([0, 'gpt-5.4', 10_000, 0, '']),
      'b.csv': rows([0, 'claude-sonnet-4-5', 10_000, 0, 10_000]),
    });
    expect(cost.perSession.map(({ id }: { id: string }) => id)).toEqual(['b.csv']);
    expect(byProvider.openai).toMatchObject({ sessions: 1, perSession: [{ id: 'a.csv' }] });
    expect(recorded.each.map(({ name }: { name: string }) => name)).toEqual(['a.csv', 'b.csv']);
  });

  it('says with the numbers that they are of a part of the calls', async () => {
    const files = {
      'a.csv': rows([0, 'gpt-5.4', 100_000, 0, ''], [20, 'gpt-5.4-unheard-of', 110_000, 0, '']),
    };
    const { byProvider } = await ruled(files);
    expect(byProvider.openai).toMatchObject({ calls: 2, unpricedCalls: 1 });
    expect(byProvider.openai.averageUsd).toBeCloseTo(gpt54(100_000, 0), 9);
    const { stdout } = await cli(['ttl', 'a.csv'], { cwd: tempFolder(files), columns: 200 });
    expect(stdout).toMatch(/by its rule +at least \$0\.2650/);
    expect(stdout).toContain('1 of 2 calls uses a model without a price');
  });

  it('has no money for models without a price', async () => {
    const { byProvider } = await ruled({ 'a.csv': rows([0, 'gpt-9-unheard-of', 10_000, 0, '']) });
    const [only] = Object.values(byProvider) as { averageUsd: number | null; lifetimes: unknown[] }[];
    expect(only).toMatchObject({ recordedUsd: null, averageUsd: null });
    expect(only!.lifetimes).toContainEqual({ ttlSeconds: 300, costUsd: null, savesUsd: null });
  });

  it('prices a request trace by the blocks that requests share', async () => {
    const trace = JSON.parse(TRACE.replaceAll('claude-sonnet-4-5', 'gpt-5.4'));
    trace.block_size = 640;
    for (const request of trace.requests) request.in = 7_000;
    const { byProvider } = await ruled({ 'a.json': JSON.stringify(trace) });
    const { recordedUsd, averageUsd, lifetimes } = byProvider.openai;
    expect(recordedUsd).toBeNull();
    // Ten of eleven blocks are shared, 6,400 tokens, after 20, 400 and 4,000 seconds.
    const withHits = (hits: number) => (28_000 * 2.5 - hits * 6_400 * 2.25 + 40 * 15) * MTOK;
    for (const [i, hits] of [1, 2, 2, 3, 3].entries())
      expect(lifetimes[i].costUsd).toBeCloseTo(withHits(hits), 9);
    expect(averageUsd).toBeCloseTo(withHits(2), 9);
  });

  it('draws the curve alone where there is no choice', async () => {
    const cwd = tempFolder({
      'a.csv': rows([0, 'gpt-5.4', 10_000, 0, ''], [1, 'gpt-5.4', 20_000, 9_984, '']),
    });
    await cli(['ttl', 'a.csv', '--out', 'made', '--svg'], { cwd });
    expect(Object.keys(snapshot(join(cwd, 'made')))).toEqual([
      'charts',
      'charts/hit-rate-by-lifetime.svg',
      'charts/hit-rate-by-lifetime.vl.json',
      'ttl.html',
    ]);
  });
});

describe('ccbench ttl on recordings of other clients', () => {
  const claude = 'claude-sonnet-4-5';
  const out = (calls: number) => calls * 1_000 * 15;

  it('gives breaks that nothing explains to both lifetimes', async () => {
    const { cost, recorded } = await ruled({
      'a.csv': rows([0, claude, 100_000, 0, 100_000], [1, claude, 110_000, 0, 110_000]),
    });
    // All is written twice: $3.75 for five minutes, $6 for an hour.
    expect(recorded.costUsd).toBeCloseTo((210_000 * 3.75 + out(2)) * MTOK, 9);
    expect(cost.total5mUsd).toBeCloseTo(recorded.costUsd, 9);
    expect(cost.total1hUsd).toBeCloseTo((210_000 * 6 + out(2)) * MTOK, 9);
  });

  it('takes what was not read as written once where no writes are told', async () => {
    const { cost } = await ruled({
      'a.csv': rows([0, claude, 10_000, 0, ''], [1, claude, 20_000, 10_000, ''], [11, claude, 30_000, 0, '']),
    });
    expect(cost.total5mUsd).toBeCloseTo((10_000 * 0.3 + 50_000 * 3.75 + out(3)) * MTOK, 9);
    expect(cost.total1hUsd).toBeCloseTo((30_000 * 0.3 + 30_000 * 6 + out(3)) * MTOK, 9);
  });

  it.skipIf(!sharedData.present)('is right at the recorded lifetime of a pi session', async () => {
    const files = sharedData.files('transcripts/pi');
    const { cost, recorded } = JSON.parse((await cli(['ttl', '--json', ...files], { cwd: '.' })).stdout);
    // 1,685,320 tokens were written, all for five minutes; 151,829 of them after pauses of five minutes to an hour.
    const more = ((1_685_320 - 151_829) * 10 + 151_829 * 0.5 - 1_685_320 * 6.25) * MTOK;
    // The requests for its two summaries are in no recording: something, and less than twice its largest prompt of 185,014 tokens at $5.
    expect(cost.total5mUsd - recorded.costUsd).toBeGreaterThan(0);
    expect(cost.total5mUsd - recorded.costUsd).toBeLessThan(2 * 185_014 * 5 * MTOK);
    expect(cost.total1hUsd - cost.total5mUsd).toBeCloseTo(more, 1);
  });

  it('sets beside the recorded cost what the same sessions cost, and says how many they are', async () => {
    const files = { 'a.csv': rows([0, claude, 100_000, 0, 100_000]), 'b.json': TRACE };
    const { stdout } = await cli(['ttl', 'a.csv', 'b.json'], { cwd: tempFolder(files), columns: 200 });
    const cells = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    const first = (100_000 * 3.75 + out(1)) * MTOK;
    const all = first + (640 * 0.3 + 3_360 * 3.75 + 40 * 15) * MTOK;
    expect(cells).toContainEqual(['1 of 2 sessions', 'all']);
    expect(cells).toContainEqual(['as recorded', `$${first.toFixed(4)}`]);
    expect(cells).toContainEqual(['5 minutes', `$${first.toFixed(4)}`, `$${all.toFixed(4)}`]);
    expect(stdout).toContain('other cache breaks in 1 of 2 sessions, those that record reads');
    const alone = await cli(['ttl', 'b.json'], { cwd: tempFolder(files), columns: 200 });
    expect(alone.stdout).toContain('hit rates and costs by time alone');
  });
});

describe('ccbench ttl on Claude Code sessions', () => {
  const session = (model: string, ...written: readonly number[]) =>
    jsonl(
      written.flatMap((tokens, i) => [
        user(`u${i}`, i * 20, 'go'),
        assistant(`a${i}`, i * 20 + 5, `m${i}`, say('done'), { model, usage: usage(0, 0, tokens, 1_000) }),
      ]),
    );

  it('prices the premium of an hour by the step that a prompt crosses', async () => {
    const { cost } = await ruled({ 's.jsonl': session('claude-sonnet-4-5', 250_000) });
    // Above 200,000 tokens: $12 for an hour, $7.50 for five minutes.
    expect(cost.premiumUsd).toBeCloseTo(0.25 * (12 - 7.5), 9);
    expect(cost.savedUsd).toBeCloseTo(0, 9);
  });

  it('prices nothing of a model nobody knows', async () => {
    const { cost, recorded, unknownModels } = await ruled({ 's.jsonl': session('mystery-1', 10_000) });
    expect(recorded.costUsd).toBeNull();
    expect(unknownModels).toEqual([{ model: 'mystery-1', calls: 1 }]);
    expect(cost).toMatchObject({ total5mUsd: null, calls: 1, unpricedCalls: 1, perSession: [] });
  });

  it('says with the numbers that they are of a part of the calls', async () => {
    const lines = Buffer.from(session('claude-sonnet-4-5', 10_000, 10_000, 10_000))
      .toString()
      .split('\n');
    const half = lines.map((line) => (line.includes('"m0"') ? line : line.replace('sonnet-4-5', 'zebra-9')));
    const files = { 's.jsonl': half.join('\n') };
    const { cost, unknownModels } = await ruled(files);
    // One call: 10,000 tokens written and 1,000 out.
    expect(cost.total5mUsd).toBeCloseTo((10_000 * 3.75 + 1_000 * 15) * MTOK, 9);
    expect(cost).toMatchObject({ calls: 3, unpricedCalls: 2, perSession: [{ calls: 3, unpricedCalls: 2 }] });
    expect(unknownModels).toEqual([{ model: 'claude-zebra-9', calls: 2 }]);
    const { stdout } = await cli(['ttl', 's.jsonl', '--per-session'], {
      cwd: tempFolder(files),
      columns: 200,
    });
    expect(stdout).toMatch(/5 minutes +at least \$0\.0525\n/);
    expect(stdout).toMatch(/\n {2}s +at least \$0\.0750 +at least \$0\.0525 +at least \$0\.0750/);
    expect(stdout).toContain('2 of 3 calls use models without a price');
    expect(stdout).toContain('saves $0.0225 on the 1 of 3 calls whose models have a price.');
  });
});
