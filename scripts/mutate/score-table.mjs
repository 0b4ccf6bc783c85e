/** The score of a sample as a row of the table in docs/robustness.md. */
export function scoreRow({ folder, seed, limit, budget, mutants, verdicts }) {
  const count = (verdict) => verdicts.filter((one) => one === verdict).length;
  const noticed = count('killed') + count('timeout');
  const score = verdicts.length === 0 ? '–' : `${((100 * noticed) / verdicts.length).toFixed(0)} %`;
  const given = [
    ['limit', limit],
    ['seed', seed],
    ['budget', budget === '60' ? '0' : budget],
  ].flatMap(([name, value]) => (value === '0' ? [] : [` --${name} ${value}`]));
  const cells = [
    folder,
    mutants,
    verdicts.length,
    noticed,
    count('survived'),
    count('not reached'),
    score,
    `\`--folder ${folder}${given.join('')}\``,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The page with the row of one folder put in or replaced, rows in the order of their names. */
export function withRow(page, row) {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => /^\| ---/.test(line)) + 1;
  const length = lines.slice(head).findIndex((line) => !line.startsWith('|'));
  const nameOf = (line) => line.split(' ')[1];
  const rows = lines.slice(head, head + length).filter((line) => nameOf(line) !== nameOf(row));
  const sorted = [...rows, row].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return [...lines.slice(0, head), ...sorted, ...lines.slice(head + length)].join('\n');
}
