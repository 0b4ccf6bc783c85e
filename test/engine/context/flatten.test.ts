import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import { contextMessage } from '../../../src/engine/actions/context-message.js';
import { Context } from '../../../src/engine/context/context.js';
import { orderMessages, type Repairs } from '../../../src/engine/context/repairs.js';
import { normaliseInput } from '../../../src/transcripts/readers/claude-code/lines/part-text.js';
import { callOf, resultOf } from '../../helpers/blocks.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

const text = (value: string, role: 'user' | 'assistant' = 'user') =>
  createBlock({ kind: 'text', role, tokens: 5, text: value });
const use = (id: string) => callOf(id, 5, { text: 'Read{}', tool: 'Read' });
const result = (id: string) => resultOf(id, 5, { text: `of ${id}`, tool: 'Read' });
const message = (
  id: string,
  role: 'user' | 'assistant',
  blocks: Message['blocks'],
  rest: Partial<Message> = {},
) => createMessage({ id, role, origin: role === 'user' ? 'human' : 'model', blocks, at: 0, ...rest });

/** A message as the API takes it. */
interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Block[];
}

/** Flattens a conversation to API messages (FLT-1…4): alternating roles, user first, every call answered. */
function flatten(messages: readonly Message[]): {
  readonly messages: readonly ApiMessage[];
  readonly repairs: Repairs;
} {
  const context = new Context([]);
  context.extend(withoutTrailingThinking(orderMessages(messages)));
  context.seal(messages.at(-1)?.at ?? 0);
  return { messages: groupByRole(context.blocks), repairs: context.repairs };
}

/** Joins neighbouring blocks of one role into API messages; prefix blocks are left out. */
function groupByRole(blocks: readonly Block[]): readonly ApiMessage[] {
  const groups: { role: 'user' | 'assistant'; blocks: Block[] }[] = [];
  for (const block of blocks) {
    if (block.role !== 'user' && block.role !== 'assistant') continue;
    const last = groups.at(-1);
    if (last?.role === block.role) last.blocks.push(block);
    else groups.push({ role: block.role, blocks: [block] });
  }
  return groups;
}

/** Drops a trailing message that holds thinking alone (FLT-3). */
function withoutTrailingThinking(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const thinkingAlone =
    last?.role === 'assistant' &&
    last.blocks.length > 0 &&
    last.blocks.every((block) => block.kind === 'thinking');
  return thinkingAlone ? messages.slice(0, -1) : messages;
}

