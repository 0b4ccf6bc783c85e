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
