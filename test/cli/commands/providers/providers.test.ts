import { copyFileSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { providerRegistry } from '../../../../src/provider/providers/providers.js';
import { cli, printed, refused, TRACE, tempFolder } from '../../cli.js';

const SESSION = resolve(import.meta.dirname, '../../../../fixtures/bugfix-20-turns.jsonl');

async function json(...argv: readonly string[]) {
  const { code, stdout, stderr } = await cli(['providers', ...argv, '--json'], { cwd: tempFolder() });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('ccbench providers', () => {
  it.each([
    // (write − read) · 100,000 / (read · 20,000)
    ['anthropic', 'claude-sonnet-4-5', 57.5],
    ['openai', 'gpt-5.5', 45],
    ['deepseek', 'deepseek-v4-flash', 245],
    ['anthropic', 'claude-opus-5-5', 120],
    ['openai-5.6', 'gpt-5.6-sol', 57.5],
    ['grok', 'grok-4.3', 26.25],
  ])('%s with %s: clearing pays after %d further requests', async (name, model, requests) => {
    const { providers } = await json(name, '--model', model);
    expect(providers).toHaveLength(1);
    expect(providers[0].breakEvenRequests).toBeCloseTo(requests, 6);
    const { stdout } = await cli(['providers', name, '--model', model], { cwd: tempFolder() });
    expect(stdout).toContain(`${Math.round(requests * 10) / 10}`);
    // 57 requests do not pay for a clearing that breaks even after 57.5.
    expect(stdout).toContain(
      `Such a clearing pays after ${Math.ceil(requests)} further requests at ${name}.`,
    );
  });

  it('shows how long entries live after their last use, as the rule has it', async () => {
    const { stdout } = await cli(['providers'], { cwd: tempFolder(), columns: 200 });
    // openai.yaml: every entry for a quarter of an hour, none after 17 minutes, and an hour in all.
    expect(stdout).toMatch(/^openai +prefix .* 15 min – 17 min /m);
    expect(stdout).toMatch(/^vertex-gemini +prefix .* 5 min – 24 h /m);
    expect(stdout).toMatch(/^gemini-explicit +object .* 1 h /m);
    expect(stdout).toContain('However often it is used, an entry ends after 1 h at azure, 1 h at openai.');
  });

  it('takes other sizes of a clearing', async () => {
    // (1.25 − 0.1) · 60 / (0.1 · 30)
    const { providers, rewritten, freed } = await json('anthropic', '--rewritten', '60k', '--freed', '30k');
    expect({ rewritten, freed }).toEqual({ rewritten: 60_000, freed: 30_000 });
    expect(providers[0].breakEvenRequests).toBeCloseTo(23, 6);
  });

  it('lists every provider, in text and as JSON, and fits 60 columns', async () => {
    const { providers } = await json();
    expect(providers.map(({ name }: { name: string }) => name)).toEqual(providerRegistry.names);
    const { stdout } = await cli(['providers'], { cwd: tempFolder(), columns: 60 });
    const lines = stdout.split('\n');
    for (const name of providerRegistry.names)
      expect(
        lines.some((line) => line.startsWith(`${name} `)),
        name,
      ).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('says null, and ? in text, where nobody knows the minimum', async () => {
    const { providers } = await json('glm');
    expect(providers[0].minimumTokens).toBeNull();
    const { stdout } = await cli(['providers', 'glm'], { cwd: tempFolder() });
    expect(stdout).toMatch(/^glm .* \? /m);
    expect(stdout).toContain('smallest prefix that is cached is not published');
  });

  it('shows a file, with ? for prices of a model that only a scenario adds', async () => {
    const file = resolve(import.meta.dirname, '../../../../scenarios/own-provider/own-gateway.yaml');
    const stdout = await printed(['providers', file], { cwd: tempFolder(), columns: 400 });
    expect(stdout).toContain('Own gateway (settings of the server)');
    expect(stdout).toMatch(/^own-gateway +prefix +16 +0 +10 min – 20 min +\? +\? +\? +own-weights/m);
    expect(stdout).toContain('an entry ends after 2 h at own-gateway.');
    expect(stdout).toContain(
      'The break-even at own-gateway is not known: own-weights has no price in the table.',
    );
    const replayed = await cli(['providers', file, '--session', SESSION], { cwd: tempFolder() });
    expect(replayed.code).not.toBe(0);
    expect(replayed.stderr).toContain('own-gateway.yaml:8:8: `own-weights` is in no table');
  });

  it.each([
    [['opnai'], 'did you mean "openai"?'],
    [['openai', '--model', 'kimi-k3'], 'openai does not serve kimi-k3'],
    [['--model', 'kimi-k3'], '--model needs the name of a provider'],
    [['--freed', '0'], 'number of tokens'],
  ])('%j is refused with exit code 2', async (argv, sentence) => {
    const stderr = await refused(['providers', ...argv], { cwd: tempFolder() });
    expect(stderr).toContain(sentence);
  });
});

describe('ccbench providers --session', () => {
  const RUN = ['providers', '--session', 's.jsonl'];
  const folder = (): string => {
    const cwd = tempFolder();
    copyFileSync(SESSION, join(cwd, 's.jsonl'));
    return cwd;
  };

  it('says what was recorded, and where chance leaves the cost', async () => {
    // GPT-5.5 at $5 in, $0.50 read and $30 out, and nothing was read though the second prompt holds the first
    const table = ['time,session,model,input,cached,written,output'];
    for (let i = 0; i < 5; i++) table.push(`${1_767_225_600 + i * 60},s,gpt-5.5,${20_000 + i * 1_000},0,,10`);
    const cwd = tempFolder({ 's.csv': `${table.join('\n')}\n` });
    const recorded = (110_000 * 5 + 50 * 30) / 1e6;
    const run = JSON.parse((await cli(['run', 's.csv', '--json'], { cwd })).stdout).runs[0].metrics;
    const argv = ['providers', 'openai', '--session', 's.csv'];
    const { recordedUsd, providers } = JSON.parse((await cli([...argv, '--json'], { cwd })).stdout);
    expect(recordedUsd).toBeCloseTo(recorded, 9);
    const { costUsd, costLowUsd, costHighUsd } = run;
    expect(providers[0]).toMatchObject({ costUsd, costLowUsd, costHighUsd, isDraw: false, isOwn: true });
    // Where it was recorded, chance is known: the replay is the recording.
    expect(costUsd).toBeCloseTo(recorded, 9);
    const { stdout } = await cli(argv, { cwd, columns: 300 });
    expect(stdout).toContain('The session cost $0.5515 as recorded; replayed it costs $');
  });

  it('replays one session under every provider', async () => {
    const cwd = folder();
    const stdout = await printed([...RUN, '--json'], { cwd });
    const { providers } = JSON.parse(stdout);
    expect(providers.map(({ provider }: { provider: string }) => provider)).toEqual(providerRegistry.names);
    const lines = readFileSync(SESSION, 'utf8').split('\n');
    const answers = lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    const ids = new Set(answers.flatMap(({ type, message }) => (type === 'assistant' ? [message.id] : [])));
    expect(ids.size).toBeGreaterThan(0);
    const row = (name: string) =>
      providers.find(({ provider }: { provider: string }) => provider === name) as {
        costUsd: number;
        costLowUsd: number;
        costHighUsd: number;
        hitRate: number;
        requests: number;
      };
    for (const name of providerRegistry.names) {
      // The client asks for a suggestion of its own besides.
      expect(row(name).requests, name).toBeGreaterThanOrEqual(ids.size);
      expect(row(name).requests, name).toBe(row('anthropic').requests);
      expect(row(name).costUsd, name).toBeGreaterThan(0);
      expect(row(name).hitRate, name).toBeGreaterThanOrEqual(0);
      expect(row(name).hitRate, name).toBeLessThan(1);
    }
    for (const name of ['bedrock', 'vertex-claude']) expect(row(name).costUsd).toBe(row('anthropic').costUsd);
    // What happened by chance is known where it was recorded, and nowhere else.
    expect(row('anthropic').costHighUsd).toBe(row('anthropic').costLowUsd);
    expect(row('openai').costHighUsd).toBeGreaterThan(row('openai').costLowUsd);
    // Input, output and reads of DeepSeek cost a small part of Claude's.
    expect(row('deepseek').costUsd).toBeLessThan(row('anthropic').costUsd / 3);
    // A prefix cache without steps and chance reads at least what steps of 1,024 leave.
    expect(row('kimi').hitRate).toBeGreaterThanOrEqual(row('openai-5.6').hitRate);
  });

  it.each([
    ['openai', 'gpt-5.5'],
    ['anthropic', 'claude-sonnet-4-5'],
  ])('has the figures of a run of the same trace under %s', async (provider, model) => {
    // 3,200 of 4,000 tokens come again in each request
    const requests = JSON.parse(TRACE).requests.map((request: { t: number }) => ({
      ...request,
      model,
      in: 4_000,
      hash_ids: [...Array.from({ length: 50 }, (_, i) => i), 1_000 + request.t],
    }));
    const text = JSON.stringify({ ...JSON.parse(TRACE), models: [model], requests });
    const cwd = tempFolder({
      't.json': text,
      'a.yaml': `name: a\ntranscript: { file: t.json }\npolicy: none\nprovider: ${provider}\ncache: { ttl: 5m }\n`,
    });
    const ran = JSON.parse((await cli(['run', 'a.yaml', '--no-files', '--json'], { cwd })).stdout);
    const { metrics } = ran.runs[0];
    const argv = ['providers', provider, '--session', 't.json', '--json'];
    const [row] = JSON.parse((await cli(argv, { cwd })).stdout).providers;
    expect(metrics.cacheHitRate).toBeGreaterThan(0);
    expect(row).toMatchObject({
      policy: 'none',
      model,
      costUsd: metrics.costUsd,
      hitRate: metrics.cacheHitRate,
      requests: 4,
      requestsRefused: 0,
    });
  });

  it('holds the window of the recording, so that its compactions come where they came, beside what it cost', async () => {
    const cwd = folder();
    const { recordedUsd, providers } = JSON.parse((await cli([...RUN, '--json'], { cwd })).stdout);
    // ccbench inspect says the same of the file.
    expect(recordedUsd).toBeCloseTo(0.6608, 4);
    for (const { provider, window, compactions } of providers)
      expect({ provider, window, compactions }).toEqual({ provider, window: 200_000, compactions: 0 });
    const { stdout } = await cli(RUN, { cwd, columns: 200 });
    expect(stdout).toMatch(/^as recorded +\$0\.6608 +93\.4% +0$/m);
    expect(stdout).toContain('The window of the recording, 200,000 tokens, is kept under every provider');
  });

  it('ranks no provider where calls were not answered, and says what recorded compactions are undone', async () => {
    // Ten calls that grow by 30,000 tokens: a window of 200,000 holds six of them, one of a million all. Then a prompt of 40,000.
    const blocks = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);
    const requests = [...Array.from({ length: 10 }, (_, i) => 30_000 * (i + 1)), 40_000].map((tokens, t) => ({
      t,
      type: 'n',
      model: 'claude-sonnet-4-5',
      in: tokens,
      out: 10,
      hash_ids: blocks(Math.floor(tokens / 64)),
      input_types: ['text'],
      output_types: ['text'],
      stop: 'end_turn',
    }));
    const cwd = tempFolder({ 't.json': JSON.stringify({ id: 'long', block_size: 64, requests }) });
    const argv = ['providers', '--session', 't.json'];
    const { providers } = JSON.parse((await cli([...argv, '--json'], { cwd })).stdout);
    const row = (name: string) => providers.find((each: { provider: string }) => each.provider === name);
    expect(row('anthropic')).toMatchObject({
      calls: 11,
      callsLost: 5,
      finished: false,
      compactionsUndone: 1,
    });
    expect(row('gemini')).toMatchObject({ calls: 11, callsLost: 0, finished: true });
    const alone = await cli(['providers', 'anthropic', '--session', 't.json'], { cwd });
    expect(alone.stdout).toContain('No provider finished the session');
  });

  it('a file that is not there is an error with its name', async () => {
    const { code, stderr } = await cli(RUN, { cwd: tempFolder() });
    expect(code).not.toBe(0);
    expect(stderr).toContain('s.jsonl');
  });
});
