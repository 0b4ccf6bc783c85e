/** Names that users typed in scenarios, plug-ins and commands, and what they are called now; `*` is any one word. @internal */
export const RENAMED: readonly (readonly [old: string, now: string])[] = [
  ['costUsdUnseen', 'backgroundCostUsd'],
  ['keptContentShare', 'contentRetention'],
  ['compactionsPutOff', 'compactionsDeferred'],
  ['layers.*.putOff', 'layers.*.deferred'],
  ['--against', '--baseline'],
  ['--trace', '--record'],
  ['parts.enabled', 'rules.enabled'],
  ['baselines.prune.batchTokens', 'rules.prune.when.piled'],
  ['tiers', 'layers'],
  ['letters', 'messages'],
];

/** What an old name is called now, where that name is known; a dotted name says by itself what it belongs to. */
export function newName(name: string, known: readonly string[]): string | null {
  for (const [old, now] of RENAMED) {
    const [start, end] = old.split('*') as [string, string?];
    const rest = end === undefined ? '' : name.slice(start.length, name.length - end.length);
    if (name !== (end === undefined ? old : `${start}${rest}${end}`) || rest.includes('.')) continue;
    const found = now.replace('*', rest);
    if (known.includes(found) || found.includes('.')) return found;
  }
  return null;
}

/** Edit distance between two short names (insert, delete, replace, swap of neighbours). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, beforePrevious[j - 2]! + 1);
      }
      current.push(best);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}

/** Letters that a name has to begin with alike to be taken for a longer one. */
const SAME_START = 4;

/** Nobody misspells a longer one, and comparing costs its length squared. */
const LONGEST_NAME = 100;

/** A name with its parts between hyphens, however they are set apart. */
function parts(name: string): string {
  return `-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-`;
}

/** Names that hold all parts of a shorter one in a row: `claude-sonnet-5-5` holds `sonnet-5.5`. */
function holding(wanted: string, known: readonly string[]): readonly string[] {
  if (wanted.length < SAME_START) return [];
  const sought = parts(wanted);
  return sought === '--' ? [] : known.filter((name) => parts(name).includes(sought));
}

/** The known name closest to a misspelt one, or null when none is close enough to suggest. */
export function nearestName(wanted: string, known: readonly string[]): string | null {
  if (wanted.length > LONGEST_NAME) return null;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 2));
  const low = wanted.toLowerCase();
  const begun = known.filter((name) => low.length >= SAME_START && name.toLowerCase().startsWith(low));
  const alike = begun.length > 0 ? begun : holding(low, known);
  if (alike.length > 0) return alike.reduce((a, b) => (b.length < a.length ? b : a));
  for (const name of known) {
    // `sonet-5.5` is nearer to `sonnet-5-5` than to any whole name.
    const distance = Math.min(
      ...[name, name.replace(/^[^-/.]*[-/.]/, '')].map((each) => editDistance(low, each.toLowerCase())),
    );
    if (distance <= bestDistance && (best === null || distance < bestDistance)) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** What to write instead of an unknown name, as the beginning of a hint: the name it has now, or the nearest known one; empty without either. */
export function suggestName(wanted: string, known: readonly string[], quote: '"' | '`' = '"'): string {
  const quoted = (name: string) => `${quote}${name}${quote}`;
  const now = newName(wanted, known);
  if (now !== null) return `${quoted(wanted)} is now called ${quoted(now)}; `;
  const near = nearestName(wanted, known);
  return near === null ? '' : `did you mean ${quoted(near)}? `;
}
