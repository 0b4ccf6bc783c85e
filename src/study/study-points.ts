import { type Axis, gridPoint, gridSize } from './vary.js';

/** A step of a search: settings that were chosen one by one, and how much of the work they are tried on. */
export interface SearchStep {
  readonly paths: readonly string[];
  /** A value for each path, by setting. */
  readonly points: readonly (readonly string[])[];
  /** The labels of the sessions. */
  readonly sessions: readonly string[];
  /** Share of each session, from its beginning. */
  readonly share: number;
}

/** The points of a study by their places: none is made before it is wanted. */
export interface StudyPoints {
  readonly axes: readonly Axis[];
  readonly size: number;
  at(place: number): readonly string[];
  /** Points at the ends: mistakes show there. */
  readonly corners: readonly (readonly string[])[];
}

/** Every combination of the values of some axes. */
export function pointsOfGrid(axes: readonly Axis[]): StudyPoints {
  return {
    axes,
    size: gridSize(axes),
    at: (place) => gridPoint(axes, place),
    corners: cornersOf(axes),
  };
}

/** The settings that a search has chosen. */
export function pointsOfStep({ paths, points }: SearchStep): StudyPoints {
  const axes = paths.map((path, i): Axis => {
    const values = [...new Set(points.map((point) => point[i]!))];
    return { path, values, scale: 'linear', range: null };
  });
  return { axes, size: points.length, at: (place) => points[place]!, corners: points };
}

/** The first and the last point, and those at which one setting alone is at its other end. */
function cornersOf(axes: readonly Axis[]): readonly (readonly string[])[] {
  const ends = axes.map(({ values }) => [values[0]!, values.at(-1)!] as const);
  const points = [
    ends.map(([first]) => first),
    ...ends.map((_, i) => ends.map(([first, last], j) => (i === j ? last : first))),
    ends.map(([, last]) => last),
  ];
  return [...new Map(points.map((point) => [point.join('\n'), point])).values()];
}
