import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenLocally } from '../../../../src/cli/commands/serve/local-server.js';
import { type ApiCall, createFakeApi } from '../../../../src/provider/fake-api/fake-api.js';
import { createClock } from '../../../helpers/clock.js';
import { hideWarnings } from '../../../helpers/hide-warnings.js';
import { type CliResult, cli, refused, snapshot, tempFolder } from '../../cli.js';

hideWarnings();

/** Compacts three times; claude-sonnet-4-5 costs $3 and $15 for a million tokens (CCH-4). */
const SCENARIO = `name: real
transcript: { synthetic: { workload: bugfix, turns: 30 } }
policy: claude-code/2.0
model: claude-sonnet-4-5
window: 60000
`;
const INPUT_USD = 3e-6;
const OUTPUT_USD = 15e-6;
const KEY = 'sk-never-written';
const CASSETTE = 'real.cassette.jsonl';

/** Four characters a token: 100 tokens of scratchpad and 300 of summary, and the tags. */
const SUMMARY = `<analysis>${'a'.repeat(400)}</analysis>\n<summary>${'s'.repeat(1_200)}</summary>`;

/** An API on a loopback socket that answers with a summary, and the calls it got. */
async function api(): Promise<{ readonly url: string; readonly calls: ApiCall[] }> {
  const calls: ApiCall[] = [];
  const { fetch } = createFakeApi({
    clock: createClock(),
    counter: { count: (text) => Math.ceil(text.length / 4) },
    latencyScale: 0,
    answer: () => [{ type: 'text', text: SUMMARY }],
    onCall: (call) => calls.push(call),
  });
  const { url, close } = await listenLocally(fetch, 0);
  onTestFinished(close);
  return { url, calls };
}

function folder(): string {
  return tempFolder({ 'a.yaml': SCENARIO });
}

function run(cwd: string, url: string | null, set: readonly string[], out = 'out'): Promise<CliResult> {
  const argv = ['run', 'a.yaml', '--out', out, '--no-charts', ...set.flatMap((item) => ['--set', item])];
  return cli(argv, {
    cwd,
    ...(url === null ? {} : { env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url } }),
  });
}

