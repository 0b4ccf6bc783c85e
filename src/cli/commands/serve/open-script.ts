import { kindOfFile, placedProblems, readDocument, wrongKind } from '../../../config/files/document.js';
import { isRecording } from '../../../config/files/scenario-text.js';
import { CcbenchError, ProblemList } from '../../../core/base/errors.js';
import { readScript } from '../../../provider/script/read-script.js';
import { recordedScript } from '../../../provider/script/recorded-script.js';
import type { Script } from '../../../provider/script/script.js';
import { readTextInput } from '../../../transcripts/files/read-input.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { type CliSession, inputOptions } from '../../session.js';

/** Reads the text of a script; throws everything that is wrong with it, each with its place. @internal */
export function readScriptFile(text: string, file: string): Script {
  const { document, problems: found } = readDocument(text, file, 'script');
  const kind = kindOfFile(document?.value);
  if (kind !== null) throw wrongKind(file, `a ${kind}`, 'a script', 'a script has `steps:` (docs/serve.md)');
  const problems: CcbenchError[] = [...found];
  const script =
    document === null
      ? null
      : readScript(
          document.value,
          placedProblems(document, text, (error) => problems.push(error)),
        );
  if (script === null || problems.length > 0) throw new ProblemList('bad-scenario', file, problems);
  return script;
}

/** Opens what `--script` names: a script, or a recorded session whose answers are given again. */
export function openScript(session: CliSession, file: string): Script {
  const { cwd } = session.host;
  if (!isRecording(file, cwd)) {
    const text = readTextInput(file, { cwd });
    if (/\.ya?ml$/i.test(file) || /^steps\s*:/m.test(text)) return readScriptFile(text, file);
    throw new CcbenchError('bad-input', 'this is neither a script nor a recording in a known format', {
      place: { file },
      hint: 'a script is YAML with `steps:` (docs/serve.md); docs/recordings.md has the recordings that are read',
    });
  }
  const script = recordedScript(loadTranscript(file, inputOptions(session)).transcript);
  if (script.steps.length > 0) return script;
  throw new CcbenchError('bad-input', `${file} holds no answer that could be given again`, {
    place: { file },
    hint: 'name a recording of a session with calls, or a script (docs/serve.md)',
  });
}
