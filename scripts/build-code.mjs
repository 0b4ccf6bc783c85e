// Bundles the program with the packages it uses into dist: one file per way in, and chunks that load when they are needed. An
// installation brings the used part of each package, and starting the program opens few files. The files are CommonJS: Node starts
// without its loader of ES modules, and Node 20 can keep their compiled code (src/cli/prepare-node.ts).
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The ways into the program, below src: the command, the library, worker threads, and what benchmarks start as a process of its own. */
export const ENTRIES = [
  'cli/main',
  'index',
  'study/worker-run',
  'cli/commands/why/why-worker',
  'bench/probe',
];

/** What stays outside: a package with a binary for each machine, and packages that users install themselves. */
const EXTERNAL = ['@resvg/resvg-js', '@duckdb/node-api', 'bullmq', 'ioredis'];

/**
 * What these sources import, directly or not, goes into one file each: opening files takes most of the time in which a program
 * starts. What several of them import goes into the first. They themselves stay apart: two of them begin to work when they are loaded.
 */
const TOGETHER = [
  ['prepare', 'cli/prepare-node'],
  ['start', 'cli/start'],
  ['engine', 'study/worker-run'],
  ['run', 'cli/commands/run/run'],
];

/** What loads files of a user's: V8 keeps no compiled code of a file with an `import()`, so it is in one of its own. */
const IMPORTS_FILES = join(root, 'src/config/plugins/import-file.ts');

/** Tells Node that the files of the build are CommonJS, those of the repository not being so. */
const FORMAT_FILE = 'package.json';

/** Smaller files are put together. */
const LEAST_FILE_BYTES = 20_000;

/** Where the licences of the packages in the build are kept. */
export const NOTICES = 'dist/bundled-licences.txt';

/** Benchmarks are built into a folder of their own, which is not published. */
const BENCH = join(root, 'bench');
/** What is loaded alone. */
const BENCH_STARTS = ['main.ts', 'probe.ts'].map((name) => join(BENCH, name));

/** The source of a file of the build, from the root. */
function sourceOf(name) {
  return name.startsWith('bench/') ? `${name}.ts` : `src/${name}.ts`;
}

/** Modules that scripts, benchmarks and tests start with, by what they name: `provider/prices/price`, `../dist/cli/host.js`. */
function namedByScripts() {
  const found = new Set();
  for (const [folder, ending, form] of [
    ['scripts', /\.mjs$/, /'(?:[./]*dist\/)?([a-z][\w-]*(?:\/[\w-]+)+)(?:\.js)?'/g],
    ['bench', /\.mjs$/, /'[./]*dist\/([\w/-]+)\.js'/g],
    ['test', /\.(?:ts|mjs)$/, /'[./]*dist\/([\w/-]+)\.js'/g],
  ])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!ending.test(name)) continue;
      const text = readFileSync(join(root, folder, name), 'utf8');
      for (const [, module] of text.matchAll(form))
        if (existsSync(join(root, sourceOf(module)))) found.add(module);
    }
  return [...found].sort();
}