function answersIn(cwd: string): readonly { readonly usage: { output: number }; readonly usd: number }[] {
  const text = readFileSync(join(cwd, CASSETTE), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Output of the summary requests in a log. */
function billedSummaries(cwd: string, out: string): readonly number[] {
  return readFileSync(join(cwd, out, 'real/run.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type, purpose }) => type === 'request' && purpose === 'compact')
    .map(({ output }) => output);
}

const written = (calls: readonly ApiCall[]) => calls.filter(({ usage }) => usage !== null);

describe('llm: live and llm: cassette', () => {
  it('a run from the cassette is the live run byte for byte, and asks nobody', async () => {
    const cwd = folder();
    const { url, calls } = await api();
    const live = await run(cwd, url, ['llm=live'], 'live');
    expect(live.stderr).toContain(`sends the session's text to ${url}`);
    expect(live.code).toBe(0);
    const answers = answersIn(cwd);
    expect(answers.length).toBeGreaterThan(1);
    expect(live.stderr).toContain(`${answers.length} summaries were written for $`);
    expect(written(calls)).toHaveLength(answers.length);

    const asked = calls.length;
    expect((await run(cwd, null, ['llm=cassette'], 'kept')).code).toBe(0);
    const log = readFileSync(join(cwd, 'live/real/run.jsonl'), 'utf8');
    expect(readFileSync(join(cwd, 'kept/real/run.jsonl'), 'utf8')).toBe(log);
    // what is kept is not asked for again: not even a key is needed
    expect((await run(cwd, null, ['llm=live'], 'again')).code).toBe(0);
    expect(readFileSync(join(cwd, 'again/real/run.jsonl'), 'utf8')).toBe(log);
    expect(calls).toHaveLength(asked);

    const billed = billedSummaries(cwd, 'live');
    expect(billed).toEqual(answers.map(({ usage }) => usage.output));
    expect(billed[0]).toBe(Math.ceil(SUMMARY.length / 4));
    for (const text of Object.values(snapshot(cwd))) expect(text).not.toContain(KEY);
  });

  it('stops before the budget is passed, says what is spent, and keeps what was paid for', async () => {
    const cwd = folder();
    const { url, calls } = await api();
    const none = await run(cwd, url, ['llm=live', 'llm.budgetUsd=0']);
    expect(none.code).toBe(2);
    expect(written(calls)).toHaveLength(0);
    const [, ...shown] = /\(([\d,]+) \+ ([\d,]+) tokens\)/.exec(none.stderr)!;
    const [prompt, most] = shown.map((text) => Number(text.replaceAll(',', ''))) as [number, number];
    const worst = prompt * INPUT_USD + most * OUTPUT_USD;
    expect(none.stderr).toContain(`up to $${worst.toFixed(4)}`);
    expect(none.stderr).toContain(`--set llm.budgetUsd=${Math.ceil(worst * 100) / 100}`);

    // enough for the first at its worst; the second may cost as much again
    const budget = worst + 1e-6;
    const stopped = await run(cwd, url, ['llm=live', `llm.budgetUsd=${budget}`]);
    expect(stopped.code).toBe(2);
    expect(written(calls)).toHaveLength(1);
    const [first, ...others] = answersIn(cwd);
    expect(others).toEqual([]);
    expect(first!.usd).toBeCloseTo(prompt * INPUT_USD + Math.ceil(SUMMARY.length / 4) * OUTPUT_USD, 9);
    expect(stopped.stderr).toContain(`$${first!.usd.toFixed(4)} is spent`);
    expect(existsSync(join(cwd, 'out/real/run.jsonl'))).toBe(false);

    expect((await run(cwd, url, ['llm=live', 'llm.budgetUsd=10'])).code).toBe(0);
    expect(written(calls)).toHaveLength(answersIn(cwd).length);
  });

  it('names a request that the cassette does not know, who asks for it, and the way out', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, CASSETTE), '');
    const { code, stderr } = await run(cwd, null, ['llm=cassette']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no answer to [0-9a-f]{32}, which the layer full-compact asks for at request \d+/);
    expect(stderr).toContain('--set llm.mode=live');
  });

  it('names the line of a damaged cassette, and a cassette that is not there', async () => {
    const cwd = folder();
    const { url } = await api();
    const missing = await run(cwd, null, ['llm=cassette']);
    expect(missing.stderr).toContain(`there is no cassette ${CASSETTE}`);
    await run(cwd, url, ['llm=live']);
    const lines = answersIn(cwd).length;
    appendFileSync(join(cwd, CASSETTE), '{"key":"half a li');
    for (const mode of ['live', 'cassette']) {
      const { code, stderr } = await run(cwd, url, [`llm=${mode}`]);
      expect(code).toBe(2);
      expect(stderr).toContain(`${CASSETTE}:${lines + 1}: this line of the cassette is damaged`);
    }
  });

  it('a call that a fault refuses is not sent; a fault that changes the words puts its own in their place', async () => {
    const cwd = folder();
    const { url, calls } = await api();
    const under = (error: string) =>
      run(cwd, url, ['llm=live', `llm.faults=[{ call: compact, error: ${error} }]`]);
    await under('server_error');
    expect(calls).toEqual([]);
    await under('empty_summary');
    // an answer without text is billed as one token
    expect(new Set(billedSummaries(cwd, 'out'))).toEqual(new Set([1]));
  });

  it('needs text, a key and a model of the API, and says so before anything is sent', async () => {
    const cwd = folder();
    const { url, calls } = await api();
    const bare = await run(cwd, url, ['llm=live', 'transcript.synthetic.text=none']);
    expect(bare.stderr).toMatch(/a \w+ of \d+ tokens has no text in this transcript/);
    const keyless = await cli(['run', 'a.yaml', '--set', 'llm=live'], { cwd });
    expect(keyless.stderr).toContain('ANTHROPIC_API_KEY');
    const foreign = await run(cwd, url, ['llm=live', 'llm.model=gpt-5.5']);
    expect(foreign.stderr).toContain('llm.model=claude');
    expect([bare.code, keyless.code, foreign.code]).toEqual([2, 2, 2]);
    expect(calls).toEqual([]);
  });

  it('says where it has no effect', async () => {
    const cwd = folder();
    const idle = await run(cwd, null, ['llm=live', 'policy=none']);
    expect(idle.code).toBe(0);
    expect(idle.stderr).toContain('no summary was requested');
    const alone = await run(cwd, null, ['llm={ budgetUsd: 2 }']);
    expect(alone.stderr).toContain('`llm.budgetUsd` has no effect without `mode`');
  });

  it('studies refuse it at once', async () => {
    const cwd = folder();
    const argvs = [
      ['compare', 'a.yaml', '--policy', 'claude-code/2.0,peers/pi'],
      ['sweep', 'a.yaml', '--vary', 'window=60000,70000'],
    ];
    for (const argv of argvs) {
      const stderr = await refused([...argv, '--set', 'llm=cassette'], { cwd });
      expect(stderr.match(/work with ccbench run alone/g)).toHaveLength(1);
    }
  });

  it('a cassette is found beside its scenario', async () => {
    const cwd = folder();
    const { url } = await api();
    writeFileSync(join(cwd, 'a.yaml'), `${SCENARIO}llm: { mode: live, cassette: kept/b.jsonl }\n`);
    const unwritable = await run(cwd, url, []);
    expect(unwritable.stderr).toContain('kept/b.jsonl: the cassette cannot be written');
    writeFileSync(join(cwd, 'a.yaml'), `${SCENARIO}llm: { mode: live, cassette: b.jsonl }\n`);
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
    await cli(['run', join(cwd, 'a.yaml'), '--no-files'], { cwd: tempFolder(), env });
    expect(existsSync(join(cwd, 'b.jsonl'))).toBe(true);
  });
});
