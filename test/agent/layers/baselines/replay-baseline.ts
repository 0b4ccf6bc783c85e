import { compileScenario } from '../../../../src/config/compile.js';
import { builtinContext } from '../../../../src/config/context.js';
import type { LayerEntry, RequestEntry } from '../../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { replay } from '../../../../src/engine/run/replay.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { generateTranscript } from '../../../../src/transcripts/synthetic/generate-transcript.js';

/** What a run came to. */
export interface Ran {
  readonly entries: readonly LogEntry[];
  readonly main: readonly RequestEntry[];
  readonly layers: readonly LayerEntry[];
  readonly facts: ReturnType<typeof foldLog>;
}

/** Runs a scenario text and returns its logs, the base first, then its variants. */
export function replayAll(text: string, set: readonly string[] = []): readonly Ran[] {
  const { runs } = compileScenario({ text, file: 'test.yaml', set }, builtinContext);
  return runs.map(({ plan, transcript }) => {
    if (transcript.kind !== 'synthetic') throw new Error('only generated sessions are run here');
    const entries: LogEntry[] = [];
    replay(plan, generateTranscript(transcript.spec), { write: (entry) => void entries.push(entry) });
    return {
      entries,
      main: entries.filter((entry) => entry.type === 'request').filter((entry) => entry.purpose === 'main'),
      layers: entries.filter((entry) => entry.type === 'layer'),
      facts: foldLog(entries),
    };
  });
}

/** A session of equal turns: a prefix of 1,000, a prompt of 100, and this many tokens of results a turn. */
export function steady(policy: string, turns: number, resultTokens: number, rest = ''): string {
  return `name: steady
transcript:
  synthetic:
    turns: ${turns}
    prefixTokens: 1000
    text: none
    steady: { gapSeconds: 10, outputTokens: 0, resultTokens: ${resultTokens}, promptTokens: 100 }
policy: ${policy}
${rest}`;
}
