import { join, resolve } from 'node:path';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import type { PagePicture } from '../../../report/page-data/page-data.js';
import { openRunStore, type RunStore } from '../../../study/results/run-store.js';
import { unwritable, writeWhole } from '../../../study/results/write-whole.js';
import { pagesWritten } from '../../files/last-page.js';
import { type CliSession, warnUnwritten } from '../../session.js';
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
  /** Whether everything so far is written. */
  isWritten(): boolean;
}

/** What helps where the folder cannot be written. */
const ELSEWHERE = 'choose another folder with --out, or --no-files';

/**
 * Opens the report folder of a sweep or a search, with the runs that earlier starts finished. Where it cannot be written, now or later, that
 * costs a warning, and nothing more is written.
 */
export function openStudyFolder(session: CliSession, root: string, name: string): StudyFolder | null {
  const shown = join(root, name);
  const folder = resolve(session.host.cwd, root, name);
  let isLost = false;
  const attempt = <Value>(act: () => Value): Value | null => {
    if (isLost) return null;
    try {
      return act();
    } catch (error) {
      isLost = true;
      warnUnwritten(session, '--out', error);
      return null;
    }
  };
  const store = attempt(() =>
    openRunStore(folder, shown, { program: packageVersion(), elsewhere: ELSEWHERE }),
  );
  if (store === null) return null;
  return {
    shown,
    ...store,
    append: (result) => attempt(() => store.append(result)) ?? undefined,
    sort: () => attempt(() => store.sort()) ?? undefined,
    isWritten: () => !isLost,
    async write(below, file, text) {
      const path = join(folder, below, file);
      attempt(() => writeWhole(path, text, (error) => unwritable(shown, error, ELSEWHERE)));
      if (!isLost) pagesWritten([path]);
    },
  };
}

/** Pictures of a study: the specification and its SVG, written below `charts`. */
export async function writeCharts(
  folder: FileSink,
  charts: readonly NamedChart[],
): Promise<readonly PagePicture[]> {
  if (charts.length === 0) return [];
  const [{ chartJson, narrowSpec }, { renderSvg }] = await Promise.all([
    import('../../../report/charts/chart-spec.js'),
    import('../../../report/charts/render.js'),
  ]);
  const pictures: PagePicture[] = [];
  for (const { name, spec } of charts) {
    const svg = await renderSvg(spec);
    await folder.write('charts', `${name}.vl.json`, chartJson(spec));
    await folder.write('charts', `${name}.svg`, svg);
    pictures.push({ title: spec.title.text, svg, narrow: await renderSvg(narrowSpec(spec)) });
  }
  return pictures;
}

/** A value as the text of a JSON file. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
