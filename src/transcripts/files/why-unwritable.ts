import { ownValue } from '../../core/base/own-value.js';

/** Why something cannot be written, in words where the system gives a code that is known. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no folder can be created there',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder is needed',
  EISDIR: 'it is a folder',
  EEXIST: 'there is a file where a folder is needed',
};

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** Why something cannot be written. */
export function whyUnwritable(error: unknown): string {
  const code = codeOf(error);
  return ownValue(WORDS, code) ?? code;
}

/** What to do about work that cannot be written on: room can be made where there is too little, nothing else helps but another place. */
export function remedyFor(error: unknown, elsewhere: string): string {
  const room = codeOf(error) === 'ENOSPC' ? 'make room and start again, or ' : '';
  return `${room}${elsewhere}; finished work is kept`;
}