describe('flattening', () => {
  it('FLT-1 moves an attachment behind the message it belongs to and sends nothing of a boundary', () => {
    const flat = flatten([
      message('b', 'user', [], { origin: 'boundary' }),
      message('u1', 'user', [text('first')]),
      message('u2', 'user', [text('second')]),
      message('att', 'user', [text('reminder')], { origin: 'attachment', attachedTo: 'u1' }),
    ]);
    expect(flat.messages.map((m) => m.blocks.map((b) => b.text?.read()))).toEqual([
      ['first', 'reminder', 'second'],
    ]);
  });

  it('FLT-2 merges neighbours of one role, and parts of one response across tool results', () => {
    const flat = flatten([
      message('u1', 'user', [text('go')]),
      message('a1', 'assistant', [use('t1')], { responseId: 'r1' }),
      message('x1', 'user', [result('t1')], { origin: 'tool' }),
      message('a2', 'assistant', [use('t2')], { responseId: 'r1' }),
      message('x2', 'user', [result('t2')], { origin: 'tool' }),
    ]);
    expect(flat.messages.map((m) => `${m.role} ${m.blocks.length}`)).toEqual([
      'user 1',
      'assistant 2',
      'user 2',
    ]);
    expect(flat.repairs).toEqual({ orphanResults: 0, missingResults: 0, leadingMarkers: 0 });
  });

  it('FLT-3 drops a trailing message that holds thinking alone', () => {
    const thinking = createBlock({ kind: 'thinking', role: 'assistant', tokens: 9, text: 'hm' });
    const flat = flatten([message('u1', 'user', [text('go')]), message('a1', 'assistant', [thinking])]);
    expect(flat.messages).toHaveLength(1);
  });

  it('FLT-3 brings the input of a known tool into the order of its schema and leaves others alone', () => {
    expect(JSON.stringify(normaliseInput('Read', { limit: 5, extra: 1, file_path: 'a' }))).toBe(
      '{"file_path":"a","limit":5,"extra":1}',
    );
    expect(normaliseInput('mcp__x__y', { b: 1, a: 2 })).toEqual({ b: 1, a: 2 });
  });

  it('FLT-4 removes a result without a call, answers a call without a result, and counts both', () => {
    const flat = flatten([
      message('u1', 'user', [text('go'), result('nobody')]),
      message('a1', 'assistant', [use('t1'), use('t2')]),
      message('x1', 'user', [result('t2')]),
      message('a2', 'assistant', [text('done', 'assistant')]),
    ]);
    expect(flat.repairs).toEqual({ orphanResults: 1, missingResults: 1, leadingMarkers: 0 });
    expect(flat.messages.map((m) => m.blocks.map((b) => `${b.kind} ${b.toolUseId ?? ''}`.trim()))).toEqual([
      ['text'],
      ['tool_use t1', 'tool_use t2'],
      ['tool_result t2', 'tool_result t1'],
      ['text'],
    ]);
  });

  it('FLT-4 puts a user message in front of a conversation that begins with the assistant', () => {
    const flat = flatten([message('a1', 'assistant', [text('hello', 'assistant')])]);
    expect(flat.messages.map((m) => m.role)).toEqual(['user', 'assistant']);
    expect(flat.repairs.leadingMarkers).toBe(1);
  });

  it('FLT-5 puts the context map first, within its limit, and nothing when the map is empty', () => {
    const map = contextMessage(
      {
        'context.memoryFiles': { '/a.md': 30_000, '/b.md': 15_000, '/c.md': 9_000 },
        'context.memoryTokens': 40_000,
      },
      0,
    );
    expect(map?.blocks.map((b) => [b.facts.path, b.tokens])).toEqual([
      ['/a.md', 30_000],
      ['/c.md', 9_000],
    ]);
    const flat = flatten([message('u1', 'user', [text('go')]), map!]);
    expect(flat.messages[0]?.blocks.map((b) => b.facts.path ?? 'prompt')).toEqual([
      '/a.md',
      '/c.md',
      'prompt',
    ]);
    expect(contextMessage({ 'context.memoryFiles': {}, 'context.memoryTokens': 40_000 }, 0)).toBeNull();
  });

  it('INV-1 any list of messages flattens to alternating roles that start with the user and pair every call', () => {
    const ids = fc.constantFrom('t1', 't2', 't3', 't4');
    const block = fc.oneof(
      fc.string({ maxLength: 5 }).map((s) => ({ kind: 'text' as const, s })),
      ids.map((id) => ({ kind: 'use' as const, id })),
      ids.map((id) => ({ kind: 'result' as const, id })),
    );
    const raw = fc.array(
      fc.record({
        role: fc.constantFrom('user' as const, 'assistant' as const),
        blocks: fc.array(block, { maxLength: 4 }),
        response: fc.constantFrom('r1', 'r2', null),
      }),
      { maxLength: 12 },
    );
    forAll({ numRuns: propertyRuns(500) }, raw, (list) => {
      const seen = new Set<string>();
      const messages = list.map((item, i) =>
        message(
          `m${i}`,
          item.role,
          item.blocks.flatMap((b) => {
            if (b.kind === 'text') return [text(b.s, item.role)];
            if (b.kind === 'use') {
              if (item.role !== 'assistant' || seen.has(b.id)) return [];
              seen.add(b.id);
              return [use(b.id)];
            }
            return item.role === 'user' ? [result(b.id)] : [];
          }),
          { responseId: item.role === 'assistant' ? item.response : null },
        ),
      );
      const flat = flatten(messages).messages;
      flat.forEach((m, i) => {
        expect(m.role).toBe(i % 2 === 0 ? 'user' : 'assistant');
        const results = new Set(
          flat[i + 1]?.blocks.filter((b) => b.kind === 'tool_result').map((b) => b.toolUseId),
        );
        for (const b of m.blocks) {
          if (b.kind === 'tool_use') expect(results.has(b.toolUseId)).toBe(true);
          if (b.kind === 'tool_result')
            expect(
              flat[i - 1]?.blocks.some((u) => u.kind === 'tool_use' && u.toolUseId === b.toolUseId),
            ).toBe(true);
        }
      });
    });
  });
});

describe('context', () => {
  it('keeps digests and sums of an edited context equal to those of one built afresh', () => {
    forAll(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 20 }),
      fc.nat(),
      (sizes, pick) => {
        const messages = sizes.map((tokens, i) =>
          message(`m${i}`, i % 2 === 0 ? 'user' : 'assistant', [
            createBlock({ kind: 'text', role: i % 2 === 0 ? 'user' : 'assistant', tokens, text: `${i}` }),
          ]),
        );
        const index = pick % messages.length;
        const changed = createBlock({
          kind: 'text',
          role: messages[index]!.role,
          tokens: 7,
          text: 'changed',
        });
        const edited = new Context([]);
        edited.extend(messages);
        edited.rewrite([{ messageId: `m${index}`, blockIndex: 0, block: changed }]);
        const fresh = new Context([]);
        fresh.extend(messages.map((m, i) => (i === index ? { ...m, blocks: [changed] } : m)));
        expect([...edited.digests.slice(0, edited.length)]).toEqual([
          ...fresh.digests.slice(0, fresh.length),
        ]);
        expect([...edited.sums.slice(0, edited.length)]).toEqual([...fresh.sums.slice(0, fresh.length)]);
      },
    );
  });
});
