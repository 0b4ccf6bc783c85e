import { describe, expect, it } from 'vitest';
import { shrinkSteps, shrunk } from '../../../../src/agent/layers/rules/shrink-request.js';
import { createBlock } from '../../../../src/core/model/block.js';
import { type Message, messageTokens, tokensOf } from '../../../../src/core/model/message.js';
import type { Answer, Outcome } from '../../../../src/core/run/action.js';
import type { AcceptPart, AskPart, FailPart, ShrinkPart } from '../../../../src/core/run/policy-rules.js';
import { messageFrom } from '../../../helpers/blocks.js';
import { notesAnswer } from '../../../helpers/drive/drive-session-memory.js';
import { type Asked, ask, failing, idsOf, prompt, round, text } from './talk.js';

const ASK: AskPart = {
  shapes: ['own'],
  model: null,
  input: { scope: 'all', lastTokens: null, results: null, drop: [] },
  output: 4_000,
  systemTokens: 11,
  toolTokens: 22,
  calls: { kind: 'one' },
  marks: 'on',
  run: { kind: 'wait' },
};
const FAIL: FailPart = { retry: { n: 0, backoffMs: 0 }, shrink: [], else: { kind: 'go-on' } };

/** A prompt of 100 tokens, rounds of 110, 210 and 310, another prompt of 50 and a round of 410. */
const TALK = [
  prompt('p', 100),
  ...round('a', 100),
  ...round('b', 200),
  ...round('c', 300),
  prompt('q', 50),
  ...round('d', 400),
];
const TAIL = [prompt('tail', 77)];

const saying = (tokens = 10, init: Partial<Answer> = {}): Outcome =>
  notesAnswer('x'.repeat(4 * tokens), 0, { tokens, ...init });

/** Asks for a summary; the n-th request gets the n-th outcome, all others a summary of ten tokens. */
function asking(
  change: Partial<AskPart> = {},
  outcomes: readonly Outcome[] = [],
  {
    fail = {},
    accept = [],
    about = TALK,
  }: {
    readonly fail?: Partial<FailPart>;
    readonly accept?: readonly AcceptPart[];
    readonly about?: readonly Message[];
  } = {},
): Asked {
  const rule = { ask: { ...ASK, ...change }, accept, fail: { ...FAIL, ...fail } };
  const params = { 'client.retries': 3, 'compact.quoteTokens': 40 };
  return ask({ rule, messages: about, after: TAIL }, params, outcomes, saying());
}
const sent = ({ requests }: Asked): readonly string[] => requests.map(({ messages }) => idsOf(messages));

describe('the request of a shape', () => {
  const ALL = idsOf(TALK);

  it('shares the prefix or has one of its own; only the one that extends shows the tail', () => {
    expect(sent(asking({ shapes: ['extend'] }))).toEqual([`${ALL} tail`]);
    expect(sent(asking({ shapes: ['fork'] }))).toEqual([ALL]);
    expect(sent(asking({ shapes: ['native'] }))).toEqual([ALL]);
    expect(sent(asking({ shapes: ['own'] }))).toEqual([ALL]);
    for (const shape of ['extend', 'fork', 'native'] as const)
      expect(asking({ shapes: [shape] }).requests[0]!.shape).toEqual({ kind: 'fork' });
    const own = { kind: 'own', systemTokens: 11, toolTokens: 22, breakpoints: 'on' };
    for (const shape of ['own', 'text'] as const)
      expect(asking({ shapes: [shape] }).requests[0]!.shape).toEqual(own);
    const { messages, about } = asking({ shapes: ['text'] }).requests[0]!;
    expect([idsOf(messages), tokensOf(messages), idsOf(about!)]).toEqual(['s-text-1', tokensOf(TALK), ALL]);
  });

  it('carries what the rule says of it', () => {
    const [plain] = asking().requests;
    expect(plain).toMatchObject({
      purpose: 'compact',
      maxOutputTokens: 4_000,
      retries: 3,
      mode: 'blocking',
      write: 'write',
      answer: { kind: 'summary', style: 'full', quoteTokens: 40 },
    });
    expect(plain).not.toHaveProperty('model');
    expect(plain).not.toHaveProperty('ownTurns');
    expect(plain!.instruction.id).toBe('s-instruction');
    const other = asking({
      model: 'small',
      run: { kind: 'background', applyAt: null, stale: 'ids-present' },
    }).requests[0];
    expect(other).toMatchObject({ model: 'small', mode: 'background' });
  });

  it('marks for the cache unless it is told not to, or only follows one that shares the prefix', () => {
    const write = (shapes: AskPart['shapes'], marks: AskPart['marks']) =>
      asking({ shapes, marks }, [failing('overloaded')]).requests.map(({ shape, write }) =>
        shape.kind === 'own' ? `own ${shape.breakpoints}` : write,
      );
    expect(write(['fork'], 'on')).toEqual(['write']);
    expect(write(['fork'], 'off')).toEqual(['read-only']);
    expect(write(['own', 'text'], 'on')).toEqual(['own on', 'own on']);
    expect(write(['own', 'text'], 'off')).toEqual(['own off', 'own off']);
    expect(write(['fork', 'own'], 'on')).toEqual(['write', 'own off']);
  });
});

