import { describe, expect, it } from 'vitest';
import { messageTokens } from '../../../../src/core/model/message.js';
import {
  ask,
  assistant,
  attachment,
  callsOf,
  eventsOf,
  type Fields,
  HUNDRED,
  happened,
  messagesOf,
  outline,
  result,
  say,
  system,
  threadOf,
  usage,
  user,
} from '../../../helpers/session.js';

const under = (parentUuid: string): Fields => ({ parentUuid });

describe('responses in one piece', () => {
  it('K4 have several blocks on their first line, and are announced', () => {
    const whole = [user('u1', 0, 'go'), assistant('a1', 4, 'm1', [...say('x'), ...ask('t1')])];
    const thread = threadOf(whole);
    expect(outline(thread)).toEqual(['human u1', 'event fallback', 'call m1']);
    expect(eventsOf(thread)).toEqual([{ kind: 'fallback', at: 0 }]);
    expect(callsOf(thread)).toMatchObject([{ startMs: 0, endMs: 4_000 }]);
  });

  it('K4 are not those that come line by line', () => {
    const streamed = [
      user('u1', 0, 'go'),
      assistant('a1', 4, 'm1', say('x')),
      assistant('a2', 5, 'm1', ask('t1')),
    ];
    expect(happened(streamed)).toEqual([]);
  });
});

describe('a file that begins with a compaction', () => {
  it('K20 begins with its summary and the files that came back, as content that every prompt holds', () => {
    const lines = [
      system('b1', 0, 'compact_boundary', { compactMetadata: { trigger: 'auto', preTokens: 167_100 } }),
      user('s1', 0, HUNDRED, { isCompactSummary: true }),
      attachment('f1', 0, { type: 'file', filename: '/a.ts', content: HUNDRED }),
      user('u1', 1, 'go'),
      assistant('a1', 4, 'm1', say('x')),
    ];
    const thread = threadOf(lines);
    expect(outline(thread)).toEqual(['summary s1', 'attachment f1', 'human u1', 'call m1']);
    expect(messagesOf(thread).map(({ attachedTo }) => attachedTo)).toEqual([null, null, null]);
  });
});

