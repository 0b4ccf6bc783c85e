import type { Step, Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/run-log.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { writeClaudeCode } from '../../../src/transcripts/write-claude-code.js';
import { mainRequests, planOf, runLog } from '../plan.js';

/** A recording the project makes itself: a generated session, billed under the bare API, written as Claude Code writes it. */
export function fixtureText(spec: {
  readonly workload: string;
  readonly turns: number;
  readonly seed: number;
}): string {
  const transcript = generateTranscript({ ...spec, model: 'claude-sonnet-4-5', text: 'filler' });
  const plan = planOf({ policy: 'unbounded', set: { 'client.use': 'none' }, cache: { ttl: '5m' } });
  const requests = mainRequests(runLog(plan, transcript));
  const [file] = writeClaudeCode(withUsage(transcript, requests)).files;
  return file!.text;
}

function withUsage(transcript: Transcript, requests: readonly RequestEntry[]): Transcript {
  const [main, ...others] = transcript.threads;
  let n = 0;
  const steps = main!.steps.map((step): Step => {
    if (step.kind !== 'call') return step;
    const { input, read, write5m, write1h, output } = requests[n++]!;
    const usage = { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h, output };
    return { kind: 'call', call: { ...step.call, usage } };
  });
  return { ...transcript, threads: [{ ...main!, steps }, ...others] };
}
