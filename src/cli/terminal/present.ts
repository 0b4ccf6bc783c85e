import type { Block } from '../../report/document/document.js';
import { documentText } from '../../report/document/document-text.js';
import { type CliSession, printJson } from '../session.js';
import { type Closing, closingText } from './closing.js';
import { screenFor } from './paint.js';

/** All that a command has to say. */
export interface CommandDocument {
  readonly blocks: readonly Block[];
  /** What it comes to, below everything else; null where there is nothing to conclude. */
  readonly closing: Closing | null;
  /** The same for programs. */
  readonly json: object;
}

/** Prints what a command found: as one JSON object with --json, otherwise for the screen. */
export function present(session: CliSession, { blocks, closing, json }: CommandDocument): void {
  if (session.json) {
    printJson(session, json);
    return;
  }
  const screen = screenFor(session.host.stdout, session.colors);
  const parts = [
    ...(blocks.length === 0 ? [] : [documentText(blocks, screen)]),
    ...(closing === null ? [] : [closingText(closing, screen)]),
  ];
  session.host.stdout.write(parts.join('\n'));
}
