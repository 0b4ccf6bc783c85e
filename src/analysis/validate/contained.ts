/** A recording with the ids of its responses. */
export interface Identified {
  readonly file: string;
  readonly callIds: ReadonlySet<string | number>;
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
        (other.callIds.size > file.callIds.size || files.indexOf(other) < order),
    );
    if (within !== undefined)
      found.push({ file: file.file, within: within.file, responses: file.callIds.size });
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
  const seen = new Set<string | number>();
  return files.flatMap(({ file, callIds }) => {
    let calls = 0;
    for (const id of callIds) {
      if (seen.has(id)) calls++;
      seen.add(id);
    }
    return calls === 0 ? [] : [{ file, calls }];
  });
}

function holdsAll(other: Identified, file: Identified): boolean {
  if (other.callIds.size < file.callIds.size) return false;
  for (const id of file.callIds) if (!other.callIds.has(id)) return false;
  return true;
}
