import { describe, expect, it } from 'vitest';
import { assistant, attachment, jsonl, result, say, usage, user } from '../../helpers/session.js';
import { cli, tempFolder } from '../cli.js';

/** Names that every object has. */
const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

/** A session in which tools, attachments and reasons are called so. */
function hostileSession(name: string): string {
  const model = { model: 'claude-sonnet-4-5' };
  const big = 'long '.repeat(60_000);
  const call = { type: 'tool_use', id: 't0', name, input: { [name]: 1, file_path: '/x' } };
  const told = { diagnostics: { cache_miss_reason: { type: name } } };
  return jsonl([
    user('u0', 0, 'go'),
    assistant(
      'a0',
      1,
      'm0',
      [call],
      { ...model, stop_reason: 'tool_use', usage: usage(10, 0, 90_000, 50) },
      { parentUuid: 'u0' },
    ),
    result('r0', 2, 't0', big, { parentUuid: 'a0' }),
    attachment('x0', 2, { type: name, content: 'note' }, { parentUuid: 'r0' }),
    assistant(
      'a1',
      3,
      'm1',
      say('done'),
      { ...model, ...told, usage: usage(10, 0, 150_000, 50) },
      { parentUuid: 'x0' },
    ),
    user('u1', 4, 'more', { parentUuid: 'a1' }),
    assistant(
      'a2',
      5,
      'm2',
      say('yes'),
      { ...model, ...told, usage: usage(10, 0, 160_000, 50) },
      { parentUuid: 'u1' },
    ),
  ]).toString();
}

describe('H2 names that every object has', () => {
  it.each(INHERITED)('as tool, attachment and reason of a miss: %s', async (name) => {
    const cwd = tempFolder({ 's.jsonl': hostileSession(name) });
    const env = { HOME: cwd };
    const why = await cli(['why', 's.jsonl', '--json'], { cwd, env });
    expect(why.code).toBe(0);
    const { byCause } = JSON.parse(why.stdout) as { byCause: readonly { cause: unknown; usd: unknown }[] };
    for (const { cause, usd } of byCause)
      expect([typeof cause, Number.isFinite(usd)]).toEqual(['string', true]);
    expect(byCause.map(({ cause }) => cause)).toContain('unexplained');
    for (const args of [
      ['inspect', 's.jsonl', '--json'],
      ['run', 's.jsonl', '--policy', 'claude-code/2.1.112', '--json'],
    ]) {
      const { code, stdout } = await cli(args, { cwd, env });
      expect({ args, code }).toEqual({ args, code: 0 });
      expect(stdout).not.toMatch(/NaN|\[native code\]|\[object/);
    }
  });
});
