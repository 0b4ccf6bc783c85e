import { join, resolve } from 'node:path';
import { explainSession, withUses } from '../../../analysis/why/session-why.js';
import type { PlannedModel } from '../../../core/run/run-plan.js';
import {
  entryKey,
  readEntryPart,
  touchEntry,
  WHY_FOLDER,
  writeEntry,
} from '../../../transcripts/files/compiled-store.js';
import type { DiskFile } from '../../../transcripts/files/disk-file.js';
import type { FileDigests } from '../../../transcripts/files/file-digests.js';
import { type InputOptions, inputId } from '../../../transcripts/files/read-input.js';
import { filesOfSession, isSelfContained, loadTranscript } from '../../../transcripts/files/transcripts.js';
import { recordedProject } from '../../../transcripts/files/usual-places.js';
import { transcriptFindings } from '../../../transcripts/lines/findings.js';
import { callKeys } from '../../../transcripts/sessions/copy-keys.js';
import { programVersion } from '../../program-version.js';
import { KeptWhy, type OpenedWhy, packWhy } from './kept-why.js';

/** What threads that explain sessions begin with. */
export const WHY_MODULE = 'cli/commands/why/why-worker';

let version: string | null = null;

/** The program, by its version and its code. */
function program(): string {
  version ??= programVersion(WHY_MODULE);
  return version;
}

/** What an explanation depends on beside the files of its session. */
export interface ExplainOptions extends Pick<InputOptions, 'cwd' | 'cache' | 'priceDay'> {
  readonly models?: readonly PlannedModel[];
  /** Whether the usage of each request under each change is kept. */
  readonly changedUsage?: 'kept';
}

/** What was found of a session: the key under which it is kept, or the bytes where nothing is. */
export type FoundWhy = { readonly key: string } | { readonly bytes: Uint8Array<ArrayBuffer> };

/** The folder of kept results; null if nothing is kept. */
function folderOf({ cache = 'off' }: ExplainOptions): string | null {
  return cache === 'off' ? null : join(cache.folder, WHY_FOLDER);
}

function keyOf(
  file: string,
  options: ExplainOptions,
  contents: readonly (readonly [string, string])[],
): string {
  const { priceDay = null, models = null, changedUsage = null } = options;
  // The digest of the program covers its prices, policies and rules.
  return entryKey([program(), inputId(file), priceDay, models, changedUsage], contents);
}

/** Opens a result by its key; null if there is none that is whole. */
export function openKept(key: string, options: ExplainOptions): OpenedWhy | null {
  const folder = folderOf(options);
  if (folder === null) return null;
  const kept = KeptWhy.open((offset, length) => readEntryPart(folder, key, offset, length));
  if (kept !== null) touchEntry(folder, key);
  return kept;
}

/** Opens a result from its bytes. */
export function openBytes(bytes: Uint8Array): OpenedWhy {
  return KeptWhy.open((offset, length) => bytes.subarray(offset, offset + length))!;
}

/** The key of a session all of whose files are as they were when they were read; null if one has to be read. */
export function knownKey(file: string, options: ExplainOptions, digests: FileDigests): string | null {
  const files = folderOf(options) === null ? null : filesOfSession(file, options);
  const contents = files?.map((each) => [each.name, digests.find(each)] as const) ?? [];
  if (contents.length === 0 || contents.some(([, sha256]) => sha256 === null)) return null;
  return keyOf(file, options, contents as readonly (readonly [string, string])[]);
}

/** The keys of all calls and compactions of a session, which is read where it was not explained before. */
export function callKeysOf(file: string, options: ExplainOptions, digests: FileDigests): readonly string[] {
  const key = knownKey(file, options, digests);
  const kept = key === null ? null : openKept(key, options);
  if (kept !== null) return kept.head.callKeys;
  return callKeys(loadTranscript(file, { ...options, digests }).transcript).map((each) => each.key);
}

/** Explains a session, unless what was found of its content before is to be used. */
export function explainFile(
  file: string,
  options: ExplainOptions,
  digests: FileDigests,
  before: 'used' | 'replaced' = 'used',
): FoundWhy {
  const folder = folderOf(options);
  const files = folder === null ? null : filesOfSession(file, options);
  const contents = files === null ? null : contentsOf(files, digests);
  const key = contents === null ? null : keyOf(file, options, contents);
  if (before === 'used' && key !== null && openKept(key, options) !== null) {
    digests.keep(files!);
    return { key };
  }
  const { format, transcript: recording } = loadTranscript(file, { ...options, digests, use: 'once' });
  // The same object from here on: what is computed once for each is not computed for a copy too.
  const transcript = withUses(recording);
  const { changedUsage } = options;
  const why = explainSession(transcript, {
    file,
    project: '',
    ...(changedUsage === undefined ? {} : { changedUsage }),
  });
  const bytes = packWhy(why, {
    project: recordedProject(resolve(options.cwd, file)),
    callKeys: [...new Set(callKeys(transcript).map((each) => each.key))],
    warnings: transcriptFindings(transcript),
  });
  const isWhole =
    key !== null &&
    isSelfContained(format) &&
    JSON.stringify(contentsOf(files!, digests)) === JSON.stringify(contents);
  if (!isWhole || writeEntry(folder!, key, bytes) !== 'kept') return { bytes };
  digests.keep(files!);
  return { key };
}

/** The files of a session with their contents; null if one cannot be read, which its reader says more of. */
function contentsOf(
  files: readonly DiskFile[],
  digests: FileDigests,
): readonly (readonly [string, string])[] | null {
  try {
    return files.map((each) => [each.name, digests.of(each)]);
  } catch {
    return null;
  }
}
