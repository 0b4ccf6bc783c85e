// Bundles the script and the style of report.html into one module, so that a report is made without reading files.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'src/report/html/page-bundle.generated.ts');

async function bundle(file) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome110', 'firefox110', 'safari16'],
    charset: 'utf8',
    legalComments: 'none',
  });
  return outputFiles[0].text.trim();
}

/** Writes the module when it differs from what is there. */
async function buildPage() {
  const script = (await bundle('src/report/page/main.ts')).replaceAll('</', '<\\/');
  const style = await bundle('src/report/page/page.css');
  const text = `/** The script of report.html; made by scripts/build-page.mjs. */
export const PAGE_SCRIPT = ${JSON.stringify(script)};

/** The style of report.html. */
export const PAGE_STYLE = ${JSON.stringify(style)};
`;
  if (existsSync(target) && readFileSync(target, 'utf8') === text) return;
  const fresh = `${target}.${process.pid}.new`;
  writeFileSync(fresh, text);
  renameSync(fresh, target);
}

await buildPage();
