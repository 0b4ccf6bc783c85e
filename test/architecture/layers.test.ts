import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../scripts/build-code.mjs';
import { circlesIn, ENGINE_ROOMS, roomViolations } from '../helpers/architecture/circles.js';
import { importsOf, LAYERS, layerViolations } from '../helpers/architecture/layers.js';
import { ROOT, sourceFiles } from '../helpers/architecture/tree.js';

/** The violations of one planted file. */
function planted(path: string, text: string): readonly string[] {
  return layerViolations([{ path, text }]);
}

describe('layers of src', () => {
  it('imports point to the layers named in the table only', () => {
    const files = sourceFiles();
    expect(files.length).toBeGreaterThan(10);
    expect(layerViolations(files)).toEqual([]);
  });

  it('the table names every folder of src', () => {
    expect(readdirSync(join(ROOT, 'src')).filter((name) => LAYERS[name] === undefined)).toEqual([]);
  });

  it('the table has no cycle: a layer names earlier layers only', () => {
    const order = Object.keys(LAYERS);
    for (const [name, layer] of Object.entries(LAYERS)) {
      for (const folder of layer.folders) expect(order.indexOf(folder)).toBeLessThan(order.indexOf(name));
      for (const folder of layer.folders) expect(order).toContain(folder);
    }
  });
});

describe('folders of src', () => {
  it('have at most 25 entries', () => {
    const long = (folder: string): string[] => {
      const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
      const below = entries
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) => long(`${folder}/${name}`));
      return entries.length > 25 ? [`${folder} has ${entries.length} entries`, ...below] : below;
    };
    expect(long('src')).toEqual([]);
  });
});

describe('files of src', () => {
  it('start processes and threads with modules that the build has', () => {
    const named = sourceFiles().flatMap(({ text }) =>
      [...text.matchAll(/builtModule\(\s*'([^']+)'|_MODULE = '([^']+)'/g)].map(([, a, b]) => a ?? b),
    );
    expect(named).toContain('study/worker-run');
    expect(named.filter((name) => !ENTRIES.includes(name!))).toEqual([]);
  });

  it('import each other in no circle, types included', () => {
    expect(circlesIn(sourceFiles())).toEqual([]);
  });

  it('a circle of three is found, through a type and a dynamic import', () => {
    const files = [
      { path: 'src/core/base/a.ts', text: "import type { B } from './b.js';" },
      { path: 'src/core/base/b.ts', text: "export const c = () => import('./c.js');" },
      { path: 'src/core/base/c.ts', text: "export * from './a.js';" },
      { path: 'src/core/base/d.ts', text: "import { a } from './a.js';" },
    ];
    expect(circlesIn(files)).toEqual([['src/core/base/a.ts', 'src/core/base/b.ts', 'src/core/base/c.ts']]);
    expect(circlesIn(files.slice(1))).toEqual([]);
  });

  it(`of the engine keep to their rooms: ${[...ENGINE_ROOMS].reverse().join(' → ')}`, () => {
    expect(roomViolations(sourceFiles())).toEqual([]);
    const planted = [
      { path: 'src/engine/context/planted.ts', text: "import type { X } from '../thread/thread-run.js';" },
      { path: 'src/engine/thread/thread-run.ts', text: '' },
      { path: 'src/engine/elsewhere.ts', text: '' },
    ];
    expect(roomViolations(planted)).toEqual([
      'src/engine/context/planted.ts imports src/engine/thread/thread-run.ts',
      'src/engine/elsewhere.ts is in no room',
    ]);
  });
});

/** Files of the engine that import a layer: what it needs of layers is in `core/run/layer.ts`. */
function concreteLayers(
  files: readonly { readonly path: string; readonly text: string }[],
): readonly string[] {
  return files
    .filter(({ path }) => path.startsWith('src/engine/'))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => specifier.includes('/agent/layers/'))
        .map(({ specifier }) => `${file.path} imports ${specifier}`),
    );
}

it('the engine knows no concrete layer', () => {
  expect(concreteLayers(sourceFiles())).toEqual([]);
  const text = "import type { FileState } from '../../agent/layers/file-state/file-state.js';";
  expect(concreteLayers([{ path: 'src/engine/run/planted.ts', text }])).toEqual([
    'src/engine/run/planted.ts imports ../../agent/layers/file-state/file-state.js',
  ]);
});

it('CONTRIBUTING.md shows the same table', () => {
  const rows = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(
    /^\| `([\w.]+)` \|.*\|(.*)\|(.*)\|$/gm,
  );
  const names = (cell: string): string[] =>
    cell
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '–');
  const shown = [...rows].map((row) => [row[1], names(row[2]!), names(row[3]!)]);
  const table = Object.entries(LAYERS).map(([name, layer]) => [
    name,
    layer.folders,
    Object.keys(layer.packages),
  ]);
  expect(shown).toEqual(table);
});

