// Puts packages of which little is used into the one built file that uses them, with their licences beside it, so that an
// installation does not bring the rest of them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Sources, below src, that the build replaces by a bundle with the packages they import; all others load them by dynamic import. */
export const BUNDLED = ['report/charts/draw-chart.ts', 'core/tokens/count-o200k.ts'];

/** Where the licences of the packages in the bundles are kept. */
export const NOTICES = 'dist/bundled-licences.txt';

/** The folder of the package a file belongs to, from the root; null for a file of ours. */
function packageFolder(file) {
  return /^(?:.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? null;
}

/** Leaves the bundled files out of another bundle: it imports them from where they are, seen from its own folder below dist. */
export function bundledAside(fromFolder) {
  return {
    name: 'bundled-aside',
    setup(builder) {
      builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const source = resolve(resolveDir, path).replace(/\.js$/, '.ts');
        const name = BUNDLED.find((bundled) => source === join(root, 'src', bundled));
        if (name === undefined) return undefined;
        const up = fromFolder.split('/').map(() => '..');
        return { path: [...up, name.replace(/\.ts$/, '.js')].join('/'), external: true };
      });
    },
  };
}

/** Makes the bundles; the folders of all packages they hold, in order. With `write: false` nothing is written. */
export async function bundlePackages({ write = true } = {}) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: BUNDLED.map((name) => `src/${name}`),
    outbase: 'src',
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // An optional package of Node's that draws text; texts are measured without it.
    external: ['canvas'],
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    write,
  });
  const folders = new Set();
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = packageFolder(file);
      if (folder !== null && bytesInOutput > 0) folders.add(folder);
    }
  return [...folders].sort();
}

/** The licence that a package carries, as text. */
function licenceText(folder) {
  const name = readdirSync(join(root, folder)).find((file) => /^licen[cs]e(\.|$)/i.test(file));
  return name === undefined ? null : readFileSync(join(root, folder, name), 'utf8').trim();
}

/** Every licence of the bundled packages, each text once. */
export function licenceNotices(folders) {
  const byText = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const text = licenceText(folder);
    if (text === null) throw new Error(`${folder} carries no text of its licence (${license})`);
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return `Code of these packages is part of ccbench as it is installed.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
