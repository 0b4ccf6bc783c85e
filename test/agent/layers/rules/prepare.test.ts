import { describe, expect, it } from 'vitest';
import { prepareForSummary } from '../../../../src/agent/layers/rules/prepare.js';
import {
  dropHead,
  dropTail,
  groupByRound,
  sinceBoundary,
} from '../../../../src/agent/layers/rules/split-history.js';
import { type Block, type BlockFacts, createBlock } from '../../../../src/core/model/block.js';
import { createMessage, type Message, messageTokens } from '../../../../src/core/model/message.js';
import { messageFrom } from '../../../helpers/blocks.js';
import { resultBlock } from '../../../helpers/drive/drive-layer.js';

const block = (kind: Block['kind'], tokens: number, facts: BlockFacts = {}): Block =>
  createBlock({ kind, role: 'user', tokens, chars: 4 * tokens, facts });
const said = (id: string, blocks: readonly Block[], origin: Message['origin'] = 'human'): Message =>
  createMessage({ id, role: 'user', origin, blocks, at: 0 });
const response = (id: string, tokens = 100, responseId: string | null = null): Message =>
  messageFrom('model', id, [createBlock({ kind: 'text', role: 'assistant', tokens, chars: 4 * tokens })], {
    responseId,
  });
const ids = (messages: readonly Message[] | null): string | null =>
  messages?.map(({ id, origin }) => (origin === 'marker' ? '*' : id)).join('') ?? null;

describe('FUL-1 what is summarised', () => {
  it('begins behind the last boundary', () => {
    const at = (id: string) => said(id, [], 'boundary');
    expect(ids(sinceBoundary([at('x'), response('a'), at('y'), response('b')]))).toBe('b');
    expect(ids(sinceBoundary([response('a')]))).toBe('a');
    expect(ids(sinceBoundary([response('a'), at('y')]))).toBe('');
  });

  it('C52 has no skills that are found again, but files, todo reminders and all other attachments', () => {
    const attached = (id: string, ...kinds: readonly (string | undefined)[]) =>
      said(
        id,
        kinds.map((kind) => block('text', 9, kind === undefined ? {} : { attachment: kind })),
        'attachment',
      );
    const talk = [
      attached('a', 'skill_discovery'),
      attached('b', 'skill_discovery', 'skill_listing'),
      attached('c', 'skill_discovery', 'other'),
      attached('d', undefined),
      said('e', [block('text', 9, { attachment: 'skill_discovery' })]),
    ];
    expect(ids(prepareForSummary(talk))).toBe('cde');
    for (const kind of ['file', 'skill', 'standing', 'compact_file_reference', 'plan_mode', 'todo_reminder'])
      expect(ids(prepareForSummary([attached('a', kind)]))).toBe('a');
    // Nothing to change: the very same messages.
    const same = talk.slice(2);
    expect(prepareForSummary(same)).toBe(same);
  });

  it('has a line of five tokens for each image or document, 1,500 tokens less in a result', () => {
    const [plain, ...prepared] = prepareForSummary([
      said('p', [block('text', 9)]),
      said('i', [block('text', 9), block('image', 1_500), block('document', 700)]),
      said('r', [resultBlock('r', { tokens: 3_200, facts: { images: 2, path: '/a' } })], 'tool'),
      said('s', [resultBlock('s', { text: 'words', tokens: 900, facts: { documents: 1 } })], 'tool'),
    ]);
    expect(messageTokens(plain!)).toBe(9);
    expect(prepared[0]!.blocks.map(({ kind, tokens }) => `${kind} ${tokens}`)).toEqual([
      'text 9',
      'text 5',
      'text 5',
    ]);
    expect(prepared[0]!.blocks[2]!.text!.read()).toBe('[document]');
    expect(prepared[1]!.blocks[0]).toMatchObject({
      kind: 'tool_result',
      toolUseId: 'r',
      tokens: 200 + 10,
      facts: { images: 0, documents: 0, path: '/a', replaces: 'image' },
    });
    expect(prepared[2]!.blocks[0]!.tokens).toBe(5);
    expect(prepared[2]!.blocks[0]!.text!.read()).toBe('words[image]');
  });
});

describe('FUL-6 rounds that are dropped', () => {
  const TALK = [said('p', [block('text', 100)]), response('a'), response('b'), response('c'), response('d')];

  it('are responses with what follows; messages of one response belong together', () => {
    const talk = [said('p', []), response('a', 1, 'r'), response('b', 1, 'r'), said('q', []), response('c')];
    expect(groupByRound(talk).map(ids)).toEqual(['p', 'abq', 'c']);
    expect(groupByRound([response('a'), response('b')]).map(ids)).toEqual(['a', 'b']);
    expect(groupByRound([])).toEqual([]);
  });

  it('from the head: a share of the groups, or as many as cover what is too much, one at least', () => {
    const head = (share: number, gapTokens: number | null = null) =>
      ids(dropHead(TALK, { gapTokens, share }, 0));
    expect(head(0.2)).toBe('*abcd');
    expect(head(0.59)).toBe('*bcd');
    expect(head(0)).toBe('*abcd');
    expect(head(1)).toBeNull();
    expect([100, 101, 1, 0].map((gap) => head(0, gap))).toEqual(['*abcd', '*bcd', '*abcd', '*abcd']);
    expect(head(0, 9_999)).toBeNull();
  });

  it('from the head: always less than before, its marker of 18 tokens included', () => {
    const small = [said('p', [block('text', 18)]), response('a'), response('b')];
    expect(ids(dropHead(small, { gapTokens: null, share: 0.1 }, 0))).toBe('*b');
    const larger = [said('p', [block('text', 19)]), response('a'), response('b')];
    expect(ids(dropHead(larger, { gapTokens: null, share: 0.1 }, 0))).toBe('*ab');
    // The marker of an earlier retry goes first.
    const again = dropHead(TALK, { gapTokens: null, share: 0.2 }, 0)!;
    expect(ids(dropHead(again, { gapTokens: null, share: 0.25 }, 0))).toBe('*bcd');
  });

  it('from the tail: down to a few messages, which are whole rounds', () => {
    const tail = (gapTokens: number, minMessages: number) =>
      ids(dropTail(TALK, { gapTokens, share: 0 }, minMessages));
    expect([tail(100, 1), tail(101, 1), tail(9_999, 1)]).toEqual(['pabcd'.slice(0, 4), 'pab', 'p']);
    expect([tail(9_999, 3), tail(9_999, 5), tail(100, 4)]).toEqual(['pab', null, 'pabc']);
    const pairs = [said('p', []), response('a'), said('q', []), response('b'), said('r', [])];
    expect(ids(dropTail(pairs, { gapTokens: 9_999, share: 0 }, 2))).toBe('paq');
  });
});
