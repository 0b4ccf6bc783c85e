import { loadTranscript } from '../../../files/transcripts.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { eachFile } from '../../files/each-file.js';
import { type CliSession, inputOptions, printJson } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';
import { checkCounts } from './count-check.js';
import { countText } from './count-text.js';
import { inspectTranscript } from './inspect-facts.js';
import { inspectText } from './inspect-text.js';

/** Options of `ccbench inspect`. */
export interface InspectOptions {
  readonly countWith?: readonly string[];
}

/** `ccbench inspect`: what is in transcripts, without replaying them. */
export async function inspectCommand(
  session: CliSession,
  paths: readonly string[],
  options: InspectOptions,
): Promise<ExitCode> {
  const { stdout } = session.host;
  const { countWith } = options;
  const { used, skipped } = await eachFile(session, 'inspecting', paths, (path) => {
    const { format, transcript } = loadTranscript(path, inputOptions(session));
    const facts = inspectTranscript(transcript, { file: path, format });
    return { facts, transcript: countWith === undefined ? null : transcript };
  });
  const screen = screenFor(stdout, session.colors);
  const files: object[] = [];
  for (const { facts, transcript } of used) {
    const isCounted = countWith !== undefined && transcript !== null;
    const counts = isCounted ? await checkCounts(session, transcript, countWith) : null;
    files.push(counts === null ? facts : { ...facts, counts });
    if (session.json) continue;
    const blank = files.length === 1 ? '' : '\n';
    const counted = counts === null ? '' : `\n${countText(counts, screen)}`;
    stdout.write(`${blank}${inspectText(facts, screen)}${counted}`);
  }
  if (session.json) printJson(session, { files, skipped });
  return EXIT.fine;
}
