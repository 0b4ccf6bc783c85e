import { describe, expect, it } from 'vitest';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { type CacheParameters, levelSalts } from '../../../src/provider/cache/salts.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { mark5m, prefixOf, send, type TestBlock } from '../../helpers/cache-request.js';

const model = resolveModel('claude-sonnet-4-5');
const BLOCKS: readonly TestBlock[] = [
  ['tools', 2_000],
  ['system', 3_000],
  ['messages', 4_000],
];
const MARKS = [mark5m(0), mark5m(1), mark5m(2)];

/** Tokens read after a change of parameters or blocks: 9,000 everything, 5,000 up to system, 2,000 tools, 0 nothing. */
function readAfter(change: Partial<CacheParameters>, blocks: readonly TestBlock[] = BLOCKS): number {
  const cache = createPromptCache();
  send(cache, { view: prefixOf(BLOCKS, 1, 2), breakpoints: MARKS, startMs: 0, salts: levelSalts({ model }) });
  const salts = levelSalts({ model, ...change });
  const outcome = send(cache, {
    model: change.model ?? model,
    view: prefixOf(blocks, 1, 2),
    breakpoints: MARKS,
    startMs: 60_000,
    salts,
  });
  return outcome.readTokens;
}

describe('what invalidates what', () => {
  it.each<[string, Partial<CacheParameters>, number]>([
    ['model switch', { model: resolveModel('claude-sonnet-4-6') }, 0],
    ['workspace', { workspace: 'other' }, 0],
    ['web search', { webSearch: true }, 2_000],
    ['web fetch', { webFetch: true }, 2_000],
    ['citations', { citations: true }, 2_000],
    ['tool choice', { toolChoice: 'any' }, 5_000],
    ['parallel tool use', { disableParallelToolUse: true }, 5_000],
    ['images', { imagesPresent: true }, 5_000],
    ['thinking mode', { thinking: { mode: 'adaptive' } }, 5_000],
    ['thinking budget', { thinking: { mode: 'disabled', budgetTokens: 1_024 } }, 5_000],
    ['effort', { effort: 'low' }, 5_000],
    ['nothing', {}, 9_000],
  ])('CCH-1 %s', (_name, change, tokens) => {
    expect(readAfter(change)).toBe(tokens);
  });

  it('CCH-1 fast mode invalidates what a change of the system prompt does', () => {
    const [opus, fast] = [resolveModel('claude-opus-5'), resolveModel('claude-opus-5:fast')];
    const cache = createPromptCache();
    const ask = (row: typeof opus, startMs: number) =>
      send(cache, {
        model: row,
        view: prefixOf(BLOCKS, 1, 2),
        breakpoints: MARKS,
        startMs,
        salts: levelSalts({ model: row }),
      }).readTokens;
    expect([ask(opus, 0), ask(fast, 60_000), ask(fast, 120_000)]).toEqual([0, 2_000, 9_000]);
  });

  it('CCH-1 tool definitions invalidate everything, system text what follows, messages themselves', () => {
    expect(readAfter({}, [['other tools', 2_000], BLOCKS[1]!, BLOCKS[2]!])).toBe(0);
    expect(readAfter({}, [BLOCKS[0]!, ['other system', 3_000], BLOCKS[2]!])).toBe(2_000);
    expect(readAfter({}, [BLOCKS[0]!, BLOCKS[1]!, ['other messages', 4_000]])).toBe(5_000);
  });

  it('CCH-1 a parameter set to its default equals omitting it', () => {
    expect(
      levelSalts({
        model,
        workspace: 'default',
        webSearch: false,
        webFetch: false,
        citations: false,
        toolChoice: 'auto',
        disableParallelToolUse: false,
        imagesPresent: false,
        thinking: { mode: 'disabled' },
        effort: 'high',
      }),
    ).toEqual(levelSalts({ model }));
    const opus = resolveModel('claude-opus-5-5');
    expect(levelSalts({ model: opus, effort: 'medium', thinking: { mode: 'adaptive' } })).toEqual(
      levelSalts({ model: opus }),
    );
  });
});
