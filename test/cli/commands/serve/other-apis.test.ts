import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cli.js';
import { serving } from './serving.js';

/** Four characters a token. */
const tokens = (count: number, letter = 's'): string => letter.repeat(count * 4);

const HELLO = 'hello, how are you?!'; // 20 characters, 5 tokens

/** A server and a client of OpenAI's APIs that asserts nothing but success. */
async function setUp(argv: readonly string[] = []) {
  const server = await serving(tempFolder(), ['--json', ...argv]);
  const post = async (path: string, body: object) => {
    const headers = { authorization: 'Bearer any', 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    // biome-ignore lint/suspicious/noExplicitAny: JSON of another API
    return (await answer.json()) as any;
  };
  const create = (body: object) => post('/v1/responses', { model: 'gpt-5.1', input: HELLO, ...body });
  const reasons = async () => {
    const { calls } = JSON.parse((await server.stop()).stdout) as {
      calls: readonly { missReason: string | null; missedTokens: number }[];
    };
    return calls.map(({ missReason, missedTokens }) => [missReason, missedTokens]);
  };
  return { ...server, post, create, reasons };
}

describe('ccbench serve with other APIs', () => {
  it('tells why a cache without marks was missed: time, another system prompt, earlier messages, size', async () => {
    const { create, pass, reasons } = await setUp();
    const edited = (letter: string) => [
      { role: 'user', content: 'edit' },
      { role: 'assistant', content: tokens(3_000, letter) },
      { role: 'user', content: 'more' },
    ];
    await create({ instructions: tokens(3_000) });
    await create({ instructions: tokens(3_000) });
    pass(18 * 60);
    await create({ instructions: tokens(3_000) });
    await create({ instructions: tokens(3_000, 't') });
    await create({ input: edited('a') });
    await create({ input: edited('b') });
    await create({ input: 'short' });
    expect(await reasons()).toEqual([
      ['first', 0],
      [null, 0],
      // 3,000 of instructions and 5 of what the user says
      ['expired', 3_005],
      ['system', 3_005],
      ['first', 0],
      // `edit` and `more` are one token each
      ['messages', 3_002],
      ['too-short', 0],
    ]);
  });

  it('a read that steps cut to nothing is rounding', async () => {
    const { create, reasons } = await setUp();
    // GPT-5.5 reads end at 384 and every 512 behind it: 896, which is less than the 1,024 that are cached at all
    for (let i = 0; i < 2; i++) await create({ model: 'gpt-5.5', input: tokens(1_030) });
    expect(await reasons()).toEqual([
      ['first', 0],
      ['rounding', 1_030],
    ]);
  });

  it('chance is drawn from the seed, whenever it is asked, and named', async () => {
    const run = async (seed: string, startsAfter = 0) => {
      const { create, pass, reasons } = await setUp(['--seed', seed]);
      pass(startsAfter);
      for (let i = 0; i < 60; i++) {
        const input = `${i} ${tokens(10_000)}`;
        await create({ input });
        pass(600);
        await create({ input });
      }
      return await reasons();
    };
    const [first, again, other] = [await run('1'), await run('1', 7), await run('2')];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    expect(new Set(first.map(([reason]) => reason))).toEqual(new Set(['first', null, 'chance']));
  });

  it('bills each model by its provider: no price for one that nobody knows', async () => {
    const { url, printed, stop } = await serving(tempFolder());
    const ask = async (path: string, headers: Record<string, string>, body: object) => {
      await (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    const key = { authorization: 'Bearer any' };
    await ask('/v1/responses', key, { model: 'gpt-5.6-sol', input: tokens(3_000) });
    await ask('/v1/chat/completions', key, {
      model: 'my-own-model',
      messages: [{ role: 'user', content: 'hello' }],
    });
    await ask(
      '/v1beta/models/gemini-2.5-flash:generateContent?key=any',
      {},
      {
        contents: [{ parts: [{ text: tokens(2_000) }] }],
      },
    );
    const lines = printed().split('\n');
    // writes end at 768 + 2 × 1,024; 184 × $4 + 2,816 × $5 + 3 × $20 per million
    expect(lines.find((line) => line.includes('gpt-5.6-sol'))).toContain(
      'prompt 3,000  read 0  wrote 2,816 (30 min)  input 184  out 3  $0.0149',
    );
    expect(lines.find((line) => line.includes('my-own-model'))).toContain('out 3  –');
    // 2,000 × $0.30 + 3 × $2.50 per million
    expect(lines.find((line) => line.includes('gemini-2.5-flash'))).toContain('input 2,000  out 3  $0.00060');
    expect((await stop()).stdout).toContain('3 calls: 3 answered');
  });
});
