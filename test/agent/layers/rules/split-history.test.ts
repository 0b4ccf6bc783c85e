import { describe, expect, it } from 'vitest';
import { shrinkSteps, shrunk } from '../../../../src/agent/layers/rules/shrink-request.js';
import {
  cutTo,
  shorter,
  splitHistory,
  splitSinceBoundary,
} from '../../../../src/agent/layers/rules/split-history.js';
import { createBlock } from '../../../../src/core/model/block.js';
import { type Message, messageTokens } from '../../../../src/core/model/message.js';
import type { SelectPart } from '../../../../src/core/run/policy-rules.js';
import { messageFrom } from '../../../helpers/blocks.js';
import { answer, idsOf, prompt, round, SIZES, selectOf, text } from './talk.js';

/** Two prompts; 10 tokens each of prompt, call and answer. */
const TALK: readonly Message[] = [
  prompt('p1'),
  ...round('a', 100),
  ...round('b', 200),
  answer('x'),
  prompt('p2'),
  ...round('c', 300),
  ...round('d', 50),
];

const split = (change: Parameters<typeof selectOf>[0], messages = TALK) =>
  splitHistory(messages, selectOf({ what: 'history', ...change }), SIZES, 'asks');
const tail = (keep: Partial<SelectPart['keep']>, rest: Partial<SelectPart> = {}, messages = TALK): string =>
  idsOf(split({ ...rest, keep }, messages).tail);

