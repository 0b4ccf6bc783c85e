import { MS_PER_MINUTE, MS_PER_SECOND } from './clock.js';
import { type PartPath, type Problems, type Shape, shape, shownValue, wrongValue } from './shape.js';

const TIME_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: MS_PER_SECOND,
  sec: MS_PER_SECOND,
  m: MS_PER_MINUTE,
  min: MS_PER_MINUTE,
  h: 60 * MS_PER_MINUTE,
  d: 24 * 60 * MS_PER_MINUTE,
};
const DURATION = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/;

/** Reads the time that a text says; a problem is told at its character. */
export function durationMs(
  written: string,
  offset: number,
  path: PartPath,
  problems: Problems,
): number | undefined {
  const match = DURATION.exec(written);
  const unit = match === null ? undefined : TIME_UNITS[match[2]!];
  if (match !== null && unit !== undefined) return Number(match[1]) * unit;
  problems(
    wrongValue(
      path,
      `a time is wanted here, not ${shownValue(written)}`,
      'for instance 90s, 5min or 1h',
      offset,
    ),
  );
  return undefined;
}

/** A time, such as `5min`. */
export function duration(description: string): Shape<number> {
  return shape(
    { type: 'string', description: `${description} For instance 90s, 5min or 1h.` },
    (value, path, problems) =>
      durationMs(typeof value === 'string' ? value : shownValue(value), 0, path, problems),
  );
}
