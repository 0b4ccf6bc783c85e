import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../helpers/architecture/tree.js';
import { cli, tempFolder } from '../../cli.js';

const AGENT = join(ROOT, 'docs/examples/agent.mjs');

/** Runs `ccbench exec` with answers at once and what it is given; `--json` keeps what the command prints out of the tests' output. */
function exec(argv: readonly string[], command: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', ANTHROPIC_AUTH_TOKEN: 'secret of the user' };
  const plain = ['exec', '--latency-scale', '0', '--count-with', 'heuristic'];
  return cli([...plain, ...argv, '--', ...command], { cwd: tempFolder(), env });
}

const node = (code: string) => [process.execPath, '-e', code];

/** Sends this many requests of one conversation, each with another system prompt of 3,000 tokens; does something before. */
const restless = (requests: number, before = '') =>
  node(`(async () => { ${before}
    for (let n = 1; n <= ${requests}; n++) {
      const system = [{ type: 'text', text: n + ' ' + 's'.repeat(12000), cache_control: { type: 'ephemeral' } }];
      const body = { model: 'claude-sonnet-4-5', max_tokens: 9, system, messages: [{ role: 'user', content: 'hello' }] };
      const headers = { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01' };
      const url = process.env.ANTHROPIC_BASE_URL + '/v1/messages';
      await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    }
  })()`);

describe('ccbench exec', () => {
  it('fails an agent that breaks its own cache, and says where', async () => {
    const record = join(tempFolder(), 'session.jsonl');
    const argv = ['--expect', 'cacheBreaks == 0', '--record', record];
    const { code, stdout } = await exec(argv, [process.execPath, AGENT]);
    expect(code).toBe(99);
    expect(stdout).toContain('3 calls: 3 answered');
    expect(stdout).not.toContain('--record keeps all');
    expect(stdout).toMatch(
      /request 2 {2}[\d,]+ cached tokens missed: the system prompt changed, system block 1: "Request 1, .*" became "Request 2, /,
    );
    expect(stdout).toContain('FAIL cacheBreaks == 0: cacheBreaks is 2');
    // The recording says the same.
    const why = await cli(['why', record, '--json', '--no-files'], { cwd: tempFolder() });
    expect(JSON.parse(why.stdout).byCause).toContainEqual(
      expect.objectContaining({ cause: 'system', events: 2, avoidableUsd: expect.any(Number) }),
    );
  });

  it('lists ten breaks and counts the rest', async () => {
    const { stdout } = await exec([], restless(12));
    expect(stdout.match(/^ {2}request \d+ .* tokens missed: the system prompt changed/gm)).toHaveLength(10);
    expect(stdout).toMatch(/^ {2}request 11 .*\n {2}and 1 more \(--record keeps all\)\n/m);
  });

  it('knows every sum by its name, as the bill has it', async () => {
    const names = ['requests', 'requestsRefused', 'conversations', 'compactions', 'costUsd', 'promptTokens'];
    names.push('cacheReadTokens', 'cacheWriteTokens', 'uncachedTokens', 'outputTokens', 'cacheHitRate');
    names.push('cacheBreaks', 'missedTokens', 'cacheBreaksByCause.system', 'cacheBreaksByCause.tools');
    const argv = ['--json', ...names.flatMap((name) => ['--expect', `${name} >= 0`])];
    const { code, stdout } = await exec(argv, restless(3));
    expect(code).toBe(0);
    const { totals, expectations } = JSON.parse(stdout);
    const actual = Object.fromEntries(
      expectations.map(({ actual }: { actual: number }, i: number) => [names[i], actual]),
    );
    const { usage, costUsd, missedTokens } = totals;
    const prompt = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
    expect(usage.cacheWrite5m).toBeGreaterThan(3 * 3_000);
    // Two of three requests miss what the one before them wrote.
    expect(missedTokens).toBeCloseTo((2 * usage.cacheWrite5m) / 3, -2);
    expect(actual).toEqual({
      requests: 3,
      requestsRefused: 0,
      conversations: 1,
      compactions: 0,
      costUsd,
      promptTokens: prompt,
      cacheReadTokens: 0,
      cacheWriteTokens: usage.cacheWrite5m,
      uncachedTokens: usage.input,
      outputTokens: usage.output,
      cacheHitRate: 0,
      cacheBreaks: 2,
      missedTokens,
      'cacheBreaksByCause.system': 2,
      'cacheBreaksByCause.tools': 0,
    });
  });

  it('a recording that cannot be written any more costs one warning and exit code 2, no answer', async () => {
    const record = join(tempFolder(), 'session.jsonl');
    const inTheWay = `require('node:fs').mkdirSync(${JSON.stringify(record)});`;
    const { code, stdout, stderr } = await exec(['--record', record], restless(2, inTheWay));
    expect(stdout).toContain('2 calls: 2 answered');
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^warning: .*session\.jsonl: it is a folder/),
      '',
    ]);
    expect(code).toBe(2);
  });

  it('passes the same agent without the fault', async () => {
    const argv = ['--expect', 'cacheBreaks == 0', '--expect', 'cacheHitRate > 60%'];
    const { code, stdout } = await exec(argv, [process.execPath, AGENT, '--fixed']);
    expect(stdout).toContain('ok   cacheBreaks == 0');
    expect(code).toBe(0);
  });

  it('gives the command the address and a key, and keeps the user’s own from it', async () => {
    const names = ['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'GOOGLE_GEMINI_BASE_URL', 'ANTHROPIC_API_KEY'];
    const check = `const e = process.env; const ok = ${JSON.stringify(names)}.every((n) => e[n]) && !e.ANTHROPIC_AUTH_TOKEN
      && e.OPENAI_BASE_URL === e.ANTHROPIC_BASE_URL + '/v1'; process.exit(ok ? 3 : 4);`;
    expect((await exec([], node(check))).code).toBe(3);
  });

  it('passes on the exit code of the command, whatever was expected', async () => {
    const { code, stderr } = await exec(['--expect', 'costUsd < 1'], node('process.exit(7)'));
    expect(code).toBe(7);
    expect(stderr).toContain('ended with exit code 7');
  });

  it('is bad usage where no request came, or the program is not there', async () => {
    const silent = await exec([], node(''));
    expect([silent.code, silent.stderr]).toEqual([
      2,
      expect.stringContaining('must take its address from ANTHROPIC_BASE_URL'),
    ]);
    const missing = await exec([], ['no-such-agent']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no such program')]);
  });

  it('knows what can be expected', async () => {
    const { code, stderr } = await exec(['--expect', 'cacheBreak == 0'], node(''));
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean "cacheBreaks"?')]);
  });

  it('--json has calls, sums and expectations', async () => {
    const argv = ['--json', '--expect', 'requests == 3', '--expect', 'compactions > 0'];
    const { code, stdout } = await exec(argv, [process.execPath, AGENT, '--fixed']);
    const { exitCode, totals, calls, expectations } = JSON.parse(stdout);
    expect([code, exitCode, totals.answered, calls.length]).toEqual([99, 0, 3, 3]);
    expect(expectations).toEqual([
      expect.objectContaining({ passed: true, actual: 3 }),
      expect.objectContaining({ passed: false, actual: 0 }),
    ]);
  });
});