describe('the tail of a conversation that stays', () => {
  it('is nothing where nothing is said of it', () => {
    expect(tail({})).toBe('');
    expect(tail({ last: { n: 0, unit: 'rounds' } })).toBe('');
  });

  it('is this many messages, rounds or turns', () => {
    expect(tail({ last: { n: 2, unit: 'messages' } })).toBe('d-call d');
    expect(tail({ last: { n: 1, unit: 'rounds' } })).toBe('d-call d');
    expect(tail({ last: { n: 2, unit: 'rounds' } })).toBe('c-call c d-call d');
    expect(tail({ last: { n: 1, unit: 'turns' } })).toBe('p2 c-call c d-call d');
    expect(tail({ last: { n: 2, unit: 'turns' } })).toBe(idsOf(TALK));
    expect(tail({ last: { n: 5, unit: 'turns' } })).toBe(idsOf(TALK));
    expect(tail({ last: { n: 99, unit: 'messages' } })).toBe(idsOf(TALK));
  });

  it('is what fits into a budget, or a share of the tokens or characters', () => {
    expect(tail({ tokens: '60' })).toBe('d-call d');
    // 50 fit, 10 of the call do not: a call is never parted from its result.
    expect(tail({ tokens: '59' })).toBe('d-call d');
    expect(tail({ tokens: '370' })).toBe('c-call c d-call d');
    expect(tail({ tokens: '369' }, { move: 'forward' })).toBe('d-call d');
    // 720 tokens are 2,880 characters: an eighth are 360, of which the last round takes 240; 0.54 are 1,555, and 1,520 are behind x.
    expect(tail({ share: { is: 0.125, of: 'chars' } })).toBe('d-call d');
    expect(tail({ share: { is: 0.54, of: 'chars' } })).toBe('p2 c-call c d-call d');
    // Half of 720 are 360, which the bounds may cut or raise; the last two rounds have 370.
    const half = { share: { is: 0.5, of: 'tokens' } } as const;
    expect(tail({ ...half, atMost: '360' }, { move: 'forward' })).toBe('d-call d');
    expect(tail({ ...half, atMost: '60' }, { move: 'forward' })).toBe('d-call d');
    expect(tail({ ...half, atLeast: '370' }, { move: 'forward' })).toBe('c-call c d-call d');
    expect(tail({ ...half, atLeast: '9' }, { move: 'forward' })).toBe('d-call d');
  });

  it('is the rest after the oldest rounds went, where a share of the tokens stays', () => {
    const equal = [prompt('p', 100), ...round('a', 90), ...round('b', 90), ...round('c', 90)];
    // Rounds of 100 + 100 + 100 + 100: three quarters stay without the first, and a share of nothing keeps the latest.
    const rest = (is: number) => tail({ share: { is, of: 'tokens' } }, {}, equal);
    expect(rest(0.74)).toBe('b-call b c-call c');
    expect(rest(0.5)).toBe('b-call b c-call c');
    expect(rest(0.25)).toBe('c-call c');
    expect(rest(0)).toBe('c-call c');
    expect(rest(1)).toBe(idsOf(equal));
  });

  it('reaches back to the latest final answer', () => {
    expect(tail({ finalAnswers: true })).toBe('x p2 c-call c d-call d');
    expect(tail({ finalAnswers: true }, {}, [prompt('p'), ...round('a', 10)])).toBe('');
    expect(tail({ finalAnswers: true }, {}, [answer('x'), prompt('p')])).toBe('x p');
  });

  it('R20 is sent along with what is summarised where it is the first round of a turn', () => {
    const kept = (messages: readonly Message[]) => {
      const { older, along, tail: stays } = splitSinceBoundary(messages, 1, null);
      return [older, stays, along ?? []].map(idsOf);
    };
    const first = [prompt('p1'), answer('x'), prompt('p2'), ...round('c', 30)];
    expect(kept(first)).toEqual(['p1 x p2', 'c-call c', 'c-call c']);
    const later = [prompt('p1'), ...round('a', 30), ...round('b', 30), ...round('c', 30)];
    expect(kept(later)).toEqual(['p1 a-call a b-call b', 'c-call c', '']);
    // without its only round a prompt would be all that is summarised
    expect(kept([prompt('p1'), ...round('a', 30)])).toEqual(['p1 a-call a', '', '']);
  });

  it('FUL-11 is what stands behind a pivot, or in front of it; what a boundary ended is sent along', () => {
    const boundary = messageFrom('boundary', 'b', []);
    const talk = [prompt('p0'), answer('w'), boundary, ...TALK];
    const parts = (messagesBack: number, direction: 'from' | 'up_to') => {
      const partial = { messagesBack, direction };
      const { first, older, sent, tail: stays } = splitSinceBoundary(talk, 0, partial);
      return [first, older, sent, stays].map(idsOf);
    };
    const front = 'p1 a-call a b-call b x p2';
    const [old, whole] = ['p0 w', idsOf(talk)];
    // Three messages back stands the middle of a round, which goes whole.
    expect(parts(3, 'from')).toEqual([`${old} ${front}`, 'c-call c d-call d', whole, '']);
    expect(parts(4, 'from')).toEqual([`${old} ${front}`, 'c-call c d-call d', whole, '']);
    expect(parts(3, 'up_to')).toEqual(['', front, `${old} ${front}`, 'c-call c d-call d']);
    expect(parts(99, 'up_to')).toEqual(['', '', old, idsOf(TALK)]);
    const all = splitSinceBoundary(talk, 0, null);
    expect([all.older, all.sent].map(idsOf)).toEqual([idsOf(TALK), `${old} ${idsOf(TALK)}`]);
  });

  it('begins where the boundary says, forward or back', () => {
    const last = { last: { n: 3, unit: 'messages' as const } };
    expect(tail(last, { boundary: 'user-turn' })).toBe('p2 c-call c d-call d');
    expect(tail(last, { boundary: 'assistant' })).toBe('c-call c d-call d');
    expect(tail(last, { boundary: 'assistant', move: 'forward' })).toBe('d-call d');
    expect(tail(last)).toBe('c-call c d-call d');
    expect(tail(last, { move: 'forward' })).toBe('d-call d');
    // No prompt ahead: the last one before is taken.
    expect(tail(last, { boundary: 'user-turn', move: 'forward' })).toBe('p2 c-call c d-call d');
  });

  it('is never begun by an attachment or within a loop in which the model thinks', () => {
    const attached = messageFrom('attachment', 'n', [text(5)]);
    expect(tail({ last: { n: 1, unit: 'messages' } }, {}, [...TALK, attached])).toBe('d-call d n');
    const thought = messageFrom('model', 't', [
      createBlock({ kind: 'thinking', role: 'assistant', tokens: 5 }),
      ...round('c', 1)[0]!.blocks,
    ]);
    const loop = [prompt('p1'), answer('x'), prompt('p2'), thought, round('c', 5)[1]!, ...round('d', 5)];
    const keep = { last: { n: 1, unit: 'rounds' as const } };
    expect(tail(keep, { boundary: 'thinking-loop' }, loop)).toBe('t c d-call d');
    expect(tail(keep, { boundary: 'pair' }, loop)).toBe('d-call d');
    const done = [...loop, answer('y'), ...round('e', 5)];
    expect(tail(keep, { boundary: 'thinking-loop' }, done)).toBe('e-call e');
  });
});

