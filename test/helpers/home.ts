import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '../cli/cli.js';
import { assistant, jsonl, usage, user } from './session.js';

/** A Claude Code session of two calls that ends at a time, with an ID of its own. */
export function claudeSession(
  id: string,
  endsAt: string,
  { cwd = '/code/shop', version = '2.1.100' }: { readonly cwd?: string; readonly version?: string } = {},
): string {
  const end = Date.parse(endsAt);
  const at = (secondsBefore: number) => ({
    timestamp: new Date(end - secondsBefore * 1_000).toISOString(),
    sessionId: id,
    cwd,
    version,
  });
  const says = (n: number) => [{ type: 'text', text: `${id} ${n}` }];
  const call = (n: number, before: number, read: number) =>
    assistant(
      `${id}-a${n}`,
      0,
      `msg-${id}-${n}`,
      says(n),
      { model: 'claude-sonnet-4-5', usage: usage(10, read, 5_000, 20) },
      { ...at(before), parentUuid: `${id}-u${n}` },
    );
  const text = jsonl([
    user(`${id}-u1`, 0, 'go', at(70)),
    call(1, 60, 0),
    user(`${id}-u2`, 0, 'on', { ...at(10), parentUuid: `${id}-a1` }),
    call(2, 0, 5_000),
  ]);
  return typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
}

/** A rollout of Codex with one call. */
export function codexSession(id: string, day: string, cwd = '/code/other'): string {
  const tokens = { input_tokens: 900, cached_input_tokens: 256, output_tokens: 30, total_tokens: 930 };
  const said = (role: string, type: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  });
  return [
    { type: 'session_meta', payload: { id, cwd, cli_version: '0.140.0' } },
    { type: 'turn_context', payload: { model: 'gpt-5.5', cwd } },
    said('user', 'input_text', `hi ${id}`),
    said('assistant', 'output_text', `yes ${id}`),
    {
      type: 'event_msg',
      payload: { type: 'token_count', info: { total_token_usage: tokens, last_token_usage: tokens } },
    },
  ]
    .map((entry, i) => JSON.stringify({ timestamp: `${day}T10:00:0${i}.000Z`, ...entry }))
    .join('\n');
}

/** A home folder with files at any depth, which goes away with the test. */
export function homeWith(files: Readonly<Record<string, string>>): string {
  const home = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}