describe('what is sent of a conversation', () => {
  const input = (change: Partial<AskPart['input']>, about = TALK, shapes: AskPart['shapes'] = ['own']) =>
    asking({ shapes, input: { ...ASK.input, ...change } }, [], { about }).requests[0]!.messages;
  const sizes = (messages: readonly Message[]) => messages.map(messageTokens);

  it('the newest part within its tokens, never a result without its call', () => {
    expect(idsOf(input({ lastTokens: 410 }))).toBe('d-call d');
    expect(idsOf(input({ lastTokens: 409 }))).toBe('');
    expect(idsOf(input({ lastTokens: 460 }))).toBe('q d-call d');
    // 760 would hold the result c as well, whose call is not there.
    expect(idsOf(input({ lastTokens: 760 }))).toBe('q d-call d');
    expect(idsOf(input({ lastTokens: 770 }))).toBe('c-call c q d-call d');
    expect(idsOf(input({ lastTokens: 9_999 }))).toBe(idsOf(TALK));
    expect(idsOf(input({ lastTokens: 410 }, TALK, ['fork']))).toBe(idsOf(TALK));
  });

  it('what came since the last summary, that included', () => {
    const summary = (id: string) => messageFrom('summary', id, [text(30)]);
    const talk = [summary('s1'), ...TALK.slice(0, 3), summary('s2'), ...TALK.slice(3)];
    expect(idsOf(input({ scope: 'since-last' }, talk))).toBe(`s2 ${idsOf(TALK.slice(3))}`);
    expect(idsOf(input({ scope: 'all' }, talk))).toBe(idsOf(talk));
    expect(idsOf(input({ scope: 'since-last' }))).toBe(idsOf(TALK));
    const first = [summary('s1'), ...TALK];
    expect(idsOf(input({ scope: 'since-last' }, first))).toBe(idsOf(first));
  });

  it('without media or thinking, and without messages that were nothing else', () => {
    const block = (kind: 'image' | 'document' | 'thinking') =>
      createBlock({ kind, role: kind === 'thinking' ? 'assistant' : 'user', tokens: 7, chars: 7 });
    const of = (id: string, ...blocks: readonly ReturnType<typeof block>[]) =>
      messageFrom('human', id, blocks);
    const talk = [
      of('i', block('image')),
      of('m', text(5), block('document')),
      of('t', block('thinking'), text(3)),
    ];
    const left = (drop: AskPart['input']['drop']) => {
      const messages = input({ drop }, talk);
      return messages.map(({ id }, n) => `${id}${sizes(messages)[n]}`).join(' ');
    };
    expect(left([])).toBe('i7 m12 t10');
    expect(left(['media'])).toBe('m5 t10');
    expect(left(['thinking'])).toBe('i7 m12 t3');
    expect(left(['media', 'thinking'])).toBe('m5 t3');
  });

  it('with long results cut, one token at least', () => {
    // The results have 400, 800, 1,200 and 1,600 characters, four a token.
    expect(sizes(input({ results: { over: 800, chars: 200 } }))).toEqual([
      100, 10, 100, 10, 200, 10, 50, 50, 10, 50,
    ]);
    expect(sizes(input({ results: { over: 799, chars: 1 } }))).toEqual([
      100, 10, 100, 10, 1, 10, 1, 50, 10, 1,
    ]);
  });
});

