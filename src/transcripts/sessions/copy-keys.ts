import { sha256Hex } from '../../core/base/digest.js';
import { oncePer } from '../../core/base/once.js';
import type { Transcript } from '../../core/model/transcript.js';

/** What a step of a recording is known by: equal keys are the same call or compaction, copied into another file. */
export interface KeyedStep {
  readonly thread: number;
  readonly step: number;
  readonly key: string;
}

/** Characters of a digest: 96 bits, so that no two of a million calls have the same by chance. */
const KEY_CHARS = 24;

function keyOf(kind: 'call' | 'compaction', what: string): string {
  return `${kind} ${sha256Hex(what).slice(0, KEY_CHARS)}`;
}

/** Keys of all calls and compactions, in order: by model and usage, since forks copy lines; without usage by file and time. */
export const callKeys = oncePer(({ id, threads, startedAtMs }: Transcript): readonly KeyedStep[] => {
  const at = (ms: number): number => (startedAtMs ?? 0) + ms;
  return threads.flatMap((thread, t) =>
    thread.steps.flatMap((step, s): KeyedStep[] => {
      if (step.kind === 'event') {
        const { event } = step;
        if (event.kind !== 'recorded-compaction') return [];
        return [{ thread: t, step: s, key: keyOf('compaction', `${event.preTokens} ${at(event.at)}`) }];
      }
      if (step.kind !== 'call') return [];
      const { call } = step;
      const said = call.usage === null ? `${id} ${at(call.endMs)}` : Object.values(call.usage).join(' ');
      return [{ thread: t, step: s, key: keyOf('call', `${call.id} ${call.model} ${said}`) }];
    }),
  );
});
