// @ts-check

/** Days after which a fact should be compared with its source again. */
export const OLD_DAYS = 90;

/**
 * What is older than OLD_DAYS, in sentences; none where nothing is. Takes what `ccbench models --json` and `ccbench policies --json`
 * print. Earlier prices do not count: they are over.
 * @param {{ readonly models: readonly { readonly id: string, readonly daysSinceChecked: number }[] }} models
 * @param {{ readonly policies: readonly { readonly name: string, readonly daysSinceChecked: number | null }[] }} policies
 * @returns {readonly string[]}
 */
export function oldFacts({ models }, { policies }) {
  const named = [
    ['models', models.map(({ id, daysSinceChecked }) => ({ name: id, days: daysSinceChecked }))],
    ['policies', policies.map(({ name, daysSinceChecked }) => ({ name, days: daysSinceChecked ?? 0 }))],
  ];
  return /** @type {[string, { name: string, days: number }[]][]} */ (named).flatMap(([what, rows]) => {
    const old = rows.filter(({ days }) => days > OLD_DAYS).map(({ name, days }) => `${name} (${days} days)`);
    return old.length === 0
      ? []
      : [`${what} not compared with their sources for more than ${OLD_DAYS} days: ${old.join(', ')}`];
  });
}