describe('the calls of one summary', () => {
  it('a draft is shown again; where the second call fails the draft stands', () => {
    const both = asking({ calls: { kind: 'verify' } }, [saying(10), saying(20)]);
    expect(both.requests.map(({ ownTurns }) => idsOf(ownTurns ?? []))).toEqual(['', 's-draft']);
    expect(both.requests[1]!.ownTurns![0]).toMatchObject({ role: 'assistant', origin: 'summary' });
    expect(both.result).toMatchObject({ ok: true, requests: 2, answer: { tokens: 20 } });
    const one = asking({ calls: { kind: 'verify' } }, [saying(10), failing('overloaded')]);
    expect(one.result).toMatchObject({ ok: true, requests: 2, answer: { tokens: 10 } });
    const none = asking({ calls: { kind: 'verify' } }, [failing('overloaded')]);
    expect(none.result).toMatchObject({ ok: false, requests: 1, failure: 'api-error' });
  });

  it('split-turn: what came before the last prompt, and the rest', () => {
    const split = asking({ calls: { kind: 'split-turn' } }, [saying(10), saying(20)]);
    expect(sent(split)).toEqual([idsOf(TALK.slice(0, 7)), idsOf(TALK.slice(7))]);
    expect(split.result).toMatchObject({ ok: true, requests: 2, answer: { tokens: 30 } });
    expect(sent(asking({ calls: { kind: 'split-turn' } }, [], { about: TALK.slice(0, 5) }))).toEqual([
      idsOf(TALK.slice(0, 5)),
    ]);
  });

  it('chunks: whole rounds as long as they fit, one larger than the limit alone', () => {
    const chunks = (tokens: string) => sent(asking({ calls: { kind: 'chunks', tokens, depth: 1 } }));
    // Groups: the prompt of 100, rounds of 110, 210, 360 with the second prompt, and 410.
    expect(chunks('420')).toEqual(['p a-call a b-call b', 'c-call c q', 'd-call d']);
    expect(chunks('419')).toEqual(['p a-call a', 'b-call b', 'c-call c q', 'd-call d']);
    expect(chunks('1')).toEqual(['p', 'a-call a', 'b-call b', 'c-call c q', 'd-call d']);
    expect(chunks('9999')).toEqual([idsOf(TALK)]);
  });

  it('and one over their summaries on the last level, with a prefix of its own', () => {
    const deep = (depth: number, tokens: string, shapes: AskPart['shapes'] = ['own']) =>
      asking({ shapes, calls: { kind: 'chunks', tokens, depth } }, Array(5).fill(saying(10)));
    expect(sent(deep(2, '420'))[3]).toBe('s-chunk-1-0 s-chunk-1-1 s-chunk-1-2');
    expect(deep(2, '420').requests).toHaveLength(4);
    expect(deep(2, '9999').requests).toHaveLength(1);
    // Five summaries of ten tokens: pieces again on the second level, one call on the third.
    const three = deep(3, '20');
    expect(sent(three).slice(5)).toEqual([
      's-chunk-1-0 s-chunk-1-1',
      's-chunk-1-2 s-chunk-1-3',
      's-chunk-1-4',
      's-chunk-2-0 s-chunk-2-1 s-chunk-2-2',
    ]);
    expect(three.result).toMatchObject({ ok: true, requests: 9 });
    const kinds = (shape: AskPart['shapes'][number]) =>
      deep(2, '420', [shape]).requests.map(({ shape: { kind } }) => kind);
    expect(kinds('extend')).toEqual(['fork', 'fork', 'fork', 'own']);
    expect(kinds('fork')).toEqual(['fork', 'fork', 'fork', 'own']);
    expect(kinds('native')).toEqual(['fork', 'fork', 'fork', 'fork']);
    // Neither a piece nor the summaries are shown with the tail.
    for (const one of sent(deep(2, '420', ['extend']))) expect(one).not.toContain('tail');
  });

  it('end with the first that fails', () => {
    const { result } = asking({ calls: { kind: 'chunks', tokens: '420', depth: 2 } }, [
      saying(),
      failing('overloaded'),
    ]);
    expect(result).toEqual({
      ok: false,
      failure: 'api-error',
      message: 'it was overloaded',
      requests: 2,
    });
  });
});

