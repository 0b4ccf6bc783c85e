import { gunzipSync } from 'node:zlib';
import { CcbenchError } from '../../../core/base/errors.js';

/** Largest decompressed file that is accepted, in bytes: a guard against compression bombs. */
const MAX_BYTES = 268_435_456;

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** Parses JSON from plain or gzip bytes; what is wrong with a file is said with a way out. */
export function decodeJson(bytes: Uint8Array, file: string): unknown {
  if (bytes.length === 0) throw refused(file, 'the file is empty', 'record or download it again');
  const text = decodeText(inflate(bytes, file), file);
  if (text.trim() === '')
    throw refused(file, 'the file holds only white space', 'record or download it again');
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (endsEarly(text)) {
      throw refused(
        file,
        'the JSON ends in the middle: the file is truncated',
        'copy or download it again',
        cause,
      );
    }
    throw refused(
      file,
      'the file is not valid JSON',
      'a request trace is one JSON object, plain or gzip',
      cause,
    );
  }
}

function inflate(bytes: Uint8Array, file: string): Uint8Array {
  if (bytes[0] !== GZIP_MAGIC[0] || bytes[1] !== GZIP_MAGIC[1]) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    const code = (cause as { readonly code?: unknown }).code;
    if (code === 'Z_BUF_ERROR') {
      throw refused(
        file,
        'the gzip data ends early: the file is truncated',
        'copy or download it again',
        cause,
      );
    }
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      throw refused(file, 'the gzip data is larger than 256 MiB when unpacked', 'split the trace', cause);
    }
    throw refused(file, 'the gzip data is damaged', 'copy or download it again', cause);
  }
}

function decodeText(bytes: Uint8Array, file: string): string {
  if (bytes.subarray(0, 4_096).includes(0)) {
    throw refused(file, 'the file is binary, not JSON', 'a request trace is one JSON object, plain or gzip');
  }
  return new TextDecoder('utf-8').decode(bytes);
}

/** True when brackets or a string are still open at the end of the text. */
function endsEarly(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 0x5c) i++;
      else if (c === 0x22) inString = false;
    } else if (c === 0x22) inString = true;
    else if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) depth--;
  }
  return inString || depth > 0;
}

function refused(file: string, sentence: string, hint: string, cause?: unknown): CcbenchError {
  return new CcbenchError('bad-transcript', sentence, { hint, place: { file }, cause });
}
