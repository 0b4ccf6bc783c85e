import { describe, expect, it } from 'vitest';
import { CcbenchError } from '../../src/base/errors.js';
import { type MarkableBlock, placeBreakpoints, validateBreakpoints } from '../../src/cache/breakpoints.js';
import { numbered, prefixOf } from '../helpers/cache-request.js';

const M5 = 300_000;
const H1 = 3_600_000;

function block(path: string, ttlMs: number | null = null, given: Partial<MarkableBlock> = {}): MarkableBlock {
  return { path, kind: 'text', isEmptyText: false, ttlMs, ...given };
}

function refusal(message: string) {
  return { ok: false, status: 400, type: 'invalid_request_error', message };
}

describe('what the API refuses, in its own words', () => {
  it('CCH-1 more than four breakpoints', () => {
    const blocks = [0, 1, 2, 3, 4].map((i) => block(`messages.${i}.content.0`, M5));
    expect(validateBreakpoints(blocks)).toEqual(
      refusal('A maximum of 4 blocks with cache_control may be provided. Found 5.'),
    );
    expect(validateBreakpoints(blocks.slice(1))).toMatchObject({ ok: true });
  });

  it('CCH-1 an hour after five minutes', () => {
    expect(validateBreakpoints([block('system.0', M5), block('messages.0.content.4', H1)])).toEqual(
      refusal(
        "messages.0.content.4.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
      ),
    );
    expect(validateBreakpoints([block('system.0', H1), block('messages.0.content.4', M5)])).toEqual({
      ok: true,
      breakpoints: [
        { position: 0, ttlMs: H1 },
        { position: 1, ttlMs: M5 },
      ],
    });
  });

  it('CCH-1 an empty text block', () => {
    expect(validateBreakpoints([block('messages.29.content.0', M5, { isEmptyText: true })])).toEqual(
      refusal('messages.29.content.0.text: cache_control cannot be set for empty text blocks'),
    );
  });

  it('CCH-1 a thinking block', () => {
    expect(validateBreakpoints([block('messages.13.content.0', M5, { kind: 'thinking' })])).toEqual(
      refusal('messages.13.content.0.thinking.cache_control: Extra inputs are not permitted'),
    );
  });
});

describe('automatic caching', () => {
  const plain = block('messages.0.content.0');

  it('CCH-1 marks the last block, or the nearest before it that can be marked', () => {
    expect(validateBreakpoints([plain, plain], M5)).toMatchObject({
      breakpoints: [{ position: 1, ttlMs: M5 }],
    });
    const ineligible = [block('x', null, { kind: 'thinking' }), block('y', null, { isEmptyText: true })];
    expect(validateBreakpoints([plain, ...ineligible], M5)).toMatchObject({ breakpoints: [{ position: 0 }] });
    expect(validateBreakpoints(ineligible, M5)).toEqual({ ok: true, breakpoints: [] });
  });

  it('CCH-1 does nothing when the last block is marked alike and is refused when it is marked otherwise', () => {
    const marked = [plain, block('messages.1.content.0', H1)];
    expect(validateBreakpoints(marked, H1)).toEqual({ ok: true, breakpoints: [{ position: 1, ttlMs: H1 }] });
    expect(validateBreakpoints(marked, M5)).toMatchObject({ ok: false, status: 400 });
  });

  it('CCH-1 needs one of the four slots', () => {
    const four = [0, 1, 2, 3].map((i) => block(`system.${i}`, M5));
    expect(validateBreakpoints([...four, plain], M5)).toMatchObject({ ok: false, status: 400 });
    expect(validateBreakpoints([...four.slice(1), plain], M5)).toMatchObject({ ok: true });
    expect(validateBreakpoints(four, M5)).toMatchObject({ ok: true });
  });

  it('CCH-1 is bound to the order of lifetimes', () => {
    expect(validateBreakpoints([block('system.0', M5), plain], H1)).toMatchObject({ ok: false });
  });
});

describe('layouts', () => {
  const ttls = { systemMs: H1, messagesMs: M5 };
  const positions = (...args: Parameters<typeof placeBreakpoints>) =>
    placeBreakpoints(...args).map((mark) => [mark.position, mark.ttlMs]);

  it('CCH-1 marks one or two system positions and the last block', () => {
    const last = [9, M5];
    expect(positions(prefixOf(numbered(10), 1, 2), 'system+last', ttls)).toEqual([[1, H1], last]);
    expect(positions(prefixOf(numbered(10), 1, 3), 'system+last', ttls)).toEqual([[1, H1], [2, H1], last]);
    expect(positions(prefixOf(numbered(10), 1, 5), 'system+last', ttls)).toEqual([[3, H1], [4, H1], last]);
    expect(positions(prefixOf(numbered(10), 2, 2), 'system+last', ttls)).toEqual([[1, H1], last]);
    expect(positions(prefixOf(numbered(10)), 'system+last', ttls)).toEqual([last]);
    expect(positions(prefixOf(numbered(3), 1, 3), 'system+last', ttls)).toEqual([
      [1, H1],
      [2, H1],
    ]);
  });

  it('CCH-1 marks the ends of the last two messages', () => {
    const view = prefixOf(numbered(10), 1, 3);
    const two = [
      [1, H1],
      [2, H1],
      [6, M5],
      [9, M5],
    ];
    expect(positions(view, 'system+last-two-messages', ttls, { ends: [5, 7, 10, 99], count: 3 })).toEqual(
      two,
    );
    expect(positions(view, 'system+last-two-messages', ttls, { ends: [10], count: 1 })).toEqual([
      two[0],
      two[1],
      two[3],
    ]);
  });

  it('CCH-1 marks the last block alone, or nothing', () => {
    expect(positions(prefixOf(numbered(4), 1, 2), 'automatic', ttls)).toEqual([[3, M5]]);
    expect(positions(prefixOf(numbered(4), 1, 2), 'none', ttls)).toEqual([]);
    expect(positions(prefixOf([]), 'system+last', ttls)).toEqual([]);
  });

  it('CCH-1 refuses lifetimes the API would refuse', () => {
    const wrong = { systemMs: M5, messagesMs: H1 };
    expect(() => placeBreakpoints(prefixOf(numbered(4), 1, 2), 'system+last', wrong)).toThrow(CcbenchError);
  });
});
