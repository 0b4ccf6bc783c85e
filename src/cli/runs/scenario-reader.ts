import { basename } from 'node:path';
import { clientPolicy, NO_POLICY, ownPolicy } from '../../agent/policies/own-policy.js';
import { slug } from '../../config/check/check.js';
import type { ScenarioSource } from '../../config/compile.js';
import type { ReadPolicyText } from '../../config/files/lift-policies.js';
import type { OpenPlugins } from '../../config/files/open-plugins.js';
import { policyTexts } from '../../config/files/policy-text.js';
import { isRecording, readScenarioText, scenarioRecordings } from '../../config/files/scenario-text.js';
import type { FindRecordings } from '../../config/files/transcript-ref.js';
import { sha256Hex } from '../../core/base/digest.js';
import { CcbenchError } from '../../core/base/errors.js';
import type { Transcript } from '../../core/model/transcript.js';
import { homeFolder } from '../../transcripts/files/home.js';
import { inputId } from '../../transcripts/files/read-input.js';
import { loadTranscript } from '../../transcripts/files/transcripts.js';
import { leftOutLines } from '../files/each-file.js';
import { inputOptions } from '../files/input-options.js';
import { type CliSession, doubtNotes, note, remark } from '../session.js';
import { runInterruptible } from '../terminal/interrupt.js';

/** Opens a scenario with changes; one that cannot be read throws. */
export type OpenScenario = (
  file: string,
  set: readonly string[],
) => ScenarioSource & { readonly readPolicy: ReadPolicyText };

/** Longest name of a scenario. */
const NAME_CHARS = 64;

/** A text as a name of a scenario; one that is too long, or has other letters, in short. */
export function scenarioNameOf(text: string): string {
  const whole = slug(text);
  const plain = whole
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  if (plain === whole && whole.length <= NAME_CHARS) return whole || 'recording';
  const digest = sha256Hex(whole).slice(0, 8);
  const head = plain.slice(0, NAME_CHARS - digest.length - 1).replace(/^-|-$/g, '');
  return `${head || 'recording'}-${digest}`;
}

/** The scenario that represents a recording: its own client, models, lifetimes and times. */
function scenarioOf(file: string, transcript: Transcript): string {
  const { use, set } = clientPolicy(transcript);
  const scenario = {
    name: scenarioNameOf(inputId(file)),
    transcript: { file: basename(file) },
    policy: { use, set },
  };
  return `${Object.entries(scenario)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join('\n')}\n`;
}

function recordingNote(what: string, transcript: Transcript): string {
  const { use, set } = clientPolicy(transcript);
  if (use === NO_POLICY)
    return `${what}: the policy of its client is unknown, so it is run with ${use} unless --policy names one`;
  if (ownPolicy(transcript).use === NO_POLICY)
    return `${what}: no policy was measured on its client, so it is run with ${use}, which follows its sources, unless --policy names another`;
  const own = [use, ...Object.entries(set).map(([path, value]) => `${path}=${String(value)}`)].join(', ');
  return `${what}: run as its own client (${own}) unless --policy or --set says otherwise`;
}

/** How scenarios are opened. */
interface ScenarioOpening {
  readonly onWarning?: (doubt: CcbenchError) => void;
  /** What a recording is called that was named instead of a scenario. */
  readonly what?: (file: string) => string;
  /** Recordings that were found before: they are not looked for again. */
  readonly found?: readonly string[];
}

/**
 * Reads the scenarios of a command line, with what they may name: policy files, recordings and plug-ins. A recording may stand in the
 * place of a scenario, for one that replays it as its own client would; recordings are read before the first scenario is asked for, so
 * that Ctrl-C is noticed meanwhile.
 */
export async function openScenarios(
  session: CliSession,
  files: readonly string[],
  plugins: OpenPlugins,
  how: ScenarioOpening = {},
): Promise<OpenScenario> {
  const { onWarning = doubtNotes(session), what = (file) => `${file} is a recording`, found = [] } = how;
  const { cwd, interrupt } = session.host;
  const known = new Map<string, string | CcbenchError>();
  for (const file of files) {
    if (known.has(file) || !isRecording(file, cwd)) continue;
    try {
      const { transcript } = await runInterruptible(interrupt, () =>
        loadTranscript(file, inputOptions(session)),
      );
      known.set(file, scenarioOf(file, transcript));
      note(session, recordingNote(what(file), transcript));
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      known.set(file, error);
    }
  }
  const findRecordings = sessionRecordings(session, found);
  return (file, set) => {
    const text = known.get(file) ?? readScenarioText(file, cwd);
    if (typeof text !== 'string') throw text;
    const readPolicy = policyTexts(file, cwd);
    return { text, file, set, readPolicy, findRecordings, onWarning, plugins: plugins.of(file) };
  };
}

/** Finds the recordings that the scenarios of a command name, and reports other files in their folders. */
function sessionRecordings(session: CliSession, found: readonly string[]): FindRecordings {
  const { host } = session;
  const find = scenarioRecordings({ cwd: host.cwd, home: homeFolder(host.env) }, (leftOut) => {
    for (const line of leftOutLines(leftOut)) remark(session, line);
  });
  const known = new Set(found);
  return (path, place) => (known.has(path) ? [path] : find(path, place));
}
