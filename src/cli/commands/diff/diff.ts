import { join } from 'node:path';
import { diffLanes } from '../../../analysis/diff/diff-lanes.js';
import { billNotes } from '../../../report/text/as-recorded.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { writeSoftly } from '../../files/write-files.js';
import type { PluginOptions } from '../../runs/with-plugins.js';
import type { CliSession } from '../../session.js';
import { present } from '../../terminal/present.js';
import { diffBlocks, diffConclusion } from './diff-document.js';
import { openLanes } from './open-lanes.js';

/** Options of `ccbench diff`. */
export interface DiffOptions extends PluginOptions {
  /** Per cent. */
  readonly tolerance?: number;
  readonly rows: number;
  readonly out?: string;
}

/** Beside a recording the simulated prompt is estimated: so much is the same. */
const RECORDED_TOLERANCE = 2;

const PAGE = 'diff.html';

/** `ccbench diff`: where two runs part, and why. */
export async function diffCommand(
  session: CliSession,
  a: string,
  b: string | undefined,
  options: DiffOptions,
): Promise<ExitCode> {
  const [laneA, laneB] = await openLanes(session, a, b, options);
  const isRecorded = laneA.source === 'recorded' || laneB.source === 'recorded';
  const tolerance = (options.tolerance ?? (isRecorded ? RECORDED_TOLERANCE : 0)) / 100;
  const diff = diffLanes(laneA, laneB, tolerance);
  const notes = billNotes([laneA, laneB].flatMap(({ bill }) => bill ?? []));
  const page = options.out === undefined ? null : join(options.out, PAGE);
  const { pairs, ...shown } = diff;
  present(session, {
    blocks: diffBlocks(diff, { tolerance, notes, rows: options.rows }),
    closing: diffConclusion(diff, isRecorded),
    json: { tolerance, aligned: pairs.length, ...shown, notes, page },
  });
  if (options.out !== undefined) {
    const { diffHtml } = await import('./diff-page.js');
    const content = diffHtml(diff, { tolerance, notes });
    await writeSoftly(session, options.out, [{ folder: '', name: PAGE, content }], page!);
  }
  return EXIT.fine;
}
