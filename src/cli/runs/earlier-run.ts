import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcbenchError } from '../../core/base/errors.js';
import {
  formatCount,
  formatCounted,
  formatDecimal,
  formatMoney,
  formatValue,
  printable,
} from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import { findMetric } from '../../metrics/registry.js';
import { chosenMetric } from '../../study/chosen-metrics.js';
import { splitValues } from '../../study/vary.js';

/** What an earlier report says about a run. */
export interface EarlierRun {
  readonly digest: string | null;
  readonly metrics: Readonly<Record<string, number | null>>;
  /** The policy, and the digest of all settings; absent if the report does not say them. */
  readonly policy?: string;
  readonly planDigest?: string;
}

/** A metric that became worse than the baseline allows. */
export interface Regression {
  readonly metric: string;
  readonly before: number | null;
  readonly now: number | null;
  readonly message: string;
}

/** What a run is held to against its baseline. */
export interface Guard {
  readonly metrics: readonly string[];
  readonly tolerancePercent: number;
}

/** Always guarded: a run that loses calls is not cheaper but incomplete. */
const ALWAYS = 'callsLost';

/** The metrics that `--guard` names, in the order of writing. */
export function guardOf(written: string, tolerancePercent: number): Guard {
  const metrics = splitValues(written).map((name) => {
    const { better } = chosenMetric(name, '--guard');
    if (better !== null) return name;
    throw new CcbenchError('bad-usage', `${name} has no worse direction, so it cannot be guarded`, {
      place: { file: `--guard ${name}` },
      hint: 'for example: --guard costUsd,cacheHitRate',
    });
  });
  return { metrics: [...new Set([...metrics, ALWAYS])], tolerancePercent };
}

/** Relative differences below this are rounding. */
const ROUNDING = 1e-9;

/** Reads the summary of an earlier report; null if there is none that can be read. */
export function readEarlier(folder: string): EarlierRun | null {
  try {
    const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Partial<EarlierRun>;
    const { digest, metrics, policy, planDigest } = summary;
    if (metrics === null || typeof metrics !== 'object' || Array.isArray(metrics)) return null;
    return {
      digest: typeof digest === 'string' ? digest : null,
      metrics,
      ...(typeof policy === 'string' ? { policy } : {}),
      ...(typeof planDigest === 'string' ? { planDigest } : {}),
    };
  } catch {
    return null;
  }
}

/** Metrics of a baseline that nothing can be held against: absent, or neither a number nor null, or null in all. */
export function missingMetrics({ metrics }: EarlierRun, guard: Guard): readonly string[] {
  const missing = guard.metrics.filter(
    (name) => ownValue(metrics, name) !== null && !Number.isFinite(ownValue(metrics, name)),
  );
  if (missing.length > 0) return missing;
  return guard.metrics.every((name) => ownValue(metrics, name) === null) ? guard.metrics : [];
}

/** The metrics of a baseline that a run is held against. */
export function guardedMetrics({ metrics }: EarlierRun, guard: Guard): readonly string[] {
  return guard.metrics.filter((name) => (ownValue(metrics, name) ?? null) !== null);
}

/** One sentence on what changed since an earlier run, and whether that was of the same settings. */
export function changedSince(last: EarlierRun, now: EarlierRun, earlier: 'last report' | 'baseline'): string {
  const isOther =
    last.planDigest !== undefined && now.planDigest !== undefined && last.planDigest !== now.planDigest;
  if (!isOther) return changeOf(last, now, earlier);
  const under =
    last.policy === now.policy ? 'other settings' : `${printable(last.policy ?? 'another policy')}`;
  return `${changeOf(last, now, earlier)}, which was under ${under}`;
}

function changeOf(last: EarlierRun, now: EarlierRun, earlier: 'last report' | 'baseline'): string {
  if (last.digest !== null && last.digest === now.digest)
    return `same result as in the ${earlier}, byte for byte`;
  const lostBefore = last.metrics.callsLost ?? 0;
  const lost = now.metrics.callsLost ?? 0;
  if (lost !== lostBefore)
    return `differs from the ${earlier}: ${formatCounted(lost, 'call')} ${lost === 1 ? 'was' : 'were'} lost, ${formatCount(lostBefore)} then, so the costs do not compare`;
  const before = last.metrics.costUsd ?? null;
  const after = now.metrics.costUsd ?? null;
  if (before === null || after === null) return `differs from the ${earlier}; there is no cost to compare`;
  const money = `${formatMoney(before)} → ${formatMoney(after)}`;
  if (before === after) return `differs from the ${earlier} at the same cost (${formatMoney(after)})`;
  if (before === 0) return `the cost rose since the ${earlier} (${money})`;
  const percent = ((after - before) / before) * 100;
  const size = Math.abs(percent) < 0.05 ? 'less than 0.1 %' : `${Math.abs(percent).toFixed(1)} %`;
  return `the cost ${after > before ? 'rose' : 'fell'} by ${size} since the ${earlier} (${money})`;
}

/** One sentence on a run that is held against a baseline: what changed, and that nothing became worse where nothing did. */
export function sinceBaseline(baseline: EarlierRun, now: EarlierRun, guard: Guard): string {
  const { metrics, tolerancePercent } = guard;
  const changed = changedSince(baseline, now, 'baseline');
  if (regressions(baseline, now, guard).length > 0) return changed;
  const beyond = tolerancePercent === 0 ? '' : ` by more than ${formatDecimal(tolerancePercent, 2)} %`;
  return `${changed}; nothing guarded is worse${beyond} (${metrics.join(', ')})`;
}

/** The guarded metrics that are worse than in the baseline by more than the tolerance. */
export function regressions(
  baseline: EarlierRun,
  now: EarlierRun,
  { metrics, tolerancePercent }: Guard,
): readonly Regression[] {
  return metrics.flatMap((name) => {
    const before = ownValue(baseline.metrics, name) ?? null;
    const after = ownValue(now.metrics, name) ?? null;
    if (before === null) return [];
    const { better, unit } = findMetric(name)!;
    const slack = Math.abs(before) * (tolerancePercent / 100 + ROUNDING);
    const worse = after === null || (better === 'higher' ? after < before - slack : after > before + slack);
    if (!worse) return [];
    const message = `${name} was ${formatValue(before, unit)} in the baseline and is ${formatValue(after, unit)}`;
    return [{ metric: name, before, now: after, message }];
  });
}
