import { type CcbenchError, ProblemList } from '../../core/base/errors.js';
import { readScript } from '../../provider/script/read-script.js';
import type { Script } from '../../provider/script/script.js';
import { readDocument } from './document.js';
import { kindOfFile, wrongKind } from './file-kind.js';
import { placedProblems } from './file-problems.js';

/** Reads the text of a script; throws everything that is wrong with it, each with its place. */
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
