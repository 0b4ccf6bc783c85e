import { basename } from 'node:path';
import { formatCounted, printable } from '../../core/base/format.js';
import { createWarnings, isLoss, type Warning } from '../../core/run/warning.js';
import { type CliSession, note, remark } from '../session.js';

/** Remarks on recordings that are shown; the rest is counted. */
const SHOWN = 20;

/** A recording with what was found while it was read. */
interface ReadRecording {
  readonly label: string;
  readonly warnings: readonly Warning[];
}

/** The warnings of all recordings, each once with its count. */
export function mergeWarnings(recordings: readonly ReadRecording[]): readonly Warning[] {
  const merged = createWarnings();
  for (const { warnings } of recordings)
    for (const { code, message, remedy, count } of warnings) merged.add(code, message, remedy, count);
  return merged.list();
}

/** What a warning says, and how often. */
function warningText({ message, count }: Pick<Warning, 'message' | 'count'>): string {
  return `${message}${count > 1 ? ` (${count} times)` : ''}`;
}

/** Whether a message begins with the name of its file already, as those on broken lines do. */
function namesFile(message: string, label: string): boolean {
  const end = message.indexOf(': ');
  return end > 0 && basename(label).startsWith(message.slice(0, end));
}

/** What was found while recordings were read, each with the one it is about, or the first of several. */
export function readingRemarks(
  recordings: readonly ReadRecording[],
  nameOf: (label: string) => string = (label) => label,
): readonly string[] {
  return mergeWarnings(recordings).map((warning) => remarkOn(warning, recordings, nameOf));
}

function remarkOn(
  warning: Warning,
  recordings: readonly ReadRecording[],
  nameOf: (label: string) => string,
): string {
  const { code, message } = warning;
  const [first, ...others] = recordings.filter((each) =>
    each.warnings.some((own) => own.code === code && own.message === message),
  );
  const more = others.length === 0 ? '' : ` and ${formatCounted(others.length, 'other session')}`;
  const where = namesFile(message, first!.label) ? '' : `${nameOf(first!.label)}${more}: `;
  return printable(`${where}${warningText(warning)}`);
}

/** Notes what was found while recordings were read; what is missing in the sums is said in the short form too. */
export function noteWarnings(session: CliSession, recordings: readonly ReadRecording[]): void {
  const found = mergeWarnings(recordings);
  for (const warning of found.slice(0, SHOWN))
    (isLoss(warning) ? note : remark)(
      session,
      remarkOn(warning, recordings, (label) => label),
    );
  const more = found.length - SHOWN;
  if (more > 0) remark(session, `… and ${more} more remarks on the recordings; --json has them`);
}
