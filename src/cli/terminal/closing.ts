import { printable } from '../../core/base/format.js';
import type { Conclusion } from '../../report/text/conclusion.js';
import type { Screen } from '../../report/text/style.js';
import { wrapText } from '../../report/text/table.js';
import type { CliSession } from '../session.js';

/** The last lines of a command. */
export interface Closing extends Conclusion {
  /** The command that makes again what the result names. */
  readonly repeat?: string | null;
  /** The page, or the folder where there is none, as the user would write it; null where nothing was written. */
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
