import { describe, expect, it } from 'vitest';
import { workState } from '../../../../src/agent/layers/restore/work-state.js';
import { layOut } from '../../../../src/agent/layers/rules/new-history.js';
import type { Split } from '../../../../src/agent/layers/rules/split-history.js';
import { resolvePolicy } from '../../../../src/agent/policies/plan-policy.js';
import { createBlock } from '../../../../src/core/model/block.js';
import { createMessage, type Message, messageTokens } from '../../../../src/core/model/message.js';
import type { LayoutPart, RulePart, SelectPart } from '../../../../src/core/run/policy-rules.js';
import { layerContext, moment, notesAnswer } from '../../../helpers/drive/drive-session-memory.js';
import { answer, idsOf, prompt, round, selectOf, text } from './talk.js';

const image = (id: string, role: Message['role'] = 'user'): Message =>
  createMessage({
    id,
    role,
    origin: role === 'user' ? 'human' : 'model',
    blocks: [text(1, role), createBlock({ kind: 'image', role, tokens: 7, chars: 7, text: id })],
    at: 0,
  });

const SPLIT = {
  first: [prompt('first', 11)],
  older: [image('i1'), image('i2'), image('model', 'assistant'), image('i3')],
  tail: [answer('tail', 13)],
  user: [prompt('u1', 3), prompt('u2', 5)],
  lastPrompt: prompt('last', 17),
} as unknown as Split;

function laid(
  layout: readonly LayoutPart[],
  {
    keep = {},
    split = SPLIT,
    answered = true,
    reads = 0,
  }: {
    readonly keep?: Partial<SelectPart['keep']>;
    readonly split?: Split;
    readonly answered?: boolean;
    readonly reads?: number;
  } = {},
) {
  const context = layerContext(resolvePolicy('claude-code/2026', { 'restore.enabled': false }));
  for (let i = 0; i < reads; i++)
    for (const message of round(`r${i}`, 1_000, { facts: { path: `/${i}` } }))
      workState(context).observe(message);
  const rule = { layout, select: selectOf({ what: 'history', keep }) } as unknown as RulePart;
  const said = notesAnswer('s'.repeat(400), 0, { tokens: 100 });
  if (said.kind !== 'answer') throw new Error(said.kind);
  return layOut(
    {
      id: 'n',
      rule,
      split,
      answer: answered ? said.answer : null,
      trigger: 'auto',
      style: 'full',
      hooks: [],
    },
    moment(5),
    context,
  );
}
const summary = (role: 'user' | 'assistant', frame: 'none' | 'standard'): LayoutPart => ({
  kind: 'summary',
  role,
  frame,
});

describe('a new history', () => {
  it('has its pieces in the order of the rule, and their sum', () => {
    const { messages, tokens } = laid([
      { kind: 'boundary' },
      { kind: 'last-prompt' },
      { kind: 'tail' },
      { kind: 'user-messages' },
      { kind: 'first' },
    ]);
    expect(idsOf(messages)).toBe('n-boundary last tail u1 u2 first');
    expect(messages[0]).toMatchObject({ origin: 'boundary', blocks: [], at: 5 });
    expect(tokens).toBe(17 + 13 + 3 + 5 + 11);
    expect(idsOf(laid([{ kind: 'last-prompt' }], { split: { ...SPLIT, lastPrompt: null } }).messages)).toBe(
      '',
    );
  });

  it('has the summary in its frame or without one, in the role that the rule gives it', () => {
    const plain = laid([summary('assistant', 'none')]);
    expect(plain.summary).toBe(plain.messages[0]);
    expect(plain.summary).toMatchObject({ id: 'n-summary', role: 'assistant', origin: 'summary' });
    expect(plain.tokens).toBe(100);
    const framed = laid([{ kind: 'first' }, summary('user', 'standard')]);
    expect(framed.summary).toBe(framed.messages[1]);
    expect(messageTokens(framed.summary!)).toBeGreaterThan(100);
    const none = laid([summary('user', 'none')], { answered: false });
    expect([none.messages, none.summary]).toEqual([[], null]);
    expect(laid([{ kind: 'first' }]).summary).toBeNull();
  });

  it('has the newest images that the user showed, in one message', () => {
    const shown = (n: number, split = SPLIT) => laid([{ kind: 'images', n }], { split }).messages;
    expect(shown(2).map(({ blocks }) => blocks.map(({ text }) => text!.read()))).toEqual([['i2', 'i3']]);
    expect(shown(9)[0]!.blocks).toHaveLength(3);
    expect(shown(2, { ...SPLIT, older: [prompt('p')] })).toEqual([]);
  });

  it('has messages of a fixed size, and none of nothing', () => {
    const { messages } = laid([
      { kind: 'env', tokens: 30 },
      { kind: 'ack', tokens: 5 },
      { kind: 'trailer', tokens: 7 },
      { kind: 'trailer', tokens: 0 },
    ]);
    expect(
      messages.map((message) => [message.id, message.role, message.origin, messageTokens(message)]),
    ).toEqual([
      ['n-env', 'user', 'meta', 30],
      ['n-ack', 'assistant', 'model', 5],
      ['n-trailer', 'user', 'meta', 7],
    ]);
  });

  it('has this many of the latest files, each and together within their tokens', () => {
    const sizes = (recentFiles: SelectPart['keep']['recentFiles'], reads = 3) =>
      laid([{ kind: 'files' }], { keep: { recentFiles }, reads }).messages.map(messageTokens);
    const MANY = 1e9;
    expect(sizes({ n: 2, each: MANY, total: MANY })).toEqual([1_000, 1_000]);
    expect(sizes({ n: 2, each: 400, total: MANY })).toEqual([400, 400]);
    expect(sizes({ n: 3, each: MANY, total: 2_500 })).toEqual([1_000, 1_000]);
    expect(sizes(null)).toEqual([]);
    const { restored } = laid([{ kind: 'files' }], {
      keep: { recentFiles: { n: 1, each: MANY, total: MANY } },
      reads: 3,
    });
    expect(restored).toMatchObject({ files: 1, tokens: 1_000 });
    expect(laid([{ kind: 'tail' }], { reads: 3 }).restored).toBeNull();
    // Todo lists are a piece of their own.
    expect(
      laid([{ kind: 'todos' }], { keep: { recentFiles: { n: 1, each: MANY, total: MANY } }, reads: 3 })
        .messages,
    ).toEqual([]);
  });
});
