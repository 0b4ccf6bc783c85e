import { describe, expect, it } from 'vitest';
import { promptTokens } from '../../../../src/core/model/usage.js';
import {
  ask,
  assistant,
  callsOf,
  type Fields,
  firstThread,
  outline,
  readSession,
  result,
  say,
  system,
  threadOf,
  usage,
  user,
  warningCodes,
} from '../../../helpers/session.js';

const part = (type: string, counts: Fields, more: Fields = {}): Fields => ({ type, ...counts, ...more });

/** The top level is the sum of both parts of the response: 10 + 20, 50,000 + 51,000, 1,000 + 600, 40 + 300. */
const ADVISED = {
  ...usage(30, 101_000, 1_600, 340),
  iterations: [
    part('message', usage(10, 50_000, 1_000, 40)),
    part('advisor_message', usage(48_000, 0, 0, 500), { model: 'claude-opus-4-6' }),
    part('message', usage(20, 51_000, 600, 300)),
  ],
};

const advised = () =>
  readSession([
    user('u1', 0, 'go'),
    assistant('a1', 4, 'm1', say('x'), { usage: usage(10, 0, 50_000, 50) }),
    user('u2', 10, 'and now'),
    assistant('a2', 20, 'm2', say('y'), { usage: ADVISED }),
    assistant('a3', 25, 'm2', say('z'), { usage: ADVISED }),
    user('u3', 30, 'on'),
    assistant('a4', 34, 'm3', say('w'), { usage: usage(10, 51_600, 400, 5) }),
  ]);

describe('a response that asked an advisor', () => {
  it('K22 has the prompt of its last part, and its first part is a request before it', () => {
    const calls = callsOf(firstThread(advised()));
    expect(calls.map(({ id, usage: each }) => [id, each === null ? null : promptTokens(each)])).toEqual([
      ['m1', 50_010],
      ['m2#0', 51_010],
      ['m2', 51_620],
      ['m3', 52_010],
    ]);
    expect(calls.map(({ usage: each }) => each?.output)).toEqual([50, 40, 300, 5]);
  });

  it('K22 leaves the advisor a request and a conversation of its own', () => {
    const transcript = advised();
    const [, advisor] = transcript.threads;
    expect(advisor).toMatchObject({ id: 'm2#1', parentId: 'main', label: 'advisor' });
    expect(callsOf(advisor!)).toMatchObject([
      { model: 'claude-opus-4-6', startMs: 20_000, usage: { input: 48_000, output: 500 } },
    ]);
    expect(warningCodes(transcript)).not.toContain('billed-iterations');
  });
});

describe('a response of zeros', () => {
  /** As recorded at 2.1.226: the counts are zero, the split is as it was. */
  const split = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 87 };
  const zeros = { usage: { ...usage(0, 0, 0, 0), cache_creation: split }, stop_reason: 'tool_use' };
  const counted = { usage: usage(10, 0, 50_000, 50) };

  it('K24 is no request where others are counted, and stays in the conversation with its result', () => {
    const thread = threadOf([
      user('u1', 0, 'go'),
      assistant('a1', 4, 'm1', say('x'), counted),
      system('b1', 10, 'compact_boundary', { compactMetadata: { trigger: 'auto', preTokens: 50_060 } }),
      user('s1', 10, 'summary', { isCompactSummary: true }),
      assistant('a2', 8, 'm0', say('kept'), zeros),
      assistant('a3', 8, 'm0', ask('t1'), zeros),
      result('r1', 9, 't1'),
      assistant('a4', 15, 'm2', say('y'), { usage: usage(10, 0, 20_000, 5) }),
    ]);
    expect(outline(thread)).toEqual([
      'human u1',
      'call m1',
      'event recorded-compaction',
      'model m0',
      'tool r1',
      'call m2',
    ]);
  });

  it('K24 is one with the counts of its iterations where a compaction kept it and it stands nowhere else', () => {
    const iterations = [{ ...usage(2, 204_576, 87, 1_651), type: 'message' }];
    const sent = { ...zeros, usage: { ...zeros.usage, iterations } };
    const compactMetadata = {
      trigger: 'auto',
      preTokens: 213_002,
      preservedMessages: { uuids: ['a2', 'a3', 'r1'] },
    };
    const first = { usage: usage(10, 0, 204_566, 50) };
    const before = [user('u1', 0, 'go'), assistant('a1', 4, 'm1', say('x'), first), user('u2', 5, 'on')];
    const behind = [
      system('b1', 10, 'compact_boundary', { compactMetadata }),
      user('s1', 10, 'summary', { isCompactSummary: true }),
      assistant('a2', 8, 'm0', say('kept'), sent),
      assistant('a3', 8, 'm0', ask('t1'), sent),
      result('r1', 9, 't1'),
      assistant('a4', 15, 'm2', say('y'), { usage: usage(10, 0, 20_000, 5) }),
    ];
    const thread = threadOf([...before, ...behind]);
    expect(outline(thread)).toEqual([
      'human u1',
      'call m1',
      'human u2',
      'call m0',
      'tool r1',
      'event recorded-compaction',
      'call m2',
    ]);
    const [, kept] = callsOf(thread);
    expect(kept!.usage).toMatchObject({ input: 2, cacheRead: 204_576, output: 1_651 });
    const [event] = thread.steps.flatMap((step) => (step.kind === 'event' ? [step.event] : []));
    expect(event).toMatchObject({ keptIds: ['m0', 'r1'] });
    // A file that begins with the compaction: the request is in the file that it goes on from.
    expect(outline(threadOf(behind)).filter((each) => each === 'call m0')).toEqual([]);
  });

  it('K24 is one where nothing of the conversation was counted', () => {
    const thread = threadOf([user('u1', 0, 'go'), assistant('a1', 4, 'm1', say('x'), zeros)]);
    expect(outline(thread)).toEqual(['human u1', 'call m1']);
  });
});
