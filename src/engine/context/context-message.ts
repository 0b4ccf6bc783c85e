import { createBlock } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import { lazyText } from '../../core/model/text.js';
import type { ParamValues } from '../../core/run/params.js';

/** Share of characters to tokens of memory files, which are prose. */
const CHARS_PER_MEMORY_TOKEN = 4;

/**
 * The system reminder with the context map that goes first (FLT-5): memory files in the order given, up to their common limit;
 * one that does not fit any more is left out. Null when the map is empty.
 */
export function contextMessage(params: ParamValues, at: number): Message | null {
  const files = params['context.memoryFiles'] as Readonly<Record<string, number>> | undefined;
  const limit = params['context.memoryTokens'] as number;
  if (files === undefined) return null;
  let left = limit;
  const blocks = [];
  for (const [path, tokens] of Object.entries(files)) {
    if (tokens > left) continue;
    left -= tokens;
    const chars = tokens * CHARS_PER_MEMORY_TOKEN;
    const opening = `<system-reminder>\n${path}\n`;
    blocks.push(
      createBlock({
        kind: 'text',
        role: 'user',
        tokens,
        text: lazyText(chars, () => opening.padEnd(chars, '.').slice(0, chars)),
        facts: { attachment: 'memory', path },
      }),
    );
  }
  return blocks.length === 0
    ? null
    : createMessage({ id: 'context', role: 'user', origin: 'context', blocks, at });
}
