import { join } from 'node:path';
import { diffLanes, type LaneDiff } from '../../../analysis/diff/diff-lanes.js';
import { billNotes } from '../../../report/text/as-recorded.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { writeFiles } from '../../files/write-files.js';
import type { PluginOptions } from '../../runs/with-plugins.js';
import { type CliSession, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';
import { diffText, sumSentence } from './diff-text.js';
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
  if (options.out !== undefined) {
    const { diffHtml } = await import('./diff-page.js');
    await writeFiles(options.out, session.host.cwd, [
      { folder: '', name: PAGE, content: diffHtml(diff, { tolerance, notes }) },
    ]);
  }
  if (session.json) {
    const { pairs, ...shown } = diff;
    printJson(session, { tolerance, aligned: pairs.length, ...shown, notes, page });
  } else {
    const screen = screenFor(session.host.stdout, session.colors);
    const text = diffText(diff, { tolerance, notes, rows: options.rows }, screen);
    const closing = { result: sumSentence(diff), advice: adviceOn(diff, isRecorded), written: page };
    session.host.stdout.write(`${text}\n${closingText(closing, screen)}`);
  }
  return EXIT.fine;
}

/** What a difference does not say by itself. */
function adviceOn({ firstDifference, sameSession, samePlan }: LaneDiff, isRecorded: boolean): string {
  if (sameSession === false)
    return 'Two sides of one session tell what settings do: name the same recording on both.';
  if (isRecorded)
    return 'One session is one sample of the simulator: ccbench validate says how far it is off over many.';
  if (samePlan) return 'Nothing differs in their settings.';
  return firstDifference === null
    ? 'What differs in their settings did not act here.'
    : 'It is one session: ccbench compare over several says whether the difference lasts.';
}
