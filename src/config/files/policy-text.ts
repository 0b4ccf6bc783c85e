import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { readTextInput } from '../../transcripts/files/read-input.js';
import type { ReadPolicyText } from './lift-policies.js';

/** Brings policy files: those that a scenario names are looked for beside it, those of the command line from the working folder. */
export function policyTexts(scenario: string | null, cwd: string): ReadPolicyText {
  return (written, place) => {
    const isOption = scenario === null || place.file.startsWith('--');
    const path = written.replace(/^~(?=[\\/])/, homedir());
    const from = isOption ? cwd : dirname(resolve(cwd, scenario));
    const file = isOption ? path : resolve(from, path);
    return {
      text: readTextInput(file, { cwd, place }),
      file: isOption ? written : shownBeside(scenario, written),
    };
  };
}

/** A file beside a scenario as messages name it. */
function shownBeside(scenario: string, written: string): string {
  const folder = dirname(scenario);
  return folder === '.' || /^[~\\/]/.test(written) ? written : `${folder}/${written.replace(/^\.\//, '')}`;
}