describe('a summary that does not come', () => {
  it('is asked for in the next shape, unless the user ended it', () => {
    const shapes = ['fork', 'own'] as const;
    expect(asking({ shapes }, [failing('overloaded')]).result).toMatchObject({
      ok: true,
      requests: 2,
      shape: 'own',
    });
    expect(asking({ shapes }, [failing('aborted')]).result).toMatchObject({
      ok: false,
      failure: 'aborted',
      requests: 1,
    });
    expect(asking({ shapes: ['own'] }, [{ kind: 'done' }]).result).toMatchObject({
      ok: false,
      failure: 'no-summary',
    });
  });

  it('is repeated so often, with a pause that doubles', () => {
    const retry = { n: 2, backoffMs: 500 };
    const bad = Array(9).fill(failing('overloaded'));
    const often = asking({}, bad, { fail: { retry } });
    expect([often.requests.length, often.waits]).toEqual([3, [500, 1_000]]);
    expect(asking({}, bad.slice(0, 2), { fail: { retry } }).result).toMatchObject({ ok: true, requests: 3 });
    expect(asking({}, bad, { fail: { retry: { n: 1, backoffMs: 0 } } }).waits).toEqual([]);
    for (const reason of ['aborted', 'prompt-too-long'] as const)
      expect(asking({}, [failing(reason)], { fail: { retry } }).requests).toHaveLength(1);
  });

  it.each([
    ['error', [], 'api-error'],
    ['empty', ['empty'], 'no-summary'],
    ['tool-call', ['empty'], 'tool-call'],
    ['tool-call', ['tool-call'], 'tool-call'],
    ['cut', ['cut'], 'no-summary'],
    ['untagged', ['untagged'], 'no-summary'],
    ['empty', ['cut', 'untagged', 'tool-call'], null],
    ['tool-call', ['cut', 'untagged'], null],
    ['cut', ['empty', 'untagged', 'tool-call'], null],
    ['untagged', ['empty', 'cut', 'tool-call'], null],
    ['normal', ['empty', 'cut', 'untagged', 'tool-call'], null],
  ] as const)('an answer of the form %s, where %j are rejected, fails as %s', (form, rejected, failure) => {
    const accept = rejected.map((kind): AcceptPart => ({ kind }));
    const { result } = asking({}, [saying(10, { form })], { accept });
    expect(result.ok ? null : result.failure).toBe(failure);
  });

  it('too long, is sent again with less as long as a step makes it shorter', () => {
    const shrink: readonly ShrinkPart[] = [
      { kind: 'keep', share: 1 },
      { kind: 'keep', share: 0.5 },
    ];
    const tooLong = failing('prompt-too-long');
    // The first step leaves all of it, so the second is taken at once; 1,190 tokens in all, 410 of them in the last round.
    const again = asking({}, [tooLong], { fail: { shrink } });
    expect(sent(again)).toEqual([idsOf(TALK), 'd-call d']);
    expect(again.result).toMatchObject({ ok: true, requests: 2 });
    expect(again.result.ok && idsOf(again.result.sent)).toBe('d-call d');
    const never = asking({}, [tooLong, tooLong, tooLong], { fail: { shrink } });
    expect(never.result).toMatchObject({ ok: false, failure: 'prompt-too-long', requests: 2 });
    expect(asking({}, [failing('overloaded')], { fail: { shrink } }).requests).toHaveLength(1);
    // A request that extends the conversation no longer does once something is left out.
    expect(sent(asking({ shapes: ['extend'] }, [tooLong], { fail: { shrink } }))).toEqual([
      `${idsOf(TALK)} tail`,
      'd-call d',
    ]);
  });
});

