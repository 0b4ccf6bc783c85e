import { recordsCsv } from '../../../report/text/comparison-text.js';
import type { Axis } from '../../../study/vary.js';
import type { SweptPoint } from './points.js';

/** Points as CSV: settings, how far each came and over which sessions, none for a point that is not compared, every metric. */
export function pointsCsv(
  axes: readonly Axis[],
  compared: readonly string[],
  points: readonly SweptPoint[],
): string {
  return recordsCsv(
    [
      ...axes.map(({ path }) => path),
      'standing',
      'sessions',
      'sessionsFinished',
      'sessionsCompared',
      'sessionsUnfinished',
    ],
    Object.keys(points[0]?.metrics ?? {}),
    points.map(({ point, completeness, metrics }) => ({
      keys: [
        ...point.values,
        completeness.standing,
        completeness.run,
        completeness.finished,
        completeness.standing === 'apart' ? '' : compared.join('; '),
        completeness.unfinished.map(({ transcript }) => transcript).join('; '),
      ],
      values: metrics,
    })),
  );
}
