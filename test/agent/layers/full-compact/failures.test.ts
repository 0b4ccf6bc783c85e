import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../../../src/core/run/run-plan.js';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, ofType, planOf, runLog } from '../../../helpers/plan.js';

/** Two turns above the threshold of 167,000, below the block at 177,000. */
function talk(): Conversation {
  const built = new Conversation().human(100);
  for (let i = 0; i < 30; i++) built.tools([{ tool: 'Read', tokens: 5_000 }]);
  return built.answer(10).turn(20, 10);
}

const QUIET = {
  'storage.enabled': false,
  'sessionMemory.enabled': false,
  'microcompact.cached.enabled': false,
  'microcompact.token.enabled': false,
  'autoMemory.enabled': false,
  'dreaming.enabled': false,
} as const;

describe('a compaction that fails', () => {
  it.each<[FaultKind, string]>([
    ['empty_summary', 'no-summary'],
    ['error_as_summary', 'api-error'],
    ['server_error', 'api-error'],
    ['overloaded', 'api-error'],
    ['connection_cut', 'api-error'],
    ['invalid_request', 'api-error'],
    ['prompt_too_long', 'prompt-too-long'],
    ['prompt_too_long_unparseable', 'prompt-too-long'],
    ['aborted', 'aborted'],
    ['tool_call', 'tool-call'],
  ])('FUL-7 INV-8 %s is told as %s and leaves every later request as it was', (error, failure) => {
    const set = { ...QUIET, 'client.retries': 1 };
    const failing = runSent(
      planOf({ policy: 'claude-code/2026', set, faults: [{ call: 'compact', error }] }),
      talk().transcript(),
    );
    const off = runSent(
      planOf({ policy: 'claude-code/2026', set: { ...set, 'autoCompact.enabled': false } }),
      talk().transcript(),
    );
    const layers = ofType(failing.entries, 'layer');
    expect(layers.length).toBeGreaterThan(0);
    for (const layer of layers) {
      expect(layer).toMatchObject({ outcome: 'failed', failure, saved: 0 });
      expect(layer.estimatedAfter).toBe(layer.estimatedBefore);
      expect(layer.trueAfter).toBe(layer.trueBefore);
    }
    expect(sentFor(failing.sent, 'compact').length).toBeGreaterThan(0);
    expect(sentFor(failing.sent, 'main').map((request) => request.digest)).toEqual(
      sentFor(off.sent, 'main').map((request) => request.digest),
    );
  });

  it('FUL-7 an aborted call is neither sent again nor handed to the direct summariser', () => {
    const faults = [{ call: 'compact', error: 'aborted' }] as const;
    for (const policy of ['claude-code/2026', 'claude-code/2.1.7']) {
      const entries = logFor({ policy, set: QUIET, faults }, talk());
      const tries = ofType(entries, 'layer').filter((entry) => entry.failure === 'aborted');
      expect(tries.length).toBeGreaterThan(0);
      for (const entry of tries) expect(entry.calls).toBe(1);
    }
  });
});

describe('while the call runs', () => {
  it('FUL-5 a keep-alive goes out every 30 s of simulated time', () => {
    const run = (delaySeconds: number) =>
      ofType(
        runLog(
          {
            ...planOf({
              policy: 'claude-code/2026',
              set: QUIET,
              faults: [{ call: 'compact', error: 'slow', delaySeconds }],
            }),
          },
          talk().transcript(),
        ),
        'layer',
      )[0]!;
    const slow = run(95);
    const slower = run(125);
    expect((slower.details.keepAlives as number) - (slow.details.keepAlives as number)).toBe(1);
    expect(slow.details.keepAlives).toBeGreaterThanOrEqual(3);
  });

  it('FUL-5 a call beside the loop sends none, however long it runs', () => {
    const set = { ...QUIET, 'sessionMemory.enabled': true, 'sessionMemory.compaction.enabled': false };
    const faults = [{ call: 'session_memory', error: 'slow', delaySeconds: 95 }] as const;
    const entries = logFor({ policy: 'claude-code/2026', set, faults }, talk());
    const notes = ofType(entries, 'layer').filter(({ layer }) => layer === 'session-memory');
    expect(notes[0]!.details.runsMs).toBeGreaterThan(95_000);
    for (const { details } of notes) expect(details).not.toHaveProperty('keepAlives');
  });

  it('FUL-4 a summary longer than its limit is cut there and billed as such', () => {
    const set = { ...QUIET, 'compact.summariser': 'own', 'compact.maxOutputTokens': 2_000 };
    const plan = planOf({ policy: 'claude-code/2026', set, summaryTokens: 6_000 });
    const entries = runLog(plan, talk().transcript());
    const [request] = ofType(entries, 'request').filter((entry) => entry.purpose === 'compact');
    expect(request!.output).toBe(2_000);
    expect(ofType(entries, 'layer')[0]!.details.summaryTokens).toBe(2_000 - 800);
  });
});