describe('the layer check fires on', () => {
  it.each([
    ['a static import', "import { run } from '../engine/run.js';"],
    ['a type import', "import type { Run } from '../engine/run.js';"],
    ['an inline type import', "import { type Run } from '../engine/run.js';"],
    ['an import for its effects', "import '../engine/run.js';"],
    ['a re-export', "export { run } from '../engine/run.js';"],
    ['a re-export of everything', "export * from '../engine/run.js';"],
    ['a dynamic import', "const run = await import('../engine/run.js');"],
    ['an import type', "type Run = import('../engine/run.js').Run;"],
    ['a require', "const run = require('../engine/run.js');"],
    ['an import over several lines', "import {\n  run,\n} from '../engine/run.js';"],
    ['a detour', "import { run } from '../core/../engine/run.js';"],
  ])('%s from metrics to engine', (_form, text) => {
    expect(planted('src/metrics/planted.ts', text)).toEqual([
      expect.stringMatching(
        /^src\/metrics\/planted\.ts:\d imports .*engine\/run\.js: metrics may import core$/,
      ),
    ]);
  });

  it('a file of a nested folder', () => {
    expect(planted('src/agent/layers/planted.ts', "import { x } from '../../engine/run.js';")).toHaveLength(
      1,
    );
    expect(planted('src/agent/layers/planted.ts', "import { x } from '../client/client.js';")).toEqual([]);
  });

  it('imports from transcripts to agent, which stand side by side', () => {
    expect(planted('src/transcripts/planted.ts', "import { x } from '../agent/x.js';")).toHaveLength(1);
  });

  it('a package that belongs to another layer', () => {
    const text = "import { parse } from 'yaml';";
    expect(planted('src/engine/planted.ts', text)).toEqual([
      'src/engine/planted.ts:1 imports yaml: engine may use no package',
    ]);
    expect(planted('src/config/planted.ts', text)).toEqual([]);
  });

  it('a heavy package that is loaded at start', () => {
    const path = 'src/provider/planted.ts';
    expect(planted(path, "import Anthropic from '@anthropic-ai/sdk';")).toHaveLength(1);
    expect(planted(path, "import type { Message } from '@anthropic-ai/sdk/resources/messages';")).toEqual([]);
    expect(planted(path, "const sdk = await import('@anthropic-ai/sdk');")).toEqual([]);
  });

  it('a package that the build puts into one file, anywhere else, and that file loaded at start', () => {
    const text = "import * as vega from 'vega';";
    expect(planted('src/report/charts/planted.ts', text)).toHaveLength(1);
    expect(planted('src/report/charts/draw-chart.ts', text)).toEqual([]);
    const path = 'src/report/charts/planted.ts';
    expect(planted(path, "import { drawChart } from './draw-chart.js';")).toHaveLength(1);
    expect(planted(path, "const { drawChart } = await import('./draw-chart.js');")).toEqual([]);
  });

  it("Node's modules outside their layer", () => {
    expect(planted('src/engine/planted.ts', "import { readFileSync } from 'node:fs';")).toHaveLength(1);
    expect(planted('src/cli/planted.ts', "import { readFileSync } from 'node:fs';")).toEqual([]);
    expect(planted('src/report/planted.ts', "import { join } from 'node:path';")).toHaveLength(1);
    expect(planted('src/study/planted.ts', "import { Worker } from 'node:worker_threads';")).toEqual([]);
    expect(planted('src/cli/planted.ts', "import { readFileSync } from 'fs';")).toHaveLength(1);
  });

  it('an import that only the running program can name', () => {
    expect(planted('src/engine/planted.ts', 'const plugin = await import(name);')).toHaveLength(1);
    expect(planted('src/cli/planted.ts', 'const plugin = await import(name);')).toHaveLength(1);
    expect(planted('src/config/plugins/import-file.ts', 'const plugin = await import(name);')).toEqual([]);
  });

  it('a folder that is not in the table, and a file in none', () => {
    expect(planted('src/utils/planted.ts', '')).toHaveLength(1);
    expect(planted('src/planted.ts', '')).toHaveLength(1);
  });

  it('imports that leave src', () => {
    expect(planted('src/cli/planted.ts', "import x from '../../package.json';")).toHaveLength(1);
  });
});

it('an import inside a comment or a text is no import', () => {
  const text =
    "// import { run } from '../engine/run.js';\nexport const help = \"import x from '../engine/run.js'\";";
  expect(importsOf({ path: 'src/metrics/planted.ts', text })).toEqual([]);
});
