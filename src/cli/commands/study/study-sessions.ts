import { clientPolicy } from '../../../agent/policies/own-policy.js';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { isRecording } from '../../../config/files/scenario-text.js';
import { canonicalJson, digestText } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { endedAtMs } from '../../../core/model/transcript.js';
import type { LeftOut } from '../../../transcripts/files/find-sessions.js';
import { isGlob } from '../../../transcripts/files/glob.js';
import { homeFolder, withHome } from '../../../transcripts/files/home.js';
import { inputId, kindOfInput } from '../../../transcripts/files/read-input.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { callKeys } from '../../../transcripts/sessions/copy-keys.js';
import {
  choiceOf,
  chosenSessions,
  isChosen,
  type SessionChoice,
  USUAL_LAST,
} from '../../files/chosen-sessions.js';
import { eachFile, withoutCopies } from '../../files/each-file.js';
import { inputOptions } from '../../files/input-options.js';
import { type OpenScenario, openScenarios } from '../../runs/scenario-reader.js';
import { type CliSession, note } from '../../session.js';

/** The options that say which sessions a study is about. */
export interface StudyChoice extends SessionChoice {
  readonly transcripts?: readonly string[];
}

/** What names the same sessions on another command line. */
export interface NamedSessions {
  readonly paths: readonly string[];
  readonly choice: SessionChoice;
}

/** Recordings that a study runs on. */
interface Recordings {
  readonly paths: readonly string[];
  readonly skipped: readonly LeftOut[];
}

/** What a study runs, and on which sessions. */
export interface StudySessions {
  /** Scenarios, or the recording that represents one: what is run. */
  readonly files: readonly string[];
  /** Absent where the sessions are those of the scenarios. */
  readonly recordings?: Recordings;
  /** Where the sessions represent a scenario: what names them. */
  readonly named?: NamedSessions;
}

/** A recording, and what its client is known to do. */
interface ReadRecording {
  readonly file: string;
  /** Digests: the keys of thousands of sessions take twenty times as much. */
  readonly callKeys: Float64Array;
  readonly endedAtMs: number;
  /** Its agent and version. */
  readonly agent: string;
  /** The policy that represents its client, with its settings: alike for several versions. */
  readonly client: string;
}

/** Whether a name represents sessions: a recording, a folder, or a pattern. */
function namesSessions(file: string, { cwd, env }: CliSession['host']): boolean {
  const path = withHome(file, homeFolder(env));
  if (isRecording(path, cwd)) return true;
  try {
    return kindOfInput(path, { cwd }) === 'folder';
  } catch {
    return isGlob(path) && !/\.ya?ml$/i.test(path);
  }
}

async function readRecordings(
  session: CliSession,
  command: string,
  { paths, choice }: NamedSessions,
): Promise<{ readonly kept: readonly ReadRecording[]; readonly skipped: readonly LeftOut[] }> {
  const found = await chosenSessions(session, { command, paths, usualLast: USUAL_LAST }, choice);
  const { used, skipped } = await eachFile(session, 'reading recordings', found, (path): ReadRecording => {
    const { transcript } = loadTranscript(path, inputOptions(session));
    return {
      file: path,
      callKeys: Float64Array.from(new Set(callKeys(transcript).map(({ key }) => digestText(key)))),
      endedAtMs: endedAtMs(transcript) ?? Number.NEGATIVE_INFINITY,
      agent: [transcript.source, transcript.agentVersion ?? []].flat().join(' '),
      client: canonicalJson(clientPolicy(transcript)),
    };
  });
  const { kept, copies } = withoutCopies(session, used, 'in each');
  return { kept, skipped: [...skipped, ...copies] };
}

/** How many sessions of which other clients are left out, and how to choose them. */
function otherClients(others: readonly ReadRecording[], all: number, newest: ReadRecording): string {
  const counts = new Map<string, number>();
  for (const { agent } of others) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  const which = [...counts].map(([agent, count]) => `${count} of ${agent}`).sort();
  return `left out: ${others.length} of ${formatCounted(all, 'session')}, whose client differs from that of the newest one (${newest.agent}): ${which.join(', ')}; choose them with --agent, --project or by name`;
}

