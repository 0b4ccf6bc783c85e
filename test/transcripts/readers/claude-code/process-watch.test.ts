import { describe, expect, it } from 'vitest';
import { messageTokens } from '../../../../src/core/model/message.js';
import {
  ask,
  assistant,
  attachment,
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  HUNDRED,
  happened,
  messagesOf,
  outline,
  readSession,
  result,
  say,
  stamp,
  system,
  threadOf,
  usage,
  user,
  warningCodes,
} from '../../../helpers/session.js';

function hook(uuid: string, seconds: number, start: string): Fields {
  return attachment(uuid, seconds, { type: 'hook_success', hookName: `SessionStart:${start}`, content: '' });
}

/** A line of progress as clients write it, its members in their order. */
function progress(uuid: string, seconds: number, hookName: string): Fields {
  return {
    parentUuid: 'a1',
    isSidechain: false,
    sessionId: 's1',
    version: '2.1.100',
    type: 'progress',
    data: { type: 'hook_progress', hookEvent: hookName.split(':')[0], hookName, command: 'x' },
    parentToolUseID: 't',
    toolUseID: 't',
    timestamp: stamp(seconds),
    uuid,
  };
}

const FIRST = [user('u1', 0, HUNDRED), assistant('a1', 1, 'm1', say('x'), { usage: usage(0, 0, 1_100, 50) })];

describe('hooks of a process that begins', () => {
  it.each(['resume', 'startup'])('K3 %s behind a response is a new process', (start) => {
    expect(happened([...FIRST, hook('h1', 7, start), user('u2', 9, 'more')])).toEqual([
      { kind: 'resume', at: 7_000, reason: `the hook of a process that began (${start})` },
    ]);
  });

  it('K3 tell of one process once, and of the first one never', () => {
    const again = [hook('h1', 7, 'resume'), hook('h2', 7, 'resume')];
    expect(happened([hook('h0', 0, 'startup'), ...FIRST, ...again])).toHaveLength(1);
    const moved = user('u2', 8, 'more', { sessionId: 's2' });
    const late = attachment(
      'h3',
      8,
      { type: 'hook_success', hookName: 'SessionStart:resume' },
      { sessionId: 's2' },
    );
    expect(happened([...FIRST, moved, late]).map((event) => event.kind)).toEqual(['resume']);
    expect(
      happened([...FIRST, ...again, assistant('a2', 8, 'm2', say('x')), hook('h3', 9, 'resume')]),
    ).toHaveLength(2);
  });

  it('K3 of other moments are no new process', () => {
    expect(happened([...FIRST, hook('h1', 7, 'compact'), user('u2', 9, 'more')])).toEqual([]);
  });

  it('K3 are seen among lines of progress that begin alike', () => {
    const lines = [
      ...FIRST,
      progress('p1', 2, 'Stop'),
      progress('p2', 3, 'Stop'),
      progress('p3', 7, 'SessionStart:resume'),
      user('u2', 9, 'more'),
    ];
    expect(happened(lines)).toMatchObject([{ kind: 'resume', at: 7_000 }]);
  });
});

describe('an emptied conversation', () => {
  const next = [
    user('u2', 9, HUNDRED),
    assistant('a2', 10, 'm2', say('x'), { usage: usage(0, 630, 470, 5) }),
  ];

  it('C1 K3 is an event behind which only what stands in front of every history is left', () => {
    const thread = threadOf([...FIRST, progress('p1', 7, 'SessionStart:clear'), ...next]);
    expect(outline(thread)).toEqual(['human u1', 'call m1', 'event clear', 'human u2', 'call m2']);
    expect(eventsOf(thread)).toEqual([{ kind: 'clear', at: 7_000 }]);
    // 1,100 − 1,000 in front
    expect(messagesOf(thread).map(messageTokens)).toEqual([100, 100]);
  });

  it('C1 K3 happens once, right behind a resume too', () => {
    const cleared = [hook('h1', 7, 'clear'), hook('h2', 7, 'clear'), hook('h3', 7, 'startup')];
    expect(happened([...FIRST, ...cleared, ...next]).map((event) => event.kind)).toEqual(['clear']);
    const taken = [hook('h0', 6, 'resume'), ...cleared];
    expect(happened([...FIRST, ...taken, ...next]).map((event) => event.kind)).toEqual(['resume', 'clear']);
  });
});

