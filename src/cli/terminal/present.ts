import { printable } from '../../core/base/format.js';
import type { Block } from '../../report/document/document.js';
import { briefOf, briefRest, documentText } from '../../report/document/document-text.js';
import type { Conclusion } from '../../report/text/conclusion.js';
import { type Screen, wrapText } from '../../report/text/table.js';
import { type CliSession, printJson } from '../session.js';
import { screenFor } from './paint.js';

/** All that a command has to say. */
interface CommandDocument {
  readonly blocks: readonly Block[];
  /** What it comes to, below everything else; null if there is nothing to conclude. */
  readonly closing: Closing | null;
  /** The same for programs. */
  readonly json: object;
}

/** Prints what a command found: as one JSON object with --json, otherwise for the screen, the answer first. */
export function present(session: CliSession, { blocks, closing, json }: CommandDocument): void {
  if (session.json) {
    printJson(session, json);
    return;
  }
  session.host.stdout.write(screenText(session, blocks, closing));
}

/** The same as text: the short form unless everything is asked for, or there is nothing to conclude. */
export function screenText(session: CliSession, blocks: readonly Block[], closing: Closing | null): string {
  const screen = screenFor(session.host.stdout, session.colors);
  const textOf = (some: readonly Block[]): readonly string[] =>
    some.length === 0 ? [] : [documentText(some, screen)];
  if (closing === null || session.detail === undefined || session.detail === 'verbose')
    return [...textOf(blocks), ...(closing === null ? [] : [closingText(closing, screen)])].join('\n');
  const brief = briefOf(blocks);
  const held = session.heldNotes?.splice(0) ?? [];
  const isNoted = session.detail === 'notes';
  const rest = briefRest(isNoted ? 0 : brief.notes.length + held.length, brief.isCut);
  return [
    closingText(closing, screen),
    ...textOf(brief.blocks),
    ...(isNoted ? textOf(brief.notes) : []),
    ...(rest === '' ? [] : [`${wrapText(rest, screen.width, '', '').map(screen.style.dim).join('\n')}\n`]),
  ].join('\n');
}

/** The last lines of a command. */
export interface Closing extends Conclusion {
  /** The command that makes again what the result names. */
  readonly repeat?: string | null;
  /** The page, or the folder where there is none, as the user would write it; null if nothing was written. */
  readonly written?: string | null;
}

/** How every command that finds something out ends. */
export function closingText(
  { result, advice, repeat = null, written = null }: Closing,
  { width, style }: Screen,
): string {
  const say = (sentence: string): readonly string[] => wrapText(printable(sentence), width, '', '');
  const lines = [
    ...say(result).map(style.bold),
    ...say(advice),
    ...(repeat === null ? [] : [`  repeat: ${repeat}`]),
    ...(written === null ? [] : [writtenLine(written)]),
  ];
  return `${lines.join('\n')}\n`;
}

function writtenLine(written: string): string {
  return `${written.endsWith('.html') ? 'page' : 'report'} ${written}`;
}

/** The last line of a command that has printed its answer and written files then: where they are. */
export function tellWritten(session: CliSession, written: string): void {
  if (!session.json) session.host.stdout.write(`${writtenLine(written)}\n`);
}
