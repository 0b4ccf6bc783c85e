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

const nameOf = (path, entry) =>
  entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Packages of a lock file by path, each version once, in the order of names and versions. */
function inOrder(entries) {
  const packages = entries.map(([path, entry]) => ({
    name: nameOf(path, entry),
    version: entry.version,
    licence: entry.license ?? null,
  }));
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** Every package of a lock file that an installation without development brings, in the order of names and versions. */
export function productionPackages(lockText) {
  const entries = Object.entries(JSON.parse(lockText).packages);
  return inOrder(entries.filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional));
}

/** The packages in the given folders, with what the lock file says of them. */
export function bundledPackages(lockText, folders) {
  const { packages } = JSON.parse(lockText);
  return inOrder(folders.map((folder) => [folder, packages[folder]]));
}

/** Whether a licence is on the list: one of several to choose from is enough. */
export function isAllowed(licence) {
  if (licence === null) return false;
  const choices = licence.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => ALLOWED.has(choice));
}

function table(packages) {
  return `| package | version | licence |
| --- | --- | --- |
${packages.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence ?? 'none'} |`).join('\n')}`;
}

/** docs/licences.md, from the text of package-lock.json and the folders of the packages in the build. */
export function licencesPage(lockText, folders) {
  const installed = productionPackages(lockText);
  const bundled = bundledPackages(lockText, folders);
  const counts = new Map();
  for (const { licence } of [...installed, ...bundled])
    counts.set(licence ?? 'none', (counts.get(licence ?? 'none') ?? 0) + 1);
  const sums = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return `# Licences

What \`npm install ccbench\` brings, from \`package-lock.json\`: ${installed.length} packages that are installed unchanged, the ones for other
machines included (\`@resvg/resvg-js-*\` holds one package for each machine), and code of ${bundled.length} packages that the build puts into its
own files because little of them is used; their licences are in \`bundled-licences.txt\` in the folder \`dist\`.
\`test/docs/licences-page.test.ts\` refuses a licence that is not on the list of \`scripts/licences.mjs\`, and
\`UPDATE_GENERATED=1 npx vitest run test/docs\` writes this page again.

${sums.map(([licence, count]) => `- ${licence}: ${count}`).join('\n')}

## Installed

${table(installed)}

## In the build

${table(bundled)}
`;
}