describe('steps that make a request shorter', () => {
  const order = { whole: TALK, gapTokens: null, now: 0 };
  const without = (step: ShrinkPart) => shrunk(TALK, step, order);

  it('come one by one, dropping this many times', () => {
    const steps = (...parts: readonly ShrinkPart[]) => [...shrinkSteps(parts)].map(({ kind }) => kind);
    expect(steps({ kind: 'drop-oldest', share: null, times: 2 }, { kind: 'keep', share: 0.5 })).toEqual([
      'drop-oldest',
      'drop-oldest',
      'keep',
    ]);
    expect([...shrinkSteps([{ kind: 'drop-oldest', share: null, times: 10_001 }])]).toHaveLength(10_000);
  });

  it('keep the newest rounds within a share of the tokens or this many characters, the latest in any case', () => {
    // Rounds of 360 and 410 tokens at the end are 770 of 1,190.
    const kept = (share: number) => idsOf(without({ kind: 'keep', share })!);
    expect(kept(770 / 1_190)).toBe('c-call c q d-call d');
    expect(kept(769 / 1_190)).toBe('d-call d');
    expect(kept(0)).toBe('d-call d');
    expect(kept(1)).toBe(idsOf(TALK));
    const chars = (n: number) => idsOf(without({ kind: 'chars', chars: n })!);
    expect(chars(4 * 770)).toBe('c-call c q d-call d');
    expect(chars(4 * 770 - 1)).toBe('d-call d');
  });

  it('name only a share of the results, from the middle outwards', () => {
    const sizes = (share: number, about?: readonly Message[]) =>
      shrunk(about ?? TALK, { kind: 'drop-results', share }, { ...order, whole: about ?? TALK })
        ?.filter(({ origin }) => origin === 'tool')
        .map(messageTokens);
    expect(sizes(0)).toBeUndefined();
    expect(sizes(0.25)).toEqual([100, 12, 300, 400]);
    expect(sizes(0.26)).toEqual([100, 12, 12, 400]);
    expect(sizes(0.75)).toEqual([12, 12, 12, 400]);
    expect(sizes(1)).toEqual([12, 12, 12, 12]);
    const three = TALK.slice(0, 7);
    expect(sizes(0.3, three)).toEqual([100, 12, 300]);
    expect(sizes(1, [prompt('p')])).toBeUndefined();
  });

  it('cut each message to a share of the largest', () => {
    const tokens = without({ kind: 'cap-messages', share: 0.5 })!.map(messageTokens);
    expect(tokens).toEqual([100, 10, 100, 10, 200, 10, 200, 50, 10, 200]);
  });

  it('drop the oldest round, or as much as the error says is too much', () => {
    const one = without({ kind: 'drop-oldest', share: null, times: 1 })!;
    // The prompt is the oldest group; a marker takes its place.
    expect(idsOf(one.slice(1))).toBe(idsOf(TALK.slice(1)));
    expect(tokensOf(one)).toBeLessThan(tokensOf(TALK));
    const share = without({ kind: 'drop-oldest', share: 0.6, times: 1 })!;
    expect(idsOf(share.slice(1))).toBe('c-call c q d-call d');
  });
});
