import { IMAGE_TOKENS } from '../../../core/model/block.js';
import { asObject, asText } from '../json-value.js';

/** Pixels of a token, and the most tokens and the longest edge that an image keeps (documentation of vision). */
const PIXELS_PER_TOKEN = 750;
const MOST_TOKENS = 1_600;
const LONGEST_EDGE = 1_568;

/** Characters of base64 that are looked at: the size stands behind what a camera writes about itself. */
const HEAD_CHARS = 200_000;

type Size = readonly [width: number, height: number];

function pngSize(bytes: Uint8Array): Size | null {
  if (bytes.length < 24 || bytes[0] !== 0x89 || bytes[1] !== 0x50) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

function gifSize(bytes: Uint8Array): Size | null {
  if (bytes.length < 10 || bytes[0] !== 0x47 || bytes[1] !== 0x49) return null;
  return [bytes[6]! + bytes[7]! * 256, bytes[8]! + bytes[9]! * 256];
}

/** The size stands in the frame: a marker C0 to CF that is none of C4, C8 and CC. */
function jpegSize(bytes: Uint8Array): Size | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  for (let at = 2; at + 8 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    const word = (offset: number): number => bytes[at + offset]! * 256 + bytes[at + offset + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return [word(7), word(5)];
    at += 2 + word(2);
  }
  return null;
}

function decoded(base64: string): Uint8Array | null {
  const head = base64.slice(0, HEAD_CHARS - (HEAD_CHARS % 4));
  try {
    return Uint8Array.from(atob(head), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Tokens of an image: by its size where it is sent with the request, else as many as are counted for any. */
export function imageTokens(source: unknown): number {
  const data = asText(asObject(source)?.data);
  const bytes = data === null ? null : decoded(data);
  const size = bytes === null ? null : (pngSize(bytes) ?? gifSize(bytes) ?? jpegSize(bytes));
  if (size === null) return IMAGE_TOKENS;
  const [width, height] = size;
  const scale = Math.min(1, LONGEST_EDGE / Math.max(1, width, height));
  const tokens = Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
  return Math.min(MOST_TOKENS, Math.max(1, tokens));
}