describe('the rest of a conversation', () => {
  it('is what stays in front and what goes, in the order in which it was said', () => {
    const { first, older, sent, tail: kept } = split({ keep: { first: 3, last: { n: 1, unit: 'rounds' } } });
    expect([first, older, kept].map(idsOf)).toEqual(['p1 a-call a', 'b-call b x p2 c-call c', 'd-call d']);
    expect(idsOf(sent)).toBe('p1 a-call a b-call b x p2 c-call c');
    // The fourth message is a call, which goes with its result.
    expect(idsOf(split({ keep: { first: 4 } }).first)).toBe('p1 a-call a');
    expect(idsOf(split({ keep: { first: 99 } }, TALK.slice(0, 3)).first)).toBe('p1 a-call a');
  });

  it('the opening is what was said before the first response; a summary in it gives way to another', () => {
    const summary = messageFrom('summary', 's', [text(5)]);
    const boundary = messageFrom('boundary', 'b', []);
    const talk = [boundary, prompt('p0'), summary, ...TALK.slice(1)];
    const select = selectOf({ what: 'history', keep: { first: 'opening' } });
    expect(idsOf(splitHistory(talk, select, SIZES, 'asks').first)).toBe('p0');
    expect(idsOf(splitHistory(talk, select, SIZES, 'drops').first)).toBe('p0 s');
    expect(idsOf(splitHistory(talk, select, SIZES, 'asks').older)).toContain('s ');
  });

  it('the latest prompt is told where it goes, unless it stays with the words of the user', () => {
    const lastPrompt = (keep: Partial<SelectPart['keep']>) => split({ keep }).lastPrompt?.id ?? null;
    expect(lastPrompt({})).toBe('p2');
    expect(lastPrompt({ last: { n: 1, unit: 'turns' } })).toBe('p1');
    expect(lastPrompt({ user: { tokens: 10, head: 0 } })).toBeNull();
  });

  it('words of the user stay within a budget: the newest, cut where it ends, and the oldest up to the head', () => {
    const talk = ['a', 'b', 'c', 'd'].map((id) => prompt(id, 100));
    const kept = (tokens: number, head: number) =>
      split({ keep: { user: { tokens, head } } }, talk).user.map(
        (message) => `${message.id} ${messageTokens(message)}`,
      );
    expect(kept(200, 0)).toEqual(['c 100', 'd 100']);
    expect(kept(250, 0)).toEqual(['b 50', 'c 100', 'd 100']);
    expect(kept(250, 150)).toEqual(['a 100', 'b 50', 'd 100']);
    expect(kept(1_000, 150)).toEqual(['a 100', 'b 100', 'c 100', 'd 100']);
    expect(kept(100, 0)).toEqual(['d 100']);
    expect(kept(300, 250)).toEqual(['a 100', 'b 100', 'c 50', 'd 50']);
  });
});

describe('what is cut', () => {
  it('keeps its share of tokens and characters, and at least one token', () => {
    const block = text(100);
    expect(shorter(block, 100)).toBe(block);
    expect(shorter(block, 30)).toMatchObject({ tokens: 30, chars: 120, facts: { replaces: 'cut' } });
    const message = messageFrom('human', 'm', [text(100), text(300), text(1)]);
    expect(cutTo(message, 401)).toBe(message);
    // 200 of 401: shares of 49.9 and 149.6, and one that would be nothing.
    expect(cutTo(message, 200).blocks.map(({ tokens }) => tokens)).toEqual([49, 149, 1]);
  });
});

describe('a conversation that is too long for its summary', () => {
  const order = { whole: TALK, gapTokens: null, now: 0 };

  it('is shortened step by step, each as often as it says', () => {
    const drop = { kind: 'drop-oldest', share: 0.5, times: 3 } as const;
    const chars = { kind: 'chars', chars: 10 } as const;
    expect([...shrinkSteps([drop, chars])]).toEqual([drop, drop, drop, chars]);
    expect([...shrinkSteps([{ ...drop, times: Number.POSITIVE_INFINITY }])]).toHaveLength(10_000);
  });

  it('to messages no longer than a share of the longest', () => {
    const capped = shrunk(TALK, { kind: 'cap-messages', share: 0.5 }, order)!;
    // The longest has 300.
    expect(capped.map(messageTokens)).toEqual([10, 10, 100, 10, 150, 10, 10, 10, 150, 10, 50]);
  });
});