describe('going back', () => {
  const first = [
    user('u1', 0, HUNDRED),
    assistant('a1', 1, 'm1', say('x'), { usage: usage(0, 0, 1_100, 50) }, under('u1')),
  ];
  const left = [
    user('u2', 2, HUNDRED, under('a1')),
    assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_100, 150, 30) }, under('u2')),
  ];
  const again = (parent: string, prompt = 1_250): readonly Fields[] => [
    user('u3', 9, HUNDRED, under(parent)),
    assistant('a3', 10, 'm3', say('x'), { usage: usage(0, 0, prompt, 5) }, under('u3')),
  ];

  it('C1 is a prompt whose parent is an earlier line than the latest response', () => {
    const thread = threadOf([...first, ...left, ...again('a1')]);
    expect(outline(thread)).toEqual([
      'human u1',
      'call m1',
      'human u2',
      'call m2',
      'event rewind',
      'human u3',
      'call m3',
    ]);
    expect(eventsOf(thread)).toEqual([{ kind: 'rewind', at: 9_000, lastId: 'm1' }]);
    // 1,100 + 50 stay
    expect(messagesOf(thread).map(messageTokens)).toEqual([100, 100, 100]);
  });

  it('C1 leads to the message that a hidden line hangs on', () => {
    const hidden = system('x1', 1, 'turn_duration', under('a1'));
    const beside = system('x2', 1, 'stop_hook_summary', under('x1'));
    const [prompt, response] = left as [Fields, Fields];
    const lines = [...first, hidden, beside, { ...prompt, parentUuid: 'x2' }, response, ...again('x2')];
    expect(happened(lines)).toEqual([{ kind: 'rewind', at: 9_000, lastId: 'm1' }]);
  });

  it('C1 to a line that hangs on nothing is going back to the beginning', () => {
    const start = system('x0', 0, 'informational');
    const [prompt, response] = first as [Fields, Fields];
    const thread = threadOf([
      start,
      { ...prompt, parentUuid: 'x0' },
      response,
      ...left,
      ...again('x0', 1_100),
    ]);
    expect(eventsOf(thread)).toEqual([{ kind: 'rewind', at: 9_000, lastId: null }]);
    expect(messagesOf(thread).map(messageTokens)).toEqual([100, 100, 100]);
  });

  it('C1 keeps what stood before it without a line of its own', () => {
    const grown = [
      user('u2', 2, HUNDRED, under('a1')),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 1_100, 8_150, 30) }, under('u2')),
      user('u2b', 4, HUNDRED, under('a2')),
      assistant('a2b', 5, 'm2b', say('x'), { usage: usage(0, 9_250, 130, 30) }, under('u2b')),
    ];
    // 9,250 + 30 + 100
    const thread = threadOf([...first, ...grown, ...again('a2', 9_380)]);
    expect(messagesOf(thread).map((message) => [message.id, messageTokens(message)])).toEqual([
      ['u1', 100],
      ['u2', 100],
      ['unlogged-context-1', 8_000],
      ['u2b', 100],
      ['u3', 100],
    ]);
  });

  it('C1 K13 keeps what came before the file', () => {
    const [prompt] = first as [Fields];
    const thread = threadOf([
      prompt,
      assistant('a1', 1, 'm1', say('x'), { usage: usage(0, 80_000, 20_000, 50) }, under('u1')),
      user('u2', 2, HUNDRED, under('a1')),
      assistant('a2', 3, 'm2', say('x'), { usage: usage(0, 100_000, 150, 30) }, under('u2')),
      ...again('a1', 100_150),
    ]);
    expect(messagesOf(thread).map(messageTokens)).toEqual([100, 100, 100]);
  });

  const quiet: readonly (readonly [string, readonly Fields[]])[] = [
    ['has no parent', [...first, ...left, user('u3', 9, 'more')]],
    ['has a parent that the file does not hold', [...first, ...left, ...again('elsewhere')]],
    [
      'hangs on one of several results',
      [
        ...first,
        user('u2', 2, 'go', under('a1')),
        assistant('a2', 3, 'm2', ask('t1'), {}, under('u2')),
        assistant('a2b', 3, 'm2', ask('t2'), {}, under('a2')),
        result('r1', 4, 't1', 'one', under('a2')),
        result('r2', 5, 't2', 'two', under('a2b')),
        user('u3', 9, 'more', under('r1')),
      ],
    ],
    [
      'hangs on a hook that hangs on an earlier line',
      [
        ...first,
        ...left,
        attachment('h1', 8, { type: 'hook_success', hookName: 'UserPromptSubmit' }, under('a1')),
        ...again('h1'),
      ],
    ],
    [
      'hangs on a line before a compaction',
      [
        ...first,
        ...left,
        system('k1', 5, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }),
        user('y1', 5, HUNDRED, { isCompactSummary: true, parentUuid: 'k1' }),
        ...again('a1'),
      ],
    ],
    [
      'is the text of a command, a result or a note of the client',
      [
        ...first,
        ...left,
        user('c1', 7, '<command-name>/cost</command-name>', under('a1')),
        user('k1', 7, 'a note', { isMeta: true, parentUuid: 'a1' }),
        result('r9', 7, 'gone', 'late', under('a1')),
        user('u3', 9, 'more', under('a2')),
      ],
    ],
  ];

  it.each(quiet)('C1 is not a line that %s', (_what, lines) => {
    expect(happened(lines).map((event) => event.kind)).not.toContain('rewind');
  });
});

describe('instructions of a compaction by hand', () => {
  const boundary = (trigger: string) => system('b1', 9, 'compact_boundary', { compactMetadata: { trigger } });
  const summary = user('y1', 9, 'so far', { isCompactSummary: true });
  const caveat = user('k1', 9, '<local-command-caveat>x</local-command-caveat>', { isMeta: true });
  const before = [user('u1', 0, 'go'), assistant('a1', 1, 'm1', say('x'))];
  const command = (args: string, name = 'compact') =>
    user(
      'c1',
      8,
      `<command-name>/${name}</command-name>\n<command-message>x</command-message>\n<command-args>${args}</command-args>`,
    );
  const [asked, unasked] = [{ instructions: 'keep the plan,\nnot the logs' }, {}];

  it.each([
    [
      'its command, behind its summary',
      [boundary('manual'), summary, caveat, command(' keep the plan,\nnot the logs ')],
      asked,
    ],
    ['no command without words', [boundary('manual'), summary, command(' ')], unasked],
    ['no other command', [boundary('manual'), summary, command('keep the plan', 'model')], unasked],
    ['no command of an automatic one', [boundary('auto'), summary, command('keep the plan')], unasked],
    ['no command before it', [command('keep the plan'), boundary('manual'), summary], unasked],
    [
      'no command behind a prompt',
      [boundary('manual'), summary, user('u2', 9, 'go'), command('no')],
      unasked,
    ],
    [
      'no command behind a response',
      [boundary('manual'), summary, assistant('a2', 9, 'm2', say('x')), command('no')],
      unasked,
    ],
  ] as const)('C1 come from %s', (_what, lines, expected) => {
    const [event] = happened([...before, ...lines]);
    expect(event).toMatchObject({ kind: 'recorded-compaction', ...expected });
    if (expected === unasked) expect(event).not.toHaveProperty('instructions');
  });
});
