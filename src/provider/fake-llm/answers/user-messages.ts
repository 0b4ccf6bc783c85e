import type { Message } from '../../../core/model/message.js';
import { lazyText, literalText, type Text } from '../../../core/model/text.js';

/** A message as a summary quotes it. */
interface Quote {
  readonly text: Text;
  readonly tokens: number;
}

/** True tokens of the mark between head and tail. */
const MARK_TOKENS = 15;

/** Half of a surrogate pair at either end of a cut. */
const HALF_AT_END = /[\ud800-\udbff]$/;
const HALF_AT_START = /^[\udc00-\udfff]/;

/** Quotes a text whole, or by its head and tail with a mark between them where it has more tokens than the limit (C19). */
function quoteLong(text: Text, tokens: number, limit: number): Quote {
  if (tokens <= limit) return { text, tokens };
  const mark = `\n[… ${tokens - limit} tokens of this message are left out …]\n`;
  const kept = Math.floor((text.chars * limit) / tokens);
  const head = Math.ceil(kept / 2);
  const tail = kept - head;
  const quoted = Math.min(tokens, limit + MARK_TOKENS);
  if (kept + mark.length >= text.chars) return { text, tokens: quoted };
  return {
    tokens: quoted,
    text: lazyText(kept + mark.length, () => {
      const words = text.read();
      const first = words.slice(0, head).replace(HALF_AT_END, '.');
      const last = words.slice(words.length - tail).replace(HALF_AT_START, '.');
      return first + mark + (tail === 0 ? '' : last);
    }),
  };
}

/** What the user said since the last boundary: sizes without reading, the words when read. */
export interface UserMessages {
  readonly count: number;
  readonly tokens: number;
  /** The list of all messages, each as it was written, long ones by head and tail (INV-14). */
  readonly list: Text;
}

const BULLET = '- ';
const NONE = '- none';

function lastBoundary(messages: readonly Message[]): number {
  for (let i = messages.length - 1; i >= 0; i--) if (messages[i]!.origin === 'boundary') return i;
  return -1;
}

/** The pieces of a message as one text. */
function joined(pieces: readonly Text[]): Text {
  if (pieces.length === 1) return pieces[0]!;
  let chars = pieces.length - 1;
  for (const piece of pieces) chars += piece.chars;
  return { chars, read: () => pieces.map((piece) => piece.read()).join('\n') };
}

/** Collects the user's messages since the last boundary; what is no text or not recorded is named by kind and size. */
export function userMessages(messages: readonly Message[], quoteTokens: number): UserMessages {
  const entries: Text[] = [];
  let tokens = 0;
  let chars = 0;
  for (let i = lastBoundary(messages) + 1; i < messages.length; i++) {
    const message = messages[i]!;
    if (message.origin !== 'human') continue;
    const pieces: Text[] = [];
    let words = 0;
    for (const block of message.blocks) {
      if (block.kind === 'tool_result' || block.facts.attachment !== undefined) continue;
      const isWords = block.kind === 'text' && block.text !== null;
      pieces.push(
        isWords ? block.text : literalText(`(${block.kind} of ${block.tokens} tokens, not recorded)`),
      );
      if (block.kind === 'text') words += block.tokens;
    }
    if (pieces.length === 0) continue;
    const quote = quoteLong(joined(pieces), words, quoteTokens);
    entries.push(quote.text);
    tokens += quote.tokens;
    chars += BULLET.length + quote.text.chars;
  }
  if (entries.length === 0) return { count: 0, tokens: 0, list: literalText(NONE) };
  return {
    count: entries.length,
    tokens,
    list: {
      chars: chars + entries.length - 1,
      read: () => entries.map((entry) => BULLET + entry.read()).join('\n'),
    },
  };
}
