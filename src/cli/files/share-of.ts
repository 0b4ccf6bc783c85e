import { sha256Hex } from '../../core/base/digest.js';
import type { Shard } from '../../study/batches.js';
import type { FoundSessions } from '../../transcripts/files/find-sessions.js';
import { inputId } from '../../transcripts/files/read-input.js';
import { type CliSession, note } from '../session.js';
import { createProgress } from '../terminal/progress.js';
import { oneByOne } from './each-file.js';

/** Hexadecimal digits that a share is drawn by. */
const DRAWN_DIGITS = 8;

/** Sessions by the calls they have in common, directly or through others; each group with its least key. */
class Groups {
  readonly #parents: number[] = [];
  readonly #least: string[] = [];
  readonly #holders = new Map<string, number>();

  add(keys: readonly string[], otherwise: string): void {
    const own = this.#parents.length;
    this.#parents.push(own);
    this.#least.push(keys.reduce((least, key) => (key < least ? key : least), keys[0] ?? otherwise));
    for (const key of keys) {
      const holder = this.#holders.get(key);
      if (holder === undefined) this.#holders.set(key, own);
      else this.#join(holder, own);
    }
  }

  keyOf(session: number): string {
    return this.#least[this.#root(session)]!;
  }

  #root(session: number): number {
    let at = session;
    while (this.#parents[at] !== at) {
      this.#parents[at] = this.#parents[this.#parents[at]!]!;
      at = this.#parents[at]!;
    }
    return at;
  }

  #join(a: number, b: number): void {
    const [one, other] = [this.#root(a), this.#root(b)];
    if (this.#least[other]! < this.#least[one]!) this.#least[one] = this.#least[other]!;
    this.#parents[other] = one;
  }
}

/**
 * The share of some sessions that a shard has to do with; all of them without one. Which one a session falls into follows from its calls, not from where it
 * lies; sessions with calls in common fall into the same, so that each shard counts calls once as one run over all would.
 */
export async function shareOf(
  session: CliSession,
  chosen: FoundSessions,
  shard: Shard | undefined,
  callKeys: (file: string) => readonly string[],
): Promise<FoundSessions> {
  if (shard === undefined) return chosen;
  const { files, leftOut } = chosen;
  const { index, of } = shard;
  const groups = new Groups();
  const progress = createProgress(session, 'files');
  try {
    progress.start('looking for copies', files.length);
    const read = oneByOne(session, (file) => groups.add(callKeys(file), inputId(file)));
    await read(files, progress.update);
  } finally {
    progress.clear();
  }
  const drawn = (key: string): number => Number.parseInt(sha256Hex(key).slice(0, DRAWN_DIGITS), 16) % of;
  const own = files.filter((_, i) => drawn(groups.keyOf(i)) === index - 1);
  note(session, `share ${index} of ${of}: ${own.length} of ${files.length} sessions`);
  return { files: own, leftOut };
}
