import { closeSync, openSync, readSync } from 'node:fs';
import { CcbenchError } from '../../core/base/errors.js';
import type { TextSource } from '../readers/claude-code/recorded-text.js';

/** Texts of a file on disk, read at their place each time: whoever replays it holds none of its bytes. */
export function workerFile(name: string, path: string): TextSource {
  return {
    read(offset, length) {
      const bytes = Buffer.alloc(length);
      try {
        const descriptor = openSync(path, 'r');
        try {
          readSync(descriptor, bytes, 0, length, offset);
        } finally {
          closeSync(descriptor);
        }
      } catch (cause) {
        throw new CcbenchError('file-unreadable', `${name} cannot be read again`, {
          place: { file: name },
          cause,
        });
      }
      return bytes;
    },
  };
}
