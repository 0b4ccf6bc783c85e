import { CHARS_PER_TOKEN } from '../model/block.js';

/** Tokens of the call around one edit of a file: the tool's name, the path, the line it goes behind (assumed). */
export const EDIT_CALL_TOKENS = 45;

/** Tokens of what comes back for an edit: that the file was updated (assumed). */
export const EDIT_RESULT_TOKENS = 30;

/** Tokens of the words with which a fork ends its work (assumed). */
export const CLOSING_TOKENS = 12;

/** Output of an answer that edits files: what is new or changed, and the calls around it (C31). */
export function editTokens(changedChars: number, edits: number): number {
  return Math.ceil(changedChars / CHARS_PER_TOKEN) + edits * EDIT_CALL_TOKENS;
}
