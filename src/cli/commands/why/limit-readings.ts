import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeterName, Reading } from '../../../analysis/limits/fit-weights.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { ownValue } from '../../../core/base/own-value.js';
import { cacheFolder } from '../../files/cache-folder.js';
import { openFile } from '../../files/output.js';
import { type CliSession, note } from '../../session.js';

/** Name of the file below the cache folder; `ccbench cache clear` leaves it. */
const FILE = 'limit-readings.json';
const HINT =
  'write it as time=percent: 2026-11-10T14:05=63% (UTC), 2026-11-10T14:05+01:00=63%, weekly:2026-11-10T14:05=40%; =none removes a reading';

const METERS: Readonly<Record<string, MeterName>> = { '5h': 'fiveHour', weekly: 'weekly' };
const WRITTEN =
  /^(?:(5h|weekly):)?(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(Z|[+-]\d{2}:\d{2})?=(?:(\d{1,3}(?:\.\d+)?)%?|(none))$/;

/** A reading as given; without a percentage, one that is to be removed. */
export type GivenReading = Omit<Reading, 'percent'> & { readonly percent: number | null };

/** A reading that is kept, and whose plan it is of. */
type KeptReading = Reading & { readonly vendor: string };

/** Reads `[weekly:]<time>=<percent>`; a time without a zone is UTC, as all times of `why` are. */
export function parseReading(written: string): GivenReading {
  const [, meter = '5h', day, clock, zone = 'Z', percent] = WRITTEN.exec(written.trim()) ?? [];
  const atMs = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${zone}`);
  const isDay = !Number.isNaN(atMs) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day!);
  if (!isDay || Number(percent ?? 0) > 100)
    throw new CcbenchError('bad-usage', `--observed ${written} is not a meter reading`, { hint: HINT });
  return { meter: ownValue(METERS, meter)!, atMs, percent: percent === undefined ? null : Number(percent) };
}

/** A reading as it is kept; what is none fails. */
function keptReading(value: unknown): KeptReading {
  const { vendor, meter, at, percent } = value as Readonly<Record<string, unknown>>;
  const atMs = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (typeof vendor !== 'string' || (meter !== 'fiveHour' && meter !== 'weekly')) throw new Error('no meter');
  if (typeof percent !== 'number' || Number.isNaN(atMs)) throw new Error('no reading');
  return { vendor, meter, atMs, percent };
}

function keptReadings(file: string): readonly KeptReading[] {
  if (!existsSync(file)) return [];
  try {
    const { readings } = JSON.parse(readFileSync(file, 'utf8')) as { readonly readings: readonly unknown[] };
    return readings.map(keptReading);
  } catch (cause) {
    throw new CcbenchError('bad-input', 'the kept meter readings cannot be read', {
      place: { file },
      hint: 'remove the file, or ignore it with --no-observed',
      cause,
    });
  }
}

function isSame(a: Omit<KeptReading, 'percent'>, b: Omit<KeptReading, 'percent'>): boolean {
  return a.vendor === b.vendor && a.meter === b.meter && a.atMs === b.atMs;
}

/** The readings of a vendor's meters with those given now, which are kept; `none` removes one. Of two of one time the last holds. */
export async function updateReadings(
  session: CliSession,
  vendor: string,
  given: readonly GivenReading[],
): Promise<readonly Reading[]> {
  const file = join(cacheFolder(session.host), FILE);
  let all = keptReadings(file);
  for (const { percent, ...place } of given) {
    const own = { ...place, vendor };
    const others = all.filter((reading) => !isSame(reading, own));
    if (percent === null && others.length === all.length)
      throw new CcbenchError(
        'bad-usage',
        `no reading at ${new Date(own.atMs).toISOString()} is kept for this meter`,
        { place: { file }, hint: 'ccbench why --limits --json lists the readings' },
      );
    all = percent === null ? others : [...others, { ...own, percent }];
  }
  const sorted = [...all].sort(
    (a, b) => a.atMs - b.atMs || (a.meter < b.meter ? -1 : 1) || (a.vendor < b.vendor ? -1 : 1),
  );
  if (given.length > 0) {
    const readings = sorted.map(({ atMs, ...reading }) => ({ ...reading, at: new Date(atMs).toISOString() }));
    const output = openFile(file, session.host.cwd);
    await output.write(`${JSON.stringify({ readings }, null, 2)}\n`);
    output.commit();
    note(session, `meter readings are kept in ${file}`);
  }
  return sorted.filter((reading) => reading.vendor === vendor);
}
