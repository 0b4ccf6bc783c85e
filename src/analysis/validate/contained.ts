import { DigestSet, digestText } from '../../core/base/digest.js';

/** Ids of responses, each once: a set, or digests in a row, which take less room. */
export type CallIds = ReadonlySet<string | number> | Float64Array;

/** A recording with the ids of its responses. */
export interface Identified {
  readonly file: string;
  readonly callIds: CallIds;
}

function sizeOf(ids: CallIds): number {
  return ids instanceof Float64Array ? ids.length : ids.size;
}

/** A file that another one holds in full. */
export interface Contained {
  readonly file: string;
  readonly within: string;
  readonly responses: number;
}

/** Files of which another one holds every response, such as copies of resumed sessions. Of equal files the first stays. */
export function containedFiles(files: readonly Identified[]): readonly Contained[] {
  // Whoever holds all responses of a file holds its first one.
  const holders = new Map<string | number, Identified[]>();
  for (const { callIds } of files) for (const id of [...callIds].slice(0, 1)) holders.set(id, []);
  for (const file of files) for (const id of file.callIds) holders.get(id)?.push(file);
  const found: Contained[] = [];
  for (const [order, file] of files.entries()) {
    const [first] = file.callIds;
    const candidates = first === undefined ? [] : holders.get(first)!;
    const within = candidates.find(
      (other) =>
        other !== file &&
        holdsAll(other, file) &&
        (sizeOf(other.callIds) > sizeOf(file.callIds) || files.indexOf(other) < order),
    );
    if (within !== undefined)
      found.push({ file: file.file, within: within.file, responses: sizeOf(file.callIds) });
  }
  return found;
}

/** A file that shares some of its responses with files before it. */
export interface Repeated {
  readonly file: string;
  readonly calls: number;
}

/** How many responses of each file stand in one before it too; files without such are left out. */
export function repeatedCalls(files: readonly Identified[]): readonly Repeated[] {
  const seen = new DigestSet();
  return files.flatMap(({ file, callIds }) => {
    let calls = 0;
    for (const id of callIds) {
      const digest = typeof id === 'number' ? id : digestText(id);
      if (seen.has(digest)) calls++;
      seen.add(digest);
    }
    return calls === 0 ? [] : [{ file, calls }];
  });
}

function holdsAll(other: Identified, file: Identified): boolean {
  if (sizeOf(other.callIds) < sizeOf(file.callIds)) return false;
  const held =
    other.callIds instanceof Float64Array ? new Set<string | number>(other.callIds) : other.callIds;
  for (const id of file.callIds) if (!held.has(id)) return false;
  return true;
}
