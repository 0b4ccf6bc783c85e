import { describe, expect, it } from 'vitest';
import type { BlockKind } from '../../../src/core/model/block.js';
import type { Refusal } from '../../../src/provider/cache/api-error.js';
import { type MarkableBlock, validateBreakpoints } from '../../../src/provider/fake-api/prompt-draft.js';

const M5 = 300_000;
const H1 = 3_600_000;

function block(
  path: string,
  ttlMs: number | null = null,
  { kind = 'text', isEmptyText = false }: { kind?: BlockKind; isEmptyText?: boolean } = {},
): MarkableBlock {
  return { path, block: { kind }, isEmptyText, ttlMs };
}

/** The breakpoints, or the refusal. */
function check(...given: Parameters<typeof validateBreakpoints>) {
  try {
    return { ok: true, breakpoints: validateBreakpoints(...given) };
  } catch (error) {
    return (error as Refusal).error;
  }
}

function refusal(message: string) {
  return { ok: false, status: 400, type: 'invalid_request_error', message };
}

describe('what the API refuses, in its own words', () => {
  it('CCH-1 more than four breakpoints', () => {
    const blocks = [0, 1, 2, 3, 4].map((i) => block(`messages.${i}.content.0`, M5));
    expect(check(blocks)).toEqual(
      refusal('A maximum of 4 blocks with cache_control may be provided. Found 5.'),
    );
    expect(check(blocks.slice(1))).toMatchObject({ ok: true });
  });

  it('CCH-1 an hour after five minutes', () => {
    expect(check([block('system.0', M5), block('messages.0.content.4', H1)])).toEqual(
      refusal(
        "messages.0.content.4.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
      ),
    );
    expect(check([block('system.0', H1), block('messages.0.content.4', M5)])).toEqual({
      ok: true,
      breakpoints: [
        { position: 0, ttlMs: H1 },
        { position: 1, ttlMs: M5 },
      ],
    });
  });

  it('CCH-1 an empty text block', () => {
    expect(check([block('messages.29.content.0', M5, { isEmptyText: true })])).toEqual(
      refusal('messages.29.content.0.text: cache_control cannot be set for empty text blocks'),
    );
  });

  it('CCH-1 a thinking block', () => {
    expect(check([block('messages.13.content.0', M5, { kind: 'thinking' })])).toEqual(
      refusal('messages.13.content.0.thinking.cache_control: Extra inputs are not permitted'),
    );
  });
});

describe('automatic caching', () => {
  const plain = block('messages.0.content.0');

  it('CCH-1 marks the last block, or the nearest before it that can be marked', () => {
    expect(check([plain, plain], M5)).toMatchObject({
      breakpoints: [{ position: 1, ttlMs: M5 }],
    });
    const ineligible = [block('x', null, { kind: 'thinking' }), block('y', null, { isEmptyText: true })];
    expect(check([plain, ...ineligible], M5)).toMatchObject({ breakpoints: [{ position: 0 }] });
    expect(check(ineligible, M5)).toEqual({ ok: true, breakpoints: [] });
  });

  it('CCH-1 does nothing when the last block is marked alike and is refused when it is marked otherwise', () => {
    const marked = [plain, block('messages.1.content.0', H1)];
    expect(check(marked, H1)).toEqual({ ok: true, breakpoints: [{ position: 1, ttlMs: H1 }] });
    expect(check(marked, M5)).toMatchObject({ ok: false, status: 400 });
  });

  it('CCH-1 needs one of the four slots', () => {
    const four = [0, 1, 2, 3].map((i) => block(`system.${i}`, M5));
    expect(check([...four, plain], M5)).toMatchObject({ ok: false, status: 400 });
    expect(check([...four.slice(1), plain], M5)).toMatchObject({ ok: true });
    expect(check(four, M5)).toMatchObject({ ok: true });
  });

  it('CCH-1 is bound to the order of lifetimes', () => {
    expect(check([block('system.0', M5), plain], H1)).toMatchObject({ ok: false });
  });
});
