import type { Transcript } from '../../core/model/transcript.js';

/** What a step of a recording is known by: equal keys are the same call or compaction, copied into another file. */
export interface KeyedStep {
  readonly thread: number;
  readonly step: number;
  readonly key: string;
}

/** Keys of all calls and compactions, in order: by model and usage, since forks copy lines; without usage by file and time. */
export function callKeys({ id, threads, startedAtMs }: Transcript): readonly KeyedStep[] {
  const at = (ms: number): number => (startedAtMs ?? 0) + ms;
  return threads.flatMap((thread, t) =>
    thread.steps.flatMap((step, s): KeyedStep[] => {
      if (step.kind === 'event') {
        const { event } = step;
        if (event.kind !== 'recorded-compaction') return [];
        return [{ thread: t, step: s, key: `compaction ${event.preTokens} ${at(event.at)}` }];
      }
      if (step.kind !== 'call') return [];
      const { call } = step;
      const said = call.usage === null ? `${id} ${at(call.endMs)}` : Object.values(call.usage).join(' ');
      return [{ thread: t, step: s, key: `call ${call.id} ${call.model} ${said}` }];
    }),
  );
}
