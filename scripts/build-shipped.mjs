// Reads what is shipped as YAML (policies, providers, and the tables of models, clients, layer parameters, generated sessions,
// memory heuristics, metrics, weights on limits, settings, tools and wordings of clients, commands, files to start from) and writes it as modules of plain data, so that
// nothing is read or checked at start-up.
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { clientsModule } from './shipped/clients.mjs';
import { commandsModule } from './shipped/commands.mjs';
import { fixesModule } from './shipped/fixes.mjs';
import { memoryModule } from './shipped/memory.mjs';
import { metricsModule } from './shipped/metrics.mjs';
import { modelsModule } from './shipped/models.mjs';
import { paramsModule } from './shipped/params.mjs';
import { profilePolicy } from './shipped/profiles.mjs';
import { toolsModule, wordingsModule } from './shipped/script.mjs';
import { syntheticModule } from './shipped/synthetic.mjs';
import { weightsModule } from './shipped/weights.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const params = parse(readFileSync(join(root, 'src/agent/layers/params.yaml'), 'utf8'));

const READERS = `
export { policyFrom } from './src/agent/policies/policy.ts';
export { readPolicy } from './src/agent/policy-file/read-policy.ts';
export { readProvider } from './src/provider/providers/read-provider.ts';
`;

/** The readers of policies and providers, made of their sources. */
async function loadReaders() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: READERS, resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Throws what is wrong with a file, all of it. */
function checked(file, read) {
  const problems = [];
  const value = read((problem) => problems.push(problem));
  if (value !== null) return value;
  throw new Error(problems.map(({ path, message }) => `${file}, ${path.join('.')}: ${message}`).join('\n'));
}

/** The files below a folder as entries of a module, by name; what is in them must be called as `prefixOf` it says and then as its file. */
function entriesOf(folder, prefixOf, read) {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => {
      const written = parse(readFileSync(join(root, folder, file), 'utf8'));
      return { file, name: `${prefixOf(written)}${basename(file, '.yaml')}`, written };
    });
  const all = files.map(({ written }) => written);
  return files
    .map(({ file, name, written }) => {
      if (written.name !== name) throw new Error(`${folder}/${file} is called ${written.name}`);
      const value = checked(`${folder}/${file}`, (problems) => read(written, name, problems, all));
      return { name, value, place: placeOf(value.kind, name) };
    })
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(
      // As a text: it is parsed when it is asked for.
      ({ name, value }) => `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(value))}],`,
    );
}

/** Where an entry stands among the others: by kind, then by name, numbers in their order (2.1.7 before 2.1.112). */
function placeOf(kind, name) {
  return `${kind ?? ''} ${name.replace(/\d+/g, (digits) => digits.padStart(6, '0'))}`;
}

/** Writes a module when it differs from what is there. */
function writeText(path, text) {
  const target = join(root, path);
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
}

/** Writes a module of files by name. */
function writeModule(path, what, entries) {
  const text = `/** ${what} that are shipped as files by name, each as the JSON of what was read; made by scripts/build-shipped.mjs. */
export const SHIPPED: readonly (readonly [string, string])[] = [
${entries.join('\n')}
];
`;
  writeText(path, text);
}

/** Writes the module of a table beside its YAML. */
function writeTable(path, moduleOf) {
  try {
    const written = parse(readFileSync(join(root, `${path}.yaml`), 'utf8'), { merge: true });
    writeText(
      `${path}.generated.ts`,
      `// Made by scripts/build-shipped.mjs of ${basename(path)}.yaml.\n${moduleOf(written)}`,
    );
  } catch (error) {
    throw new Error(`${path}.yaml: ${error.message}`, { cause: error });
  }
}

/** Writes the module of the files that users start from, each with the name in it. */
function writeStarters() {
  const starters = ['scenario', 'policy'].map((what) => {
    const text = readFileSync(join(root, `src/cli/starters/${what}.yaml`), 'utf8');
    return [what, { usualName: parse(text).name, text }];
  });
  writeText(
    'src/cli/starters.generated.ts',
    `// Made by scripts/build-shipped.mjs of the files in starters.
/** What users start from, and the name in it, which theirs replaces. */
export const STARTERS = ${JSON.stringify(Object.fromEntries(starters))} as const;
`,
  );
}

/** Writes the modules of what is shipped as files. */
async function buildShipped() {
  writeTable('src/provider/prices/models', modelsModule);
  writeTable('src/core/memory/heuristics', memoryModule);
  writeTable('src/agent/client/clients', clientsModule);
  writeTable('src/agent/layers/params', paramsModule);
  writeTable('src/transcripts/synthetic/synthetic', syntheticModule);
  writeTable('src/analysis/limits/weights', weightsModule);
  writeTable('src/provider/script/tools', toolsModule);
  writeTable('src/provider/fake-api/wordings', wordingsModule);
  writeTable('src/analysis/why/fixes', fixesModule);
  writeTable('src/metrics/metrics', metricsModule);
  writeTable('src/cli/commands', commandsModule);
  writeStarters();
  const { policyFrom, readPolicy, readProvider } = await loadReaders();
  const rulesPolicy = (kind) => (written, name, problems) => {
    const read = readPolicy(written, { name }, problems);
    return read === null ? null : policyFrom(read, written, kind);
  };
  const policiesIn = (folder, kind) =>
    entriesOf(`src/agent/policies/${folder}`, () => `${folder}/`, rulesPolicy(kind));
  const profile = (written, _name, _problems, all) => profilePolicy(written, params, all);
  const bound = (written, ...rest) =>
    (written.rules === undefined ? profile : rulesPolicy('bound'))(written, ...rest);
  writeModule('src/agent/policies/shipped.generated.ts', 'Policies', [
    ...entriesOf('src/agent/policies/bounds', ({ rules }) => (rules === undefined ? '' : 'bounds/'), bound),
    ...entriesOf('src/agent/policies/claude-code', () => 'claude-code/', profile),
    ...policiesIn('baselines', 'baseline'),
    ...policiesIn('peers', 'peer'),
  ]);
  writeModule(
    'src/provider/providers/providers.generated.ts',
    'Providers',
    entriesOf(
      'src/provider/providers',
      () => '',
      (written, name, problems) => readProvider(written, { name }, problems),
    ),
  );
}

await buildShipped();
