import { writeClaudeCode } from '../../../bench/sessions/write-claude-code.js';
import { roundsOf, withUsage } from '../../../bench/suites/rounds.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { logFor, mainRequests, type PlanInit, planOf, runLog } from '../plan.js';
import { bugfixSession } from './bugfix-session.js';

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

/** A transcript with the usage that a run of it has. */
export function withSimulatedUsage(transcript: Transcript, init: PlanInit): Transcript {
  return withUsage(transcript, mainRequests(logFor(init, transcript)));
}

/** Sessions the project makes itself as TraceLab writes them: a row for each call, with sizes and times and no content. */
export function roundsText(
  specs: readonly { readonly agent: 'claude' | 'codex'; readonly seed: number }[],
): string {
  const rounds = specs.flatMap(({ agent, seed }) => {
    const model = agent === 'claude' ? 'claude-sonnet-4-5' : 'gpt-5.4';
    const transcript = bugfixSession(6, { seed, model });
    const plan = planOf({ model, policy: 'unbounded', set: { 'client.use': 'none' } });
    return roundsOf(withUsage(transcript, mainRequests(runLog(plan, transcript))), agent, seed);
  });
  return rounds.map((round) => `${JSON.stringify(round)}\n`).join('');
}
