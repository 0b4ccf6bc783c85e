import { MS_PER_MINUTE } from '../../core/base/clock.js';
import { compareVersions } from '../../core/model/agent-version.js';
import { CHANCE_BREAKS } from './clients.generated.js';
import type { RecordedClient } from './recorded-client.js';

/** What an unpredictable break depends on (K14). */
export interface Exposure {
  /** Somebody spoke since the previous request of the thread; else it goes on with results of tools. */
  readonly spoken: 'spoken' | 'silent';
  /** Between the starts of the two requests. */
  readonly gapMs: number;
}

/** Chances of an unpredictable break. */
export type ChanceBreaks = Pick<(typeof CHANCE_BREAKS)[number], 'silent' | 'prompt' | 'latePrompt'>;

/** The chances of a client's requests, by its version and by how it was started (K14b). */
export function chanceBreaksOf({
  version,
  entrypoint,
}: Pick<RecordedClient, 'version' | 'entrypoint'>): ChanceBreaks {
  const fits = (row: (typeof CHANCE_BREAKS)[number]): boolean =>
    (row.from === null || (version !== null && compareVersions(version, row.from) >= 0)) &&
    (row.entrypoint === null || row.entrypoint === entrypoint);
  return CHANCE_BREAKS.findLast(fits)!;
}

/** Chance of an unpredictable break, for one request. */
export function hazardOf({ spoken, gapMs }: Exposure, chances: ChanceBreaks): number {
  if (spoken === 'silent') return chances.silent;
  return gapMs < MS_PER_MINUTE ? chances.prompt : chances.latePrompt;
}
