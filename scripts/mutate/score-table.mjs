const INTRO = `# Mutation score

\`npm run mutate -- --folder tiers --limit 40\` changes the program in one place at a time (a comparison, a boundary, a sum, a
condition, a number, a statement left out) in a copy of the tree, runs the tests that import the changed file, the mirrored folder
first, and sees whether one fails. A change that no test notices has survived. What is tried is a sample in an order given by
\`--seed\`; results are kept in \`.ccbench/mutation.json\` by the digest of the file and the change, so a second run tries only what is
new. \`--again\` tries survivors again after tests were written, \`--files 12\` runs the twelve nearest test files alone and gives a
lower bound, \`--show\` lists the survivors. Some survivors are no fault: the changed program does the same.

A timeout counts as noticed. The score is noticed ÷ tried; only results of files as they are now count.
`;

const COLUMNS = ['folder', 'mutants', 'tried', 'killed', 'timeout', 'survived', 'untested', 'score'];

/** The scores of folders as a page and as lines of a terminal. */
export function scoreTable(folders, results) {
  const rows = folders.flatMap(({ folder, mutants }) => {
    const verdicts = mutants.flatMap(({ key }) => (results[key] === undefined ? [] : [results[key].verdict]));
    if (verdicts.length === 0) return [];
    const count = (verdict) => verdicts.filter((one) => one === verdict).length;
    const noticed = count('killed') + count('timeout');
    const score = `${((100 * noticed) / verdicts.length).toFixed(0)} %`;
    return [
      [
        folder,
        mutants.length,
        verdicts.length,
        count('killed'),
        count('timeout'),
        count('survived'),
        count('untested'),
        score,
      ],
    ];
  });
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const lines = rows.map(([folder, , tried, , , , , score]) => `${folder}: ${score} of ${tried}`);
  const table = [
    line(COLUMNS),
    line(COLUMNS.map((_, i) => (i === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n');
  return { page: `${INTRO}\n${table}\n`, lines };
}
