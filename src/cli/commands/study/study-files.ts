import { join, resolve } from 'node:path';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import { openRunStore, type RunStore } from '../../../study/results/run-store.js';
import { unwritable, writeWhole } from '../../../study/results/write-whole.js';
import { pagesWritten } from '../../files/last-page.js';
import { packageVersion } from '../../version.js';

/** The page of a study, in its report folder. */
export const STUDY_PAGE = 'report.html';

/** Where the files of a report go. */
interface FileSink {
  write(folder: string, name: string, text: string): Promise<void>;
}

/** The report folder of a sweep or a search. Results stay; everything else is replaced. */
export interface StudyFolder extends RunStore, FileSink {
  /** As the user would write it. */
  readonly shown: string;
}

/** What helps where the folder cannot be written. */
const ELSEWHERE = 'choose another folder with --out, or --no-files';

/** Opens the report folder of a sweep or a search, with the runs that earlier starts finished. */
export function openStudyFolder(root: string, name: string, cwd: string): StudyFolder {
  const shown = join(root, name);
  const folder = resolve(cwd, root, name);
  return {
    shown,
    ...openRunStore(folder, shown, { program: packageVersion(), elsewhere: ELSEWHERE }),
    async write(below, file, text) {
      const path = join(folder, below, file);
      writeWhole(path, text, (error) => unwritable(shown, error, ELSEWHERE));
      pagesWritten([path]);
    },
  };
}

/** Pictures of a study: the specification and its SVG, written below `charts`. */
export async function writeCharts(
  folder: FileSink,
  charts: readonly NamedChart[],
): Promise<readonly { readonly title: string; readonly svg: string }[]> {
  if (charts.length === 0) return [];
  const [{ chartJson }, { renderSvg }] = await Promise.all([
    import('../../../report/charts/chart-spec.js'),
    import('../../../report/charts/render.js'),
  ]);
  const pictures: { title: string; svg: string }[] = [];
  for (const { name, spec } of charts) {
    const svg = await renderSvg(spec);
    await folder.write('charts', `${name}.vl.json`, chartJson(spec));
    await folder.write('charts', `${name}.svg`, svg);
    pictures.push({ title: spec.title.text, svg });
  }
  return pictures;
}

/** A value as the text of a JSON file. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