/** The folder of the package a file belongs to, from the root; null for a file of ours. */
function packageFolder(file) {
  return /^(?:.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? null;
}

/** The name of the file that a source goes into; null where the bundler may choose. */
function fileNamer() {
  const closures = new Map();
  const closureOf = (entry, context) => {
    const seen = new Set();
    const add = (id) => {
      if (seen.has(id)) return;
      seen.add(id);
      for (const next of context.getModuleInfo(id)?.importedIds ?? []) add(next);
    };
    const own = join(root, 'src', `${entry}.ts`);
    add(own);
    seen.delete(own);
    return seen;
  };
  return (id, context) => {
    if (id === IMPORTS_FILES) return 'import-file';
    if (id.startsWith(BENCH) && !BENCH_STARTS.includes(id)) return 'bench';
    for (const [name, entry] of TOGETHER) {
      if (!closures.has(name)) closures.set(name, closureOf(entry, context));
      if (closures.get(name).has(id)) return name;
    }
    return null;
  };
}

/** commander starts other programs for commands that are files of their own. ccbench has none, and Node takes long to load what starts them. */
const WITHOUT_PROCESSES = {
  name: 'without-processes',
  transform: {
    filter: { id: /commander\/lib\/command\.js$/ },
    handler(code) {
      const changed = code.replace("const childProcess = require('node:child_process');", '');
      if (changed === code) throw new Error('commander no longer loads node:child_process as it did');
      return { code: changed };
    },
  },
};

/** Files in which more characters than this are not ASCII stay as they are: tables of tokens. */
const FEW_CHARS = 1_000;

/**
 * Files of the build hold ASCII alone. V8 keeps a source with any other character at two bytes each, and Node takes longer to
 * read it.
 */
const ASCII_ALONE = {
  name: 'ascii-alone',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || (file.code.match(/[^\0-\x7f]/g) ?? []).length > FEW_CHARS) continue;
      if (/\\[^\0-\x7f]|String\.raw/.test(file.code))
        throw new Error(`${file.fileName} cannot be written as ASCII`);
      file.code = file.code.replaceAll(
        /[^\0-\x7f]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

const ALIASES = {
  // As ES modules, of which only what is used is taken in; Node is given CommonJS, all of which runs at the start.
  yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
  // The one for Node looks for a package that draws on a canvas. Charts are drawn as SVG.
  'vega-canvas': join(root, 'node_modules/vega-canvas/build/vega-canvas.browser.js'),
};

/** Makes the bundles; their files, and the folders of all packages they hold, in order. With `write: false` nothing is written. */
export async function buildCode({ write = true } = {}) {
  const names = [...new Set([...ENTRIES, ...namedByScripts()])];
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, sourceOf(name)])),
    preserveEntrySignatures: 'allow-extension',
    platform: 'node',
    external: EXTERNAL,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, alias: ALIASES },
    tsconfig: false,
    transform: { target: 'node20' },
    plugins: [WITHOUT_PROCESSES, ASCII_ALONE],
  });
  const options = {
    dir: 'dist',
    format: 'cjs',
    chunkFileNames: ({ name }) => `${name === 'bench' ? 'bench' : 'chunks'}/[name]-[hash].js`,
    entryFileNames: '[name].js',
    minify: {
      compress: true,
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true },
    },
    comments: false,
    codeSplitting: {
      minSize: LEAST_FILE_BYTES,
      groups: [{ name: fileNamer(), debugName: 'together' }],
      includeDependenciesRecursively: false,
    },
  };
  const { output } = await (write ? bundle.write(options) : bundle.generate(options));
  await bundle.close();
  for (const { type, name, code } of output)
    if (type === 'chunk' && TOGETHER.some(([kept]) => kept === name) && code.includes('import('))
      throw new Error(
        `${name} holds an import(), so no compiled code of it can be kept: see ${IMPORTS_FILES}`,
      );
  if (write) writeFileSync(join(root, 'dist', FORMAT_FILE), '{ "type": "commonjs" }\n');
  const folders = new Set();
  for (const { modules } of output)
    for (const [file, { renderedLength }] of Object.entries(modules ?? {})) {
      const folder = packageFolder(relative(root, file));
      if (folder !== null && renderedLength > 0) folders.add(folder);
    }
  return { files: [FORMAT_FILE, ...output.map(({ fileName }) => fileName)], folders: [...folders].sort() };
}

/** The licence of a package, as text. One that states MIT and carries no text gets that of ccbench, under the name of its authors. */
function licenceText(folder, name, license) {
  const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e(\.|$)/i.test(one));
  if (file !== undefined) return readFileSync(join(root, folder, file), 'utf8').trim();
  if (license !== 'MIT') throw new Error(`${folder} carries no text of its licence (${license})`);
  const own = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  return own.replace(/^Copyright .*$/m, `Copyright (c) the authors of ${name}`);
}

/** Every licence of the bundled packages, each text once. */
export function licenceNotices(folders) {
  const byText = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const text = licenceText(folder, name, license);
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return `Code of these packages is part of ccbench as it is installed.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
