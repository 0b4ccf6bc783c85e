import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BlockKind } from '../../../src/core/model/block.js';
import { breakdown, percentages } from '../../../src/core/tokens/breakdown.js';
import { forAll } from '../../helpers/for-all.js';
import { assistant, call, result, text, user } from './build.js';

const conversation = [
  user([text(4, { tokens: 10 })]),
  user([text(8, { tokens: 20, facts: { localCommand: true } })]),
  assistant([
    text(12, { role: 'assistant', tokens: 30 }),
    text(4, { role: 'assistant', kind: 'thinking', tokens: 5 }),
    call('t1', 'Read', {}, { tokens: 6, facts: { path: 'a.ts' } }),
    call('t2', 'Bash', {}, { tokens: 7 }),
    call('t3', 'Read', {}, { tokens: 8, facts: { path: 'a.ts' } }),
  ]),
  user(
    [
      result('t1', 'Read', 400, { tokens: 101 }),
      result('t2', null, 40, { tokens: 40 }),
      result('t3', 'Read', 400, { tokens: 110, facts: { path: 'a.ts' } }),
      result('gone', null, 4, { tokens: 3 }),
    ],
    { origin: 'tool' },
  ),
  user([text(4, { kind: 'image', tokens: 60 })]),
];

describe('breakdown', () => {
  it('TOK-7 puts every token in its place', () => {
    expect(breakdown(conversation, 'true')).toMatchObject({
      human: 10,
      localCommandOutput: 20,
      assistant: 30,
      other: 65,
      toolRequests: [
        { tool: 'Read', tokens: 14, count: 2 },
        { tool: 'Bash', tokens: 7, count: 1 },
      ],
      toolResults: [
        { tool: 'Read', tokens: 211, count: 2 },
        { tool: 'Bash', tokens: 40, count: 1 },
        { tool: 'unknown', tokens: 3, count: 1 },
      ],
      attachments: [],
      total: 400,
    });
  });

  it('TOK-7 adds up rough estimates when asked to', () => {
    const rough = breakdown(conversation, 'rough');
    expect(rough).toMatchObject({ human: 1, localCommandOutput: 2, assistant: 3, other: 1 + 2_000 });
    expect(rough.toolResults[0]).toEqual({ tool: 'Read', tokens: 200, count: 2 });
  });

  it('TOK-7 counts attachments by type, one of several blocks once', () => {
    const todo = text(4, { facts: { attachment: 'todo' } });
    const file = text(4, { facts: { attachment: 'file' } });
    const messages = [
      user([todo, todo], { origin: 'attachment' }),
      user([file], { origin: 'attachment' }),
      user([text(4), file, file]),
    ];
    expect(breakdown(messages, 'true').attachments).toEqual([
      { type: 'file', count: 3 },
      { type: 'todo', count: 1 },
    ]);
  });

  it('TOK-7 orders equal tools by name, whatever order they came in', () => {
    const bash = call('t1', 'Bash', {}, { tokens: 5 });
    const grep = call('t2', 'Grep', {}, { tokens: 5 });
    const names = (blocks: readonly (typeof bash)[]) =>
      breakdown([assistant(blocks)], 'true').toolRequests.map(({ tool }) => tool);
    expect(names([grep, bash])).toEqual(['Bash', 'Grep']);
    expect(names([bash, grep])).toEqual(['Bash', 'Grep']);
  });

  it('TOK-7 loses nothing: the parts add up to the total', () => {
    const kinds: readonly BlockKind[] = ['text', 'thinking', 'tool_use', 'tool_result', 'image', 'other'];
    const block = fc.record({
      kind: fc.constantFrom(...kinds),
      tokens: fc.nat(1_000),
      tool: fc.constantFrom('Read', 'Bash', null),
    });
    forAll(fc.array(fc.tuple(fc.boolean(), fc.array(block, { maxLength: 4 }))), (list) => {
      const messages = list.map(([isUser, blocks]) =>
        (isUser ? user : assistant)(blocks.map((init) => text(1, { ...init, digest: 1 }))),
      );
      const parts = breakdown(messages, 'true');
      const tools = [...parts.toolRequests, ...parts.toolResults].reduce(
        (sum, { tokens }) => sum + tokens,
        0,
      );
      expect(parts.human + parts.assistant + parts.localCommandOutput + parts.other + tools).toBe(
        parts.total,
      );
    });
  });
});

describe('duplicate reads', () => {
  it('TOK-8 wastes floor(total / count) × (count − 1) per path', () => {
    const parts = breakdown(conversation, 'true');
    expect(parts.duplicateReads).toEqual([{ path: 'a.ts', count: 2, tokens: 211, waste: 105 }]);
    expect(parts.duplicateReadTokens).toBe(105);
    expect(parts.duplicateReadShare).toBe(105 / 400);
  });

  it('TOK-8 looks at reads alone, and only at paths read more than once', () => {
    const at = (path: string) => ({ tokens: 10, facts: { path } });
    const messages = [
      user([
        result('1', 'Read', 4, at('once.ts')),
        result('2', 'Edit', 4, at('edited.ts')),
        result('3', 'Edit', 4, at('edited.ts')),
        result('4', 'Read', 4, { tokens: 10 }),
        result('5', 'Read', 4, { tokens: 10 }),
        result('6', 'Read', 4, at('b.ts')),
        result('7', 'Read', 4, at('b.ts')),
        result('8', 'Read', 4, at('c.ts')),
        result('9', 'Read', 4, at('c.ts')),
        result('10', 'Read', 4, at('c.ts')),
      ]),
    ];
    expect(breakdown(messages, 'true').duplicateReads).toEqual([
      { path: 'c.ts', count: 3, tokens: 30, waste: 20 },
      { path: 'b.ts', count: 2, tokens: 20, waste: 10 },
    ]);
  });
});

describe('percentages', () => {
  it('TOK-9 rounds each part of the total', () => {
    expect(percentages(breakdown(conversation, 'true'))).toEqual({
      human: 3,
      assistant: 8,
      localCommandOutput: 5,
      other: 16,
      toolRequests: 5,
      toolResults: 64,
      duplicateReads: 26,
      requestsByTool: [
        { tool: 'Read', percent: 4 },
        { tool: 'Bash', percent: 2 },
      ],
      resultsByTool: [
        { tool: 'Read', percent: 53 },
        { tool: 'Bash', percent: 10 },
        { tool: 'unknown', percent: 1 },
      ],
    });
  });

  it('TOK-9 divides nothing by zero', () => {
    const empty = breakdown([], 'true');
    expect(empty.total).toBe(0);
    expect(empty.duplicateReadShare).toBeNull();
    expect(percentages(empty)).toBeNull();
    expect(percentages(breakdown([user([text(40)])], 'true'))).toBeNull();
  });
});
