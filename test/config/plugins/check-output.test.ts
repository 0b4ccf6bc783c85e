import { describe, expect, it } from 'vitest';
import { actionProblem, transcriptProblem } from '../../../src/config/plugins/check-output.js';

const BY = { layer: 'rules', reason: 'why' };
const BLOCK = { kind: 'text', role: 'user', tokens: 5 };
const MESSAGE = { id: 'm', role: 'user', at: 0, blocks: [BLOCK] };
const ENTRY = {
  layer: 'rules',
  action: 'clear',
  trigger: 'auto',
  outcome: 'done',
  reason: 'why',
  failure: null,
  estimatedBefore: null,
  estimatedAfter: 3,
  trueBefore: 9,
  trueAfter: -9,
  saved: 0.5,
  details: {},
};
const REQUEST = {
  purpose: 'p',
  messages: [MESSAGE],
  instruction: MESSAGE,
  maxOutputTokens: null,
  retries: 0,
};

/** One of each kind that the engine can carry out. */
const ACTIONS: Readonly<Record<string, object>> = {
  'rewrite-blocks': {
    by: BY,
    cause: 'snip',
    keep: 'live',
    edits: [
      { messageId: 'm', blockIndex: 0, block: null },
      { messageId: 'm', blockIndex: 1, block: BLOCK },
    ],
  },
  'delete-cached': { by: BY, results: [{ toolUseId: 't', messageIndex: 2 }] },
  ask: { by: BY, request: REQUEST },
  'replace-history': { by: BY, messages: [MESSAGE] },
  attach: { by: BY, message: MESSAGE },
  'write-file': { by: BY, path: 'a', text: 'b' },
  'set-mtime': { by: BY, path: 'a', mtimeMs: 7 },
  'wake-at': { by: BY, timeMs: 1e15 },
  'remove-file': { by: BY, path: 'a' },
  wait: { by: BY, ms: 0 },
  report: { entry: ENTRY },
  breaker: { by: BY, state: 'reset', failures: 20_000_000 },
  stop: { by: BY, what: 'blocked', message: 'no' },
  cleanup: { by: BY },
};
const changed = (kind: string, change: object): string | null =>
  actionProblem({ kind, ...ACTIONS[kind], ...change });

