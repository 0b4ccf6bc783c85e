import { describe, expect, it } from 'vitest';
import { apiNativeMicrocompactLayer } from '../../../../src/agent/layers/microcompact/api-native.js';
import { MS_PER_MINUTE } from '../../../../src/core/base/clock.js';
import { createBlock } from '../../../../src/core/model/block.js';
import type { ParamValue } from '../../../../src/core/run/params.js';
import { callBlock, LayerDriver } from '../../../helpers/drive/drive-layer.js';

function session(
  results: number,
  tokens: number,
  set: Record<string, ParamValue> = {},
  tool = 'Read',
  callTokens = 30,
): LayerDriver {
  const driver = new LayerDriver([apiNativeMicrocompactLayer], set);
  for (let i = 1; i <= results; i++) driver.exchange(`t${i}`, { tokens, tool, callTokens });
  return driver;
}

describe('clear_tool_uses', () => {
  it('MIC-4 clears above 180,000 true tokens, keeping the latest results up to 40,000', () => {
    const driver = session(19, 10_000);
    expect(driver.trueTokens).toBeGreaterThan(180_000);
    driver.ask();
    expect(driver.cleared()).toHaveLength(15);
    expect(driver.result('t16').tokens).toBe(10_000);
  });

  it('MIC-4 goes by true tokens: exactly 180,000 are not too many', () => {
    const driver = session(18, 10_000, { 'microcompact.apiNative.clearAtLeast': 0 });
    driver.extraTrue = 180_000 - driver.trueTokens;
    driver.extraSeen = 500_000;
    expect(driver.ask()).toEqual([]);
    driver.extraTrue += 1;
    expect(driver.ask()).not.toEqual([]);
  });

  it('MIC-4 is not applied unless it clears at least 140,000', () => {
    // Beyond the 40,000 that stay there are 14 results of 10,000, each leaving a placeholder of 12.
    const driver = session(18, 10_000);
    driver.extraTrue = 100_000;
    expect(driver.ask()).toEqual([]);
    driver.exchange('t19', { tokens: 10_000 });
    driver.ask();
    expect(driver.reports[0]!.saved).toBe(15 * (10_000 - 12));
  });

  it('MIC-4 keeps what it cleared and clears further only when that is worth it again', () => {
    const driver = session(19, 10_000);
    driver.ask();
    for (let i = 20; i <= 33; i++) {
      driver.exchange(`t${i}`, { tokens: 10_000 });
      expect(driver.ask()).toEqual([]);
    }
    expect(driver.cleared()).toHaveLength(15);
    driver.exchange('t34', { tokens: 10_000 });
    driver.ask();
    expect(driver.cleared()).toHaveLength(30);
  });

  it('MIC-4 without a least amount clears again with every result that leaves the budget', () => {
    const driver = session(19, 10_000, { 'microcompact.apiNative.clearAtLeast': 0 });
    driver.ask();
    driver.exchange('t20', { tokens: 10_000 });
    driver.ask();
    expect(driver.cleared()).toHaveLength(16);
  });

  it('MIC-4 empties the calls of Edit and Write too, of other tools the result alone', () => {
    const edits = session(22, 5_000, {}, 'Edit', 6_000);
    edits.ask();
    const call = edits.messages[0]!.blocks[0]!;
    expect(call).toMatchObject({ kind: 'tool_use', toolUseId: 't1', tool: 'Edit' });
    expect(call.tokens).toBeLessThan(50);
    // Three calls of 11,000 tokens with their results stay within the 40,000.
    expect(edits.cleared()).toHaveLength(19);
    expect(edits.messages[36]!.blocks[0]!.tokens).toBeLessThan(50);
    expect(edits.messages[38]!.blocks[0]!.tokens).toBe(6_000);
    const reads = session(19, 10_000, {}, 'Read', 600);
    reads.ask();
    expect(reads.messages[0]!.blocks[0]!.tokens).toBe(600);
  });

  it('MIC-4 C43 the budget of writers is filled with the whole call: 40 writes of 4,500 tokens are the first that clear', () => {
    // A write is 4,500 and its result 30: eight stay within 40,000. Each cleared one saves 4,480 and 18: 32 of them are 143,936.
    const driver = session(39, 30, {}, 'Write', 4_500);
    driver.extraTrue = 30_000;
    expect(driver.trueTokens).toBeGreaterThan(180_000);
    expect(driver.ask()).toEqual([]);
    driver.exchange('t40', { tokens: 30, tool: 'Write', callTokens: 4_500 });
    expect(driver.trueTokens).toBe(30_000 + 40 * 4_530);
    driver.ask();
    expect(driver.reports).toMatchObject([{ trigger: 'server', saved: 32 * (4_480 + 18) }]);
  });

  it('MIC-4 takes the number of tool uses to keep and excluded tools as the API does', () => {
    const driver = session(19, 10_000, {
      'microcompact.apiNative.keepToolUses': 3,
      'microcompact.apiNative.excludeTools': ['Bash'],
    });
    driver.exchange('bash', { tool: 'Bash', tokens: 10_000 });
    driver.ask();
    expect(driver.cleared()).toEqual(Array.from({ length: 16 }, (_, i) => `t${i + 1}`));
  });

  it('MIC-4 keeps the latest result even when it is larger than the budget', () => {
    const driver = session(15, 10_000);
    driver.exchange('huge', { tokens: 60_000 });
    driver.ask();
    expect(driver.cleared()).toHaveLength(15);
    expect(driver.result('huge').tokens).toBe(60_000);
  });
});

describe('clear_thinking', () => {
  const thinking = (tokens: number) =>
    createBlock({ kind: 'thinking', role: 'assistant', tokens, text: 'hm' });

  function thoughtful(): LayerDriver {
    const driver = new LayerDriver([apiNativeMicrocompactLayer]);
    for (const id of ['a', 'b', 'c']) {
      driver.respond([thinking(100)], id);
      driver.respond([callBlock(id)], id);
    }
    return driver;
  }

  const thoughts = (driver: LayerDriver): number =>
    driver.messages.flatMap((message) => message.blocks).filter((block) => block.kind === 'thinking').length;

  it('MIC-4 keeps all thinking while active, only the last turn after more than an hour', () => {
    const driver = thoughtful();
    driver.now = 60 * MS_PER_MINUTE;
    expect(driver.ask()).toEqual([]);
    driver.now += 1;
    driver.ask();
    expect(thoughts(driver)).toBe(1);
    expect(driver.messages[4]!.blocks).toHaveLength(1);
    expect(driver.ask()).toEqual([]);
  });

  it('MIC-4 tells of both edits in the shape of the API, thinking first', () => {
    const driver = thoughtful();
    for (let i = 1; i <= 19; i++) driver.exchange(`t${i}`, { tokens: 10_000 });
    driver.now = 61 * MS_PER_MINUTE;
    driver.ask();
    expect(driver.reports).toHaveLength(1);
    expect(driver.reports[0]).toMatchObject({ trigger: 'server', action: 'clear', saved: 200 + 15 * 9_988 });
    expect(driver.reports[0]!.details).toMatchObject({
      applied_edits: [
        { type: 'clear_thinking_20251015', cleared_thinking_turns: 2, cleared_input_tokens: 200 },
        { type: 'clear_tool_uses_20250919', cleared_tool_uses: 15, cleared_input_tokens: 15 * 9_988 },
      ],
    });
    expect(driver.reports[0]!.trueBefore - driver.reports[0]!.trueAfter).toBe(driver.reports[0]!.saved);
  });
});
