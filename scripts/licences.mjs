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

/** Packages as a list by licence, in the order of the licences' names. */
function byLicence(packages) {
  const nameOf = ({ licence }) => licence ?? 'none';
  return [...new Set(packages.map(nameOf))]
    .sort()
    .map((licence) => {
      const own = packages.filter((item) => nameOf(item) === licence);
      return `- ${licence} (${own.length}): ${own.map(({ name, version }) => `${name} ${version}`).join(', ')}`;
    })
    .join('\n');
}

/** docs/licences.md, from the text of package-lock.json and the folders of the packages in the build. */
export function licencesPage(lockText, folders) {
  const installed = productionPackages(lockText);
  const bundled = bundledPackages(lockText, folders);
  return `# Licences

\`npm install ccbench\` installs ${installed.length} packages unchanged, including those for other machines (\`@resvg/resvg-js-*\`), and code of ${bundled.length}
packages inside the build, because little of them is used (their licence texts: \`bundled-licences.txt\` in \`dist\`). A test refuses a licence that is
not on the list of \`scripts/licences.mjs\`. This page is generated: \`UPDATE_GENERATED=1 npx vitest run test/docs\`.

## Installed

${byLicence(installed)}

## In the build

${byLicence(bundled)}
`;
}