describe('an action of a plug-in', () => {
  it.each(Object.keys(ACTIONS))(
    '%s is taken when all of it is there, and refused without any part',
    (kind) => {
      expect(changed(kind, {})).toBeNull();
      for (const part of Object.keys(ACTIONS[kind]!))
        expect(changed(kind, { [part]: undefined })).toMatch(
          new RegExp(`^an action in which \`${part}\` must be .*, not nothing$`),
        );
    },
  );

  it.each([
    ['wait', { ms: -1 }, '`ms` must be a time of 0 or more milliseconds, not -1'],
    ['wait', { ms: 1e15 + 1 }, '`ms` must be a time of 0 or more milliseconds, not 1000000000000001'],
    ['wait', { ms: '5' }, '`ms` must be a time of 0 or more milliseconds, not "5"'],
    ['breaker', { failures: -1 }, '`failures` must be a number from 0 to 20000000, not -1'],
    ['breaker', { failures: 20_000_001 }, '`failures` must be a number from 0 to 20000000, not 20000001'],
    ['breaker', { state: 'off' }, '`state` must be one of tripped, skipped, reset, not "off"'],
    ['report', { entry: { ...ENTRY, saved: Infinity } }, '`entry.saved` must be a number, not Infinity'],
    ['report', { entry: { ...ENTRY, failure: 3 } }, '`entry.failure` must be a text, not 3'],
    ['report', { entry: { ...ENTRY, details: [] } }, '`entry.details` must be an object, not []'],
    [
      'report',
      { entry: { ...ENTRY, estimatedBefore: 'x' } },
      '`entry.estimatedBefore` must be a number, not "x"',
    ],
    ['write-file', { text: 7 }, '`text` must be a text, not 7'],
    ['write-file', { text: () => 'b' }, '`text` must be a text, not a function'],
    ['attach', { message: 7 }, '`message` must be an object, not 7'],
    ['cleanup', { by: { layer: 'rules' } }, '`by.reason` must be a text, not nothing'],
    ['replace-history', { messages: MESSAGE }, `\`messages\` must be a list, not ${JSON.stringify(MESSAGE)}`],
    [
      'replace-history',
      { messages: [MESSAGE, { ...MESSAGE, at: 1e16 }] },
      '`messages[1].at` must be a time of 0 or more milliseconds, not 10000000000000000',
    ],
    [
      'ask',
      { request: { ...REQUEST, retries: 1_001 } },
      '`request.retries` must be a number from 0 to 1000, not 1001',
    ],
    [
      'ask',
      { request: { ...REQUEST, retries: -1 } },
      '`request.retries` must be a number from 0 to 1000, not -1',
    ],
    [
      'delete-cached',
      { results: [{ toolUseId: 't', messageIndex: 1.5 }] },
      '`results[0].messageIndex` must be a whole number, not 1.5',
    ],
  ])('%s with %j is refused', (kind, change, problem) => {
    expect(changed(kind, change)).toBe(`an action in which ${problem}`);
  });

  it('may have texts that are objects, ends of ranges, and no answer limit', () => {
    expect(changed('write-file', { text: { read: 'x' } })).toBeNull();
    expect(changed('wait', { ms: 1e15 })).toBeNull();
    expect(changed('ask', { request: { ...REQUEST, retries: 1_000, maxOutputTokens: 4 } })).toBeNull();
  });

  it('is none where its kind is unknown or it is no object; what cannot be shown is said to be so', () => {
    expect(actionProblem({ kind: 'explode' })).toBe('{"kind":"explode"}, which is not an action');
    expect(actionProblem('wait')).toBe('"wait", which is not an action');
    expect(actionProblem(undefined)).toBe('nothing, which is not an action');
    expect(actionProblem(Symbol('s'))).toBe('symbol, which is not an action');
    const circle: Record<string, unknown> = { kind: 'circle' };
    circle.self = circle;
    expect(actionProblem(circle)).toBe('what cannot be written down, which is not an action');
  });
});

describe('a transcript of a plug-in', () => {
  const USAGE = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2 };
  const CALL = { id: 'c', model: 'x', startMs: 0, endMs: 1, usage: USAGE, response: MESSAGE };
  const withSteps = (...steps: unknown[]): object => ({
    id: 't',
    source: 's',
    carries: ['text'],
    warnings: [{ code: 'c', message: 'm' }],
    threads: [{ id: 'main', prefix: [BLOCK], steps }],
  });

  it('is taken with messages, calls and events', () => {
    const steps = [
      { kind: 'message', message: MESSAGE },
      { kind: 'call', call: CALL },
      { kind: 'call', call: { ...CALL, usage: null } },
      { kind: 'event', event: { kind: 'clear', at: 5 } },
    ];
    expect(transcriptProblem(withSteps(...steps))).toBeNull();
  });

  it.each([
    [{ kind: 'odd' }, '`threads[0].steps[0]` must be a step, not {"kind":"odd"}'],
    ['odd', '`threads[0].steps[0]` must be a step, not "odd"'],
    [
      { kind: 'event', event: { kind: 'clear', at: -1 } },
      '`threads[0].steps[0].event.at` must be a time of 0 or more milliseconds, not -1',
    ],
    [
      { kind: 'call', call: { ...CALL, usage: { ...USAGE, input: -1 } } },
      `\`threads[0].steps[0].call.usage\` must be null or counts that a request can have, not ${JSON.stringify({ ...USAGE, input: -1 })}`,
    ],
    [
      { kind: 'call', call: { ...CALL, usage: 7 } },
      '`threads[0].steps[0].call.usage` must be null or counts that a request can have, not 7',
    ],
  ])('with the step %j is refused', (step, problem) => {
    expect(transcriptProblem(withSteps(step))).toBe(problem);
  });

  it('is none where it is no object', () => {
    expect(transcriptProblem(undefined)).toBe('nothing');
    expect(transcriptProblem([1])).toBe('[1]');
  });
});
