import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { LogEntry } from '../../core/run/run-log.js';
import { type LogLine, readLog } from '../../metrics/read-log.js';
import { fileChunks } from '../../transcripts/files/disk-file.js';
import {
  binaryInput,
  checkIsFile,
  emptyInput,
  type InputOptions,
} from '../../transcripts/files/read-input.js';
import { splitLines } from '../../transcripts/lines/byte-lines.js';

/** The log of a run on disk. */
export interface OpenLog {
  /** Its entries, read as they are asked for: a log may be larger than memory. */
  readonly entries: Iterable<LogEntry>;
  /** Digest of what was read: of the whole log once the last entry was taken. */
  digest(): string;
}

/** Opens the log that a run wrote. */
export function openLog(path: string, options: InputOptions): OpenLog {
  checkIsFile(path, options);
  const place = options.place ?? { file: path };
  const hash = createHash('sha256');
  const chunks = fileChunks({ name: path, path: resolve(options.cwd, path), place });
  function* hashed(): Generator<Uint8Array, void, void> {
    let isFirst = true;
    for (const chunk of chunks) {
      if (isFirst && chunk.subarray(0, 8_192).includes(0)) throw binaryInput(place, null);
      isFirst = false;
      hash.update(chunk);
      yield chunk;
    }
    if (isFirst) throw emptyInput(place);
  }
  function* lines(): Generator<LogLine, void, void> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (const { buffer, start, end, complete } of splitLines(hashed(), path)) {
      let text: string;
      try {
        text = decoder.decode(buffer.subarray(start, end));
      } catch (cause) {
        throw binaryInput(place, cause);
      }
      yield { text, complete };
    }
  }
  return { entries: readLog(lines(), path), digest: () => hash.copy().digest('hex') };
}
