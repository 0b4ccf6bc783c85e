import { describe, expect, it } from 'vitest';
import { createBlock } from '../../../src/core/model/block.js';
import { Context } from '../../../src/engine/context/context.js';
import { CountedThread } from '../../../src/engine/context/thread-view.js';
import { resolveModel } from '../../../src/provider/prices/models.js';

const prefix = (tools: number, system: number) => [
  createBlock({ kind: 'tools', role: 'tools', tokens: tools, chars: 4 * tools }),
  createBlock({ kind: 'system', role: 'system', tokens: system, chars: 4 * system }),
  createBlock({ kind: 'system', role: 'system', tokens: 1, chars: 4 }),
];

describe('what a counter asks of its thread', () => {
  it('tools and system are counted where they are to be, again when they are others', () => {
    const context = new Context(prefix(100, 10));
    const counted = new CountedThread(
      context,
      { row: resolveModel('claude-sonnet-4-5') },
      { dropsThinking: true },
    );
    const all = () => [
      counted.prefixRough([]),
      counted.prefixRough(['tools']),
      counted.prefixRough(['system']),
      counted.prefixRough(['system', 'tools']),
    ];
    expect(all()).toEqual([0, 100, 11, 111]);
    expect(counted.trueTokens).toBe(111);
    context.replacePrefix(prefix(200, 20));
    expect(all()).toEqual([0, 200, 21, 221]);
  });

  it('K5 reasoning of earlier turns is dropped where both the model and the client drop it', () => {
    const drops = (model: string, dropsThinking: boolean) =>
      new CountedThread(new Context([]), { row: resolveModel(model) }, { dropsThinking }).dropsReasoning;
    // Sonnet 4.5 keeps one turn's, Opus 4.5 all of it.
    expect([drops('claude-sonnet-4-5', true), drops('claude-sonnet-4-5', false)]).toEqual([true, false]);
    expect([drops('claude-opus-4-5', true), drops('claude-opus-4-5', false)]).toEqual([false, false]);
  });
});