/** Recordings as the sessions of a scenario that the newest of them stands for; those of other clients are left out. */
async function impliedScenario(
  session: CliSession,
  command: string,
  named: NamedSessions,
): Promise<StudySessions> {
  const { kept, skipped } = await readRecordings(session, command, named);
  const newest = kept.reduce((a, b) => (b.endedAtMs >= a.endedAtMs ? b : a));
  const others = kept.filter(({ client }) => client !== newest.client);
  if (others.length > 0) note(session, otherClients(others, kept.length, newest));
  const reason = `its client differs from that of the newest session, ${newest.agent}`;
  return {
    files: [newest.file],
    recordings: {
      paths: kept.filter((each) => !others.includes(each)).map(({ file }) => file),
      skipped: [...skipped, ...others.map(({ file }) => ({ file, reason }))],
    },
    named:
      named.paths.length === 0 && named.choice.last === undefined
        ? { ...named, choice: { ...named.choice, last: USUAL_LAST } }
        : named,
  };
}

/**
 * What a study runs: the scenarios that were named, over their own sessions or over those of `--transcripts`; or recordings, folders
 * and patterns, or nothing, which represents the sessions on this machine.
 */
export async function studySessions(
  session: CliSession,
  command: string,
  files: readonly string[],
  options: StudyChoice,
): Promise<StudySessions> {
  const { host } = session;
  const { transcripts } = options;
  const choice = choiceOf(options);
  const isOne = files.length === 1 && isRecording(files[0]!, host.cwd);
  if (transcripts !== undefined && files.length > 0) {
    if (!isOne && files.every((file) => namesSessions(file, host)))
      throw new CcbenchError('bad-usage', '--transcripts and named sessions exclude each other', {
        hint: `name all of them without --transcripts: ccbench ${command} ${[...files, ...transcripts].join(' ')}`,
      });
    const { kept, skipped } = await readRecordings(session, command, { paths: transcripts, choice });
    return { files, recordings: { paths: kept.map(({ file }) => file), skipped } };
  }
  if (isOne && !isChosen(choice)) return { files };
  if (files.every((file) => namesSessions(file, host)))
    return impliedScenario(session, command, { paths: transcripts ?? files, choice });
  if (isChosen(choice))
    throw new CcbenchError(
      'bad-usage',
      `--${Object.keys(choice)[0]} has no effect on the sessions of a scenario`,
      {
        hint: 'name sessions instead of the scenario, or use --transcripts',
      },
    );
  return { files };
}

/** Opens the scenarios of a study; recordings that represent one are reported. */
export function openStudyScenarios(
  session: CliSession,
  { files, recordings, named }: StudySessions,
  plugins: OpenPlugins,
): Promise<OpenScenario> {
  const found = recordings?.paths ?? [];
  if (named === undefined) return openScenarios(session, files, plugins, { found });
  const count = formatCounted(found.length, 'session');
  const what = (file: string): string => `${count}, the newest ${inputId(file)}`;
  return openScenarios(session, files, plugins, { found, what });
}

/** The scenario of a command that takes one. */
export function oneScenario(command: string, files: readonly string[]): string {
  const [first, second] = files as [string, string?];
  if (second === undefined) return first;
  throw new CcbenchError('bad-usage', `ccbench ${command} takes one scenario`, {
    place: { file: second },
    hint: `to compare several: ccbench compare ${files.join(' ')}`,
  });
}

/** The scenario of a study over points, with the recordings it runs on in place of its own. */
export async function openSource(
  session: CliSession,
  command: string,
  files: readonly string[],
  options: StudyChoice & { readonly set: readonly string[] },
  opened: OpenPlugins,
) {
  const sessions = await studySessions(session, command, files, options);
  const file = oneScenario(command, sessions.files);
  const { recordings, named } = sessions;
  const own = (await openStudyScenarios(session, sessions, opened))(file, options.set);
  const source = recordings === undefined ? own : { ...own, recordings: recordings.paths };
  return { file, source, recordings, named };
}
