import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../../src/agent/layers/registry.js';
import {
  CLEARED_PLACEHOLDER,
  COMPACTABLE_TOOLS,
  PLACEHOLDER_TOKENS,
} from '../../../../src/agent/layers/support/compactable.js';
import { fullClearing, hotContext, hotPaths } from '../../../../src/cli/commands/bench/hot-paths.js';
import { messageTokens } from '../../../../src/core/model/message.js';
import type { CacheOutcome } from '../../../../src/provider/cache/prompt-cache.js';

const SMALL = hotContext(10_000, 'claude-code/2026');
const LARGE = hotContext(100_000, 'claude-code/2026');

function output<Out>(name: string, hot = SMALL): Out {
  const path = hotPaths().find((each) => each.name === name)!;
  const { before, run } = path.prepare(hot);
  before?.();
  return run() as Out;
}

describe('the context of a hot path', () => {
  it.each([
    [10_000, SMALL],
    [100_000, LARGE],
  ])('holds %i tokens of turns, and could be sent as it is', (tokens, hot) => {
    const { context } = hot;
    expect(hot.tokens).toBeGreaterThanOrEqual(tokens);
    expect(hot.tokens).toBeLessThan(1.2 * tokens);
    const turns = hot.messages.slice(hot.messages.findIndex(({ role }) => role === 'assistant'));
    expect(hot.tokens).toBe(turns.reduce((sum, message) => sum + messageTokens(message), 0));
    expect(context.lastRole).toBe('user');
    expect(context.hasOpenCalls).toBe(false);
  });

  it('has a next turn of one response and the results of its calls', () => {
    const [response, ...results] = SMALL.nextTurn;
    expect(response!.role).toBe('assistant');
    expect(results.map(({ role }) => role)).toEqual(results.map(() => 'user'));
    const calls = response!.blocks.filter(({ kind }) => kind === 'tool_use');
    const answers = results.flatMap(({ blocks }) => blocks).filter(({ kind }) => kind === 'tool_result');
    expect(calls.length).toBeGreaterThan(0);
    expect(answers.map(({ toolUseId }) => toolUseId)).toEqual(calls.map(({ toolUseId }) => toolUseId));
  });
});

describe('microcompact of a full window', () => {
  it.each([SMALL, LARGE])('MIC-2 clears every result that may be cleared but the latest', (hot) => {
    const results = hot.context.blocks.filter(
      ({ kind, tool }) => kind === 'tool_result' && COMPACTABLE_TOOLS.includes(tool ?? ''),
    );
    const saved = results
      .slice(0, -1)
      .reduce((sum, { tokens }) => sum + Math.max(0, tokens - PLACEHOLDER_TOKENS), 0);
    expect(results.length).toBeGreaterThan(5);
    expect(saved).toBeGreaterThan(0.2 * hot.tokens);
    expect(output('microcompact of a full window', hot)).toBe(hot.context.trueTokens - saved);
  });

  it('clears as much again in a window laid again, nothing in one that was cleared, and leaves the source alone', () => {
    const before = SMALL.context.trueTokens;
    const clearing = fullClearing(SMALL);
    clearing.lay();
    const left = clearing.clear();
    expect(clearing.clear()).toBe(left);
    clearing.lay();
    expect(clearing.clear()).toBe(left);
    expect(left).toBeLessThan(before);
    expect(SMALL.context.trueTokens).toBe(before);
    expect(SMALL.context.blocks.some(({ text }) => text?.read() === CLEARED_PLACEHOLDER)).toBe(false);
  });
});

describe('the other hot paths', () => {
  it('are those of an agent’s turn, and the question whether each layer is due', () => {
    const layers = layerRegistry.all().filter(({ layer }) => layer !== 'rules');
    expect(hotPaths().map(({ name }) => name)).toEqual([
      'token estimate of a turn',
      'threshold check',
      'prefix digest of a turn',
      'cache lookup',
      'request building',
      'context from messages',
      'microcompact of a full window',
      'summary formatting',
      'notes truncation',
      ...layers.map(({ name }) => `due ${name}`),
    ]);
  });

  it('say which of them work on the same at every size', () => {
    const growing = hotPaths().filter(({ input }) => !input.startsWith('fixed: '));
    expect(growing.map(({ name, wholeWindow }) => [name, wholeWindow])).toEqual([
      ['context from messages', true],
      ['microcompact of a full window', true],
      ['summary formatting', false],
      ['notes truncation', false],
    ]);
  });

  it('CCH-1 the lookup of the next turn reads what the request before it wrote', () => {
    const added = SMALL.nextTurn.flatMap(({ blocks }) => blocks).reduce((sum, { tokens }) => sum + tokens, 0);
    const { readTokens, promptTokens } = output<CacheOutcome>('cache lookup');
    expect(readTokens).toBe(SMALL.context.trueTokens);
    expect(promptTokens).toBe(SMALL.context.trueTokens + added);
  });

  it('FUL-3 a summary loses tags and scratchpad, and is as many times longer as its context', () => {
    const [small, large] = [SMALL, LARGE].map((hot) => output<string>('summary formatting', hot));
    expect(small).toMatch(/^Summary:\n/);
    expect(small).not.toMatch(/<|\n{3}/);
    expect(large!.length / small!.length).toBeCloseTo(LARGE.tokens / SMALL.tokens, 0);
    // A fifth of the context at four characters a token; one of its four parts is the scratchpad.
    expect(large!.length / (0.75 * 0.2 * 4 * LARGE.tokens)).toBeCloseTo(1, 1);
  });

  it('SES-9 every section of the notes is cut, and there are more of them in a larger context', () => {
    const cuts = [SMALL, LARGE].map((hot) => {
      const text = output<string>('notes truncation', hot);
      const sections = text.match(/^# Section/gm)!.length;
      expect(text.match(/^\[… the rest of this section was left out\]$/gm)).toHaveLength(sections);
      return sections;
    });
    expect(cuts[1]! / cuts[0]!).toBeGreaterThan(8);
    // A quarter of the context at four characters a token, in sections of 10,000 characters.
    expect(cuts[1]).toBe(Math.round((0.25 * 4 * LARGE.tokens) / 10_000));
  });

  it('INV-1 a request is built with breakpoints at the end of the context', () => {
    const { breakpoints } = output<{ readonly breakpoints: readonly { readonly position: number }[] }>(
      'request building',
    );
    expect(breakpoints.at(-1)!.position).toBe(SMALL.context.length - 1);
  });
});
