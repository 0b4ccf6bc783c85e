import { CcbenchError } from '../../core/base/errors.js';
import type { FidelityFigures } from './compare.js';
import type { TotalFidelity } from './validate.js';

/** A figure that is worse than it was. */
export interface WorseFigure {
  readonly figure: string;
  readonly before: number;
  readonly now: number | null;
}

const FIGURES: readonly (readonly [keyof FidelityFigures, 'more' | 'less'])[] = [
  ['classAgreement', 'more'],
  ['classAgreementOver60s', 'more'],
  ['promptError', 'less'],
  ['readError', 'less'],
  ['creationError', 'less'],
  ['costErrorMedian', 'less'],
  ['costErrorWorst', 'less'],
];

/** Differences below this are rounding. */
const NOISE = 1e-9;

function isWorse(before: number, now: number | null, better: 'more' | 'less'): boolean {
  if (now === null) return true;
  return better === 'more' ? now < before - NOISE : now > before + NOISE;
}

/** What a saved result says, checked: only its totals matter. */
export function readSaved(text: string, file: string): TotalFidelity {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notSaved(file, cause);
  }
  const total = objectOf(objectOf(value).total);
  if (!isTotal(total)) throw notSaved(file, null);
  return total as unknown as TotalFidelity;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};
}

/** True when every figure that is compared is there, at least one of them with a number, and triggers are counts. */
function isTotal(total: Readonly<Record<string, unknown>>): boolean {
  const figures = (['blind', 'given'] as const).flatMap((way) =>
    FIGURES.map(([name]) => objectOf(total[way])[name]),
  );
  const { recorded, matched, unrecorded } = objectOf(total.triggers);
  const counts = [recorded, matched, unrecorded];
  return (
    figures.every((figure) => figure === null || Number.isFinite(figure)) &&
    figures.some((figure) => figure !== null) &&
    counts.every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    (matched as number) <= (recorded as number)
  );
}

function notSaved(file: string, cause: unknown): CcbenchError {
  return new CcbenchError('bad-input', 'the file is not a saved result of ccbench validate', {
    hint: 'write one with ccbench validate <recording…> --save <file>',
    place: { file },
    cause,
  });
}

/** The figures of the simulator that are worse than in a saved result. */
export function worseFigures(before: TotalFidelity, now: TotalFidelity): readonly WorseFigure[] {
  const worse: WorseFigure[] = [];
  for (const way of ['blind', 'given'] as const) {
    for (const [name, better] of FIGURES) {
      const old = before[way][name];
      const current = now[way][name];
      if (typeof old === 'number' && isWorse(old, current, better))
        worse.push({ figure: `${way}.${name}`, before: old, now: current });
    }
  }
  const missed = (total: TotalFidelity): number => total.triggers.recorded - total.triggers.matched;
  if (missed(now) > missed(before))
    worse.push({ figure: 'triggers missed', before: missed(before), now: missed(now) });
  if (now.triggers.unrecorded > before.triggers.unrecorded) {
    worse.push({
      figure: 'triggers.unrecorded',
      before: before.triggers.unrecorded,
      now: now.triggers.unrecorded,
    });
  }
  return worse;
}
