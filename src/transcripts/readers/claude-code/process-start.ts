import { type JsonObject, textOf } from '../../lines/narrow.js';

/** How a process came to this session: it took it up, began it, or emptied it. */
export type ProcessStart = 'resume' | 'startup' | 'clear';

const HOOK = /^SessionStart:(resume|startup|clear)$/;

/** The start of a process that the data of a hook tells of; null when they tell of none (K3). */
export function processStart(data: JsonObject): ProcessStart | null {
  const name = textOf(data.hookName);
  const found = name === null ? null : HOOK.exec(name);
  return found === null ? null : (found[1] as ProcessStart);
}
