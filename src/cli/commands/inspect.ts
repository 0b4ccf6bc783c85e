import { eachFile } from '../each-file.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { inspectTranscript } from '../inspect-facts.js';
import { inspectText } from '../inspect-text.js';
import { screenFor } from '../paint.js';
import { type CliSession, inputOptions, printJson } from '../session.js';
import { loadTranscript } from '../transcripts.js';

/** `ccbench inspect`: what is in transcripts, without replaying them. */
export async function inspectCommand(session: CliSession, paths: readonly string[]): Promise<ExitCode> {
  const { stdout } = session.host;
  const { used, skipped } = await eachFile(session, paths, (path) => {
    const { format, transcript } = loadTranscript(path, inputOptions(session));
    return inspectTranscript(transcript, { file: path, format });
  });
  if (session.json) {
    printJson(session, { files: used, skipped });
    return EXIT.fine;
  }
  const screen = screenFor(stdout, session.colors);
  stdout.write(used.map((facts) => inspectText(facts, screen)).join('\n'));
  return EXIT.fine;
}
