/** Bytes of a condensed head. */
const MOST_BYTES = 65_536;
/** Bytes of a string that are kept. */
const STRING_BYTES = 256;
/** Containers inside containers that are kept; of deeper ones only the brackets are. */
const KEPT_DEPTH = 2;
/** Bytes that are looked at: a line may not be longer. */
const MOST_READ = 256 * 1024 * 1024;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The first lines of a file with long strings cut and deep parts left out. It is as valid as the lines are, and short,
 * however long they are: no more is read than that takes.
 */
export function condenseHead(chunks: Iterable<Uint8Array>): string {
  const out = Buffer.alloc(MOST_BYTES);
  let length = 0;
  let read = 0;
  let depth = 0;
  let quoted = false;
  /** Bytes kept of the string at hand, and those of an escape that still belong together. */
  let kept = 0;
  let escaped = 0;
  for (const chunk of chunks) {
    for (const byte of chunk) {
      let isKept = depth <= KEPT_DEPTH;
      if (byte === NEWLINE) {
        isKept = true;
        escaped = 0;
        // A string that a line feed cuts was never closed: what follows is another line.
        if (quoted) depth = 0;
        quoted = false;
      } else if (quoted) {
        isKept &&= kept < STRING_BYTES;
        if (escaped > 0) escaped += byte === LETTER_U && escaped === 1 ? 3 : -1;
        else if (byte === BACKSLASH) escaped = 1;
        else if (byte === QUOTE) {
          quoted = false;
          isKept = depth <= KEPT_DEPTH;
        }
        if (isKept && escaped === 0) kept++;
      } else if (byte === QUOTE) {
        quoted = true;
        kept = 0;
      } else if (OPENING.has(byte)) depth++;
      else if (CLOSING.has(byte)) {
        depth = Math.max(0, depth - 1);
        isKept = depth <= KEPT_DEPTH;
      }
      if (!isKept) continue;
      out[length++] = byte;
      if (length === MOST_BYTES) return out.toString('utf8');
    }
    read += chunk.length;
    if (read > MOST_READ) break;
  }
  return out.toString('utf8', 0, length);
}
