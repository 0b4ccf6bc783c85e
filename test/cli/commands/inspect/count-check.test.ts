import { describe, expect, it } from 'vitest';
import { hideWarnings } from '../../../helpers/hide-warnings.js';
import { answered, ask, assistant, jsonl, result, say, usage, user } from '../../../helpers/session.js';
import { cli, printed, TRACE, tempFolder } from '../../cli.js';
import { serving } from '../serve/serving.js';

hideWarnings();

const MODEL = { model: 'claude-sonnet-4-5' };

/**
 * Prompts of 20,000, 21,000 and 21,500 tokens. In between: a call `Bash{}` (6 characters), a result of 4,000, an answer of 400
 * and a prompt of 1,600.
 */
const SESSION = jsonl([
  user('u1', 0, 'go'),
  assistant('a1', 1, 'm1', ask('t1'), { ...MODEL, usage: usage(0, 0, 20_000, 10), stop_reason: 'tool_use' }),
  result('u2', 2, 't1', 'x'.repeat(4_000), { parentUuid: 'a1' }),
  answered(2, 3, say('y'.repeat(400)), usage(0, 20_000, 1_000, 100), { parentUuid: 'u2' }),
  user('u3', 4, 'z'.repeat(1_600), { parentUuid: 'a2' }),
  answered(3, 5, say('done'), usage(0, 21_000, 500, 5), { parentUuid: 'u3' }),
]);

describe('ccbench inspect --count-with', () => {
  it('TOK-10 says how far the heuristic is off the recorded usage', async () => {
    const cwd = tempFolder({ 'a.jsonl': SESSION });
    const stdout = await printed(['inspect', 'a.jsonl', '--count-with', 'heuristic', '--json'], {
      cwd,
    });
    // round(6 / 4) + 1,000 + 100 + 400 of 1,500
    expect(JSON.parse(stdout).files[0].counts).toEqual([
      {
        counter: 'heuristic',
        stretches: 1,
        calls: 3,
        recordedTokens: 1_500,
        countedTokens: 1_502,
        ratio: 1_502 / 1_500,
        sealedBlocks: 0,
        sent: null,
      },
    ]);
  });

  it('TOK-10 names the counters that were used, the heuristic beside them', async () => {
    const cwd = tempFolder({ 'a.jsonl': SESSION });
    const argv = ['inspect', 'a.jsonl', '--count-with', 'gpt-tokenizer,js-tiktoken'];
    const { counts } = JSON.parse((await cli([...argv, '--json'], { cwd })).stdout).files[0];
    expect(counts.map(({ counter }: { counter: string }) => counter)).toEqual([
      'heuristic',
      'gpt-tokenizer',
      'js-tiktoken',
    ]);
    expect(counts[1].countedTokens).toBe(counts[2].countedTokens);
    const { stdout } = await cli(argv, { cwd });
    expect(stdout).toContain('Token counters against recorded usage');
    expect(stdout).toMatch(/heuristic\s+1,502\s+1,500\s+1\.001/);
    expect((await cli(['inspect', 'a.jsonl'], { cwd })).stdout).not.toContain('counters');
  });

  it('TOK-10 counts with the API in one request, and says what was sent', async () => {
    const cwd = tempFolder({ 'a.jsonl': SESSION });
    const { url, stop } = await serving(cwd);
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: url };
    const argv = ['inspect', 'a.jsonl', '--count-with', 'api'];
    const { counts } = JSON.parse((await cli([...argv, '--json'], { cwd, env })).stdout).files[0];
    expect(counts[1]).toMatchObject({
      counter: 'api',
      recordedTokens: 1_500,
      countedTokens: 1_502, // the stand-in counts four characters a token
      sent: { requests: 1, characters: 6 + 4_000 + 400 + 1_600 },
    });
    const shown = await cli(argv, { cwd, env, terminal: 'stderr' });
    expect(shown.stdout).toContain('text was sent to the API: 6,006 characters in 1 request');
    expect(shown.stderr).toContain('counting with the API');
    expect((await stop()).stdout).toContain('2 calls: 0 answered, 0 refused, 2 that cost nothing');
  });

  it('large conversations are counted in few large requests', async () => {
    const line = (n: number) => [
      user(`u${n}`, n * 2, 'x'.repeat(100_000), { parentUuid: n === 0 ? null : `a${n - 1}` }),
      answered(n, n * 2 + 1, say('ok'), usage(0, 0, 20_000 + n * 25_000, 10), { parentUuid: `u${n}` }),
    ];
    const cwd = tempFolder({ 'a.jsonl': jsonl([0, 1, 2, 3, 4, 5, 6].flatMap(line)) });
    const { url } = await serving(cwd);
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: url };
    const { stdout } = await cli(['inspect', 'a.jsonl', '--count-with', 'api', '--json'], { cwd, env });
    // six prompts of 100,000 characters and six answers of two: two and a part of them per request of 300,000
    expect(JSON.parse(stdout).files[0].counts[1]).toMatchObject({
      recordedTokens: 150_000,
      sent: { requests: 3, characters: 600_012 },
    });
  });

  it('needs a key, a known counter, a reachable API', async () => {
    const cwd = tempFolder({ 'a.jsonl': SESSION });
    const keyless = await cli(['inspect', 'a.jsonl', '--count-with', 'api'], { cwd });
    expect(keyless).toMatchObject({ code: 2 });
    expect(keyless.stderr).toContain('ANTHROPIC_API_KEY');
    const unknown = await cli(['inspect', 'a.jsonl', '--count-with', 'heuristic,guess'], { cwd });
    expect(unknown.stderr).toContain('heuristic, gpt-tokenizer, js-tiktoken or api');
    const { url } = await serving(cwd);
    const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: `${url}/nowhere` };
    const lost = await cli(['inspect', 'a.jsonl', '--count-with', 'api'], { cwd, env });
    expect(lost.code).toBe(2);
    expect(lost.stderr).toContain('the API did not count: Not Found');
  });

  it('says so where the recording has no usage and no text', async () => {
    const cwd = tempFolder({ 'a.json': TRACE });
    const stdout = await printed(['inspect', 'a.json', '--count-with', 'heuristic'], { cwd });
    expect(stdout).toContain('nothing to compare');
  });
});
