/** Licences that code of others may have here: they ask for no more than their notice, or (MPL-2.0) for changes to their own files. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MPL-2.0',
  'Unlicense',
]);

/** Every package of a lock file that an installation without development brings, in the order of names and versions. */
export function productionPackages(lockText) {
  const packages = Object.entries(JSON.parse(lockText).packages).flatMap(([path, entry]) => {
    if (path === '' || entry.dev === true || entry.devOptional === true) return [];
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return [{ name, version: entry.version, licence: entry.license ?? null }];
  });
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** Whether a licence is on the list: one of several to choose from is enough. */
export function isAllowed(licence) {
  if (licence === null) return false;
  const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => ALLOWED.has(choice));
}

/** docs/licences.md, from the text of package-lock.json. */
export function licencesPage(lockText) {
  const packages = productionPackages(lockText);
  const counts = new Map();
  for (const { licence } of packages) counts.set(licence ?? 'none', (counts.get(licence ?? 'none') ?? 0) + 1);
  const sums = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return `# Licences

What \`npm install ccbench\` brings, from \`package-lock.json\`: ${packages.length} packages, the ones for other machines
included (\`@resvg/resvg-js-*\` holds one package for each machine). They are installed unchanged; the build holds no code of theirs.
\`test/docs/licences-page.test.ts\` refuses a licence that is not on the list of \`scripts/licences.mjs\`, and
\`UPDATE_GENERATED=1 npx vitest run test/docs\` writes this page again.

${sums.map(([licence, count]) => `- ${licence}: ${count}`).join('\n')}

| package | version | licence |
| --- | --- | --- |
${packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence ?? 'none'} |`).join('\n')}
`;
}