describe('results that a resume does not find again', () => {
  const moved = { sessionId: 's2' };
  /** One response with three calls: each line and each result weighs 100 tokens but for the calls, 60 together. */
  const fan = [
    user('u1', 0, HUNDRED),
    ...['t1', 't2', 't3'].map((id, i) =>
      assistant(`a${i}`, 1, 'm1', ask(id), { usage: usage(0, 0, 1_100, 60), stop_reason: 'tool_use' }),
    ),
    ...['t1', 't2', 't3'].map((id, i) => result(`r${i + 1}`, 2, id, HUNDRED)),
  ];
  const answered = [...fan, assistant('b1', 3, 'm2', say('x'), { usage: usage(0, 1_100, 360, 10) })];
  const taken = (prompt: number) => [
    user('u2', 9, HUNDRED, moved),
    assistant('c1', 10, 'm3', say('x'), { usage: usage(0, 0, prompt, 5) }, moved),
  ];

  it('K12 are those of parallel calls but the last, where the prompt is so much smaller', () => {
    // 1,460 + 10 + 100 − 2 × 100
    const transcript = readSession([...answered, ...taken(1_370)]);
    expect(eventsOf(firstThread(transcript))).toMatchObject([{ kind: 'resume', lostIds: ['r1', 'r2'] }]);
    expect(warningCodes(transcript)).toEqual([]);
    expect(messagesOf(firstThread(transcript)).map(messageTokens)).toEqual([100, 100, 100, 100, 100]);
  });

  it('K12 are none where the prompt holds them all', () => {
    const [event] = happened([...answered, ...taken(1_570)]);
    expect(event).not.toHaveProperty('lostIds');
  });

  it('K12 may stand right before the resume', () => {
    // 1,100 + 60 + 100 for the last result + 100
    const thread = threadOf([...fan, ...taken(1_360)]);
    expect(eventsOf(thread)).toMatchObject([{ kind: 'resume', lostIds: ['r1', 'r2'] }]);
    expect(messageTokens(callsOf(thread)[0]!.response)).toBe(60);
    expect(messagesOf(thread).map(messageTokens)).toEqual([100, 100, 100, 100, 100]);
    expect(happened([...fan, ...taken(1_560)])[0]).not.toHaveProperty('lostIds');
  });

  it('K12 are never the only result of a response', () => {
    const lines = [
      user('u1', 0, HUNDRED),
      assistant('a1', 1, 'm1', ask('t1'), { usage: usage(0, 0, 1_100, 10) }),
      result('r1', 2, 't1', HUNDRED),
      assistant('b1', 3, 'm2', say('x'), { usage: usage(0, 1_100, 110, 10) }),
    ];
    // 1,210 + 10 + 100, less the result
    expect(happened([...lines, ...taken(1_220)])[0]).not.toHaveProperty('lostIds');
  });

  it('K12 are not told where a compaction comes before the next prompt, or none comes', () => {
    const compaction = (fields: Fields) => [
      system('k1', 9, 'compact_boundary', { compactMetadata: { trigger: 'auto' }, ...fields }),
      user('y1', 9, HUNDRED, { isCompactSummary: true, ...fields }),
    ];
    const later = [
      user('u3', 11, HUNDRED, moved),
      assistant('d1', 12, 'm4', say('x'), { usage: usage(0, 0, 1_105, 5) }, moved),
    ];
    const [first, last] = taken(1_200) as [Fields, Fields];
    for (const lines of [[first], [first, ...compaction(moved), last, ...later]]) {
      expect(happened([...answered, ...lines])[0]).toEqual({
        kind: 'resume',
        at: 9_000,
        reason: 'the session id changed',
      });
    }
    const before = happened([...answered, ...compaction({}), ...taken(1_200)]);
    expect(before.map((event) => event.kind)).toEqual(['recorded-compaction', 'resume']);
    expect(before[1]).not.toHaveProperty('lostIds');
  });
});
