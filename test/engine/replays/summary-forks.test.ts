import { describe, expect, it } from 'vitest';
import { inspectTranscript } from '../../../src/cli/commands/inspect/inspect-facts.js';
import type { Thread, Transcript } from '../../../src/core/model/transcript.js';
import { recordedBill } from '../../../src/provider/prices/recorded-bill.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { logFor } from '../../helpers/plan.js';
import { COMPACTED_MESSAGES, exported } from '../../helpers/recordings/opencode-session.js';
import { readAny } from '../../helpers/recordings/read-any.js';

const SESSION = bugfixSession(30, { seed: 4 });
const [MAIN] = SESSION.threads;
const [ANOTHER] = bugfixSession(3, { seed: 5 }).threads;

/** The session with another thread beside its main one. */
function beside(label: string, parentId: string | null): Transcript {
  const thread: Thread = { ...ANOTHER!, id: `agent-${label}`, label, parentId };
  return { ...SESSION, threads: [MAIN!, thread] };
}

const threadsOf = (transcript: Transcript): readonly string[] => {
  const log = logFor({}, transcript);
  return [...new Set(log.flatMap((entry) => (entry.type === 'request' ? [entry.thread] : [])))];
};

describe('the request for a summary that a client wrote down beside its session', () => {
  it('is not replayed: a run that compacts makes its own, one that does not makes none', () => {
    expect(threadsOf(beside('acompact-e1f845', MAIN!.id))).toEqual([MAIN!.id]);
    expect(threadsOf(beside('a7c0ffee', MAIN!.id))).toEqual([MAIN!.id, 'agent-a7c0ffee']);
  });

  it('R12 is none of opencode, OpenHands and Copilot CLI either', () => {
    const bytes = exported(COMPACTED_MESSAGES);
    const opencode = readAny(bytes, { id: 'session' });
    expect(opencode.threads).toHaveLength(2);
    expect(threadsOf(opencode)).toEqual(['session']);
    expect(logFor({}, opencode).filter(({ type }) => type === 'lost')).toEqual([]);
    expect(recordedBill(opencode)).toMatchObject({ calls: 3, summaries: 1 });
    const facts = inspectTranscript(opencode, { file: 'a.json', format: 'opencode' });
    expect(facts).toMatchObject({
      subagents: 0,
      billed: { subagentsUsd: 0, summariesUsd: expect.any(Number) },
    });
    expect(threadsOf(beside('condensation', MAIN!.id))).toEqual([MAIN!.id]);
    expect(threadsOf(beside('compaction', null))).toHaveLength(2);
  });

  it('is no lost call, and stays in what the recording cost', () => {
    const recorded = beside('acompact-e1f845', MAIN!.id);
    const [run] = logFor({}, recorded);
    expect(run).toMatchObject({ type: 'run', transcript: { threads: 1, calls: 30 } });
    expect(logFor({}, recorded).filter(({ type }) => type === 'lost')).toEqual([]);
    const plain = recordedBill(beside('a7c0ffee', MAIN!.id));
    expect(recordedBill(recorded)?.costNano).toEqual(plain?.costNano);
  });

  it('is replayed where it is all there is', () => {
    const thread: Thread = { ...ANOTHER!, label: 'acompact-e1f845', parentId: null };
    expect(threadsOf({ ...SESSION, threads: [thread] })).toEqual([thread.id]);
  });
});
