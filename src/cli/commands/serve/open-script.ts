import { isRecording } from '../../../config/files/scenario-text.js';
import { readScriptFile } from '../../../config/files/script-file.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { recordedScript } from '../../../provider/script/recorded-script.js';
import type { Script } from '../../../provider/script/script.js';
import { readTextInput } from '../../../transcripts/files/read-input.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { type CliSession, inputOptions } from '../../session.js';

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
