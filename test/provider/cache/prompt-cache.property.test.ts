import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Breakpoint, PrefixView } from '../../../src/core/model/prefix.js';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { NEWEST, priceUsage } from '../../../src/provider/prices/price.js';
import { prefixOf, send, type TestBlock } from '../../helpers/cache-request.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

const model = resolveModel('claude-sonnet-4-5');
const MIN = 1_024;
const M5 = 300_000;
const H1 = 3_600_000;

interface Sent {
  readonly blocks: readonly TestBlock[];
  readonly startMs: number;
  readonly latencyMs: number;
  readonly breakpoints: readonly Breakpoint[];
  readonly write: 'write' | 'read-only';
}

/** A stream of one conversation that grows, is cut back, is edited, waits, and forks. */
const streams: fc.Arbitrary<Sent[]> = fc
  .array(
    fc.record({
      keep: fc.oneof(
        { weight: 4, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
      ),
      append: fc.array(fc.tuple(fc.constantFrom('x', 'y'), fc.constantFrom(1, 60, 323, 1_500)), {
        maxLength: 25,
      }),
      gapMs: fc.constantFrom(
        0,
        1,
        500,
        1_000,
        30_000,
        200_000,
        M5 - 1,
        M5,
        M5 + 1,
        1_000_000,
        H1 - 1,
        H1,
        H1 + 1,
      ),
      latencyMs: fc.constantFrom(0, 1_000, 40_000),
      marks: fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 3 }),
      markLast: fc.boolean(),
      longMarks: fc.integer({ min: 0, max: 4 }),
      write: fc.constantFrom<'write' | 'read-only'>('write', 'write', 'write', 'read-only'),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((steps) => {
    let blocks: TestBlock[] = [
      ['tools', 700],
      ['system a', 900],
      ['system b', 2_000],
    ];
    let startMs = 0;
    return steps.map((step) => {
      blocks = [
        ...blocks.slice(0, Math.max(1, Math.round(blocks.length * step.keep))),
        ...step.append.map(([text, tokens]) => [`${text} ${tokens}`, tokens] as const),
      ];
      startMs += step.gapMs;
      const positions = new Set(step.marks.map((mark) => Math.floor(mark * blocks.length)));
      if (step.markLast) positions.add(blocks.length - 1);
      const breakpoints = [...positions]
        .sort((a, b) => a - b)
        .map((position, i) => ({ position, ttlMs: i < step.longMarks ? H1 : M5 }));
      return { blocks, startMs, latencyMs: step.latencyMs, breakpoints, write: step.write };
    });
  });

/** One block of tools, two of system, then messages. */
function viewOf(blocks: readonly TestBlock[]) {
  return prefixOf(blocks, 1, Math.min(3, blocks.length));
}

interface Kept {
  readonly bytes: string;
  readyAtMs: number;
  expiresAtMs: number;
  ttlMs: number;
}

/** The rules of the documentation over whole texts, without digests or cleverness. */
function reference(stream: readonly Sent[]): number[] {
  const store: Kept[] = [];
  return stream.map((sent) => {
    const bytesTo = (i: number) => JSON.stringify(sent.blocks.slice(0, i + 1));
    const tokensTo = (i: number) => sent.blocks.slice(0, i + 1).reduce((sum, [, tokens]) => sum + tokens, 0);
    const alive = (i: number) =>
      store.find((entry) => entry.bytes === bytesTo(i) && sent.startMs < entry.expiresAtMs);
    const readable = (i: number) => {
      const entry = alive(i);
      return entry !== undefined && entry.readyAtMs <= sent.startMs ? entry : undefined;
    };
    const reachable = sent.blocks.map((_, i) =>
      sent.breakpoints.some(
        ({ position }) => tokensTo(position) >= MIN && position >= i && position - i <= 19,
      ),
    );
    let hit = -1;
    for (let i = 0; i < sent.blocks.length; i++) if (reachable[i] && readable(i)) hit = i;
    if (hit >= 0) {
      for (const i of [hit, ...sent.breakpoints.map((mark) => mark.position).filter((p) => p < hit)]) {
        const entry = readable(i);
        if (entry) entry.expiresAtMs = Math.max(entry.expiresAtMs, sent.startMs + entry.ttlMs);
      }
    }
    const writing = sent.write === 'write' ? sent.breakpoints : [];
    for (const { position, ttlMs } of writing) {
      if (position <= hit || tokensTo(position) < MIN) continue;
      const fresh = { readyAtMs: sent.startMs + sent.latencyMs, expiresAtMs: sent.startMs + ttlMs, ttlMs };
      const old = alive(position);
      if (old) {
        old.readyAtMs = Math.min(old.readyAtMs, fresh.readyAtMs);
        old.expiresAtMs = Math.max(old.expiresAtMs, fresh.expiresAtMs);
        old.ttlMs = Math.max(old.ttlMs, fresh.ttlMs);
      } else store.push({ bytes: bytesTo(position), ...fresh });
    }
    return hit < 0 ? 0 : tokensTo(hit);
  });
}

function replay(stream: readonly Sent[]) {
  const cache = createPromptCache();
  return stream.map(({ blocks, startMs, latencyMs, breakpoints, write }) =>
    send(cache, { view: viewOf(blocks), breakpoints, startMs, readableAtMs: startMs + latencyMs, write }),
  );
}

describe('request streams', () => {
  it('INV-5 prompt tokens are input, read and creation, and costs add up', () => {
    forAll({ numRuns: propertyRuns(150) }, streams, (stream) => {
      for (const [i, outcome] of replay(stream).entries()) {
        const { inputTokens, readTokens, write5mTokens, write1hTokens, promptTokens } = outcome;
        const parts = [inputTokens, readTokens, write5mTokens, write1hTokens];
        expect(promptTokens).toBe(stream[i]!.blocks.reduce((sum, [, tokens]) => sum + tokens, 0));
        expect(parts.reduce((sum, tokens) => sum + tokens, 0)).toBe(promptTokens);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        const usage = {
          input: inputTokens,
          cacheRead: readTokens,
          cacheWrite5m: write5mTokens,
          cacheWrite1h: write1hTokens,
          output: 7,
        };
        const cost = priceUsage(model, usage, NEWEST);
        const { totalNano, ...named } = cost;
        expect(Object.values(named).reduce((sum, nano) => sum + nano, 0)).toBe(totalNano);
      }
    });
  });

  it('INV-6 reads exactly what the rules over whole texts allow: no differing byte, nothing expired, nothing too early', () => {
    forAll({ numRuns: propertyRuns(300) }, streams, (stream) => {
      expect(replay(stream).map((outcome) => outcome.readTokens)).toEqual(reference(stream));
    });
  });

  /** Marks the last two system positions, or the end of the tools, and the last block. */
  const markSystemAndLast = (
    { length, toolsEnd, systemEnd }: PrefixView,
    ttls: { readonly systemMs: number; readonly messagesMs: number },
  ): Breakpoint[] => {
    const system = systemEnd - toolsEnd >= 2 ? [systemEnd - 2, systemEnd - 1] : [systemEnd - 1];
    return [
      ...system.filter((position) => position >= 0).map((position) => ({ position, ttlMs: ttls.systemMs })),
      ...(length > systemEnd ? [{ position: length - 1, ttlMs: ttls.messagesMs }] : []),
    ];
  };

  it('INV-6 a longer lifetime never lowers a read of an agent that marks system and last block', () => {
    const layouts = [
      { systemMs: M5, messagesMs: M5 },
      { systemMs: H1, messagesMs: M5 },
      { systemMs: H1, messagesMs: H1 },
    ];
    forAll({ numRuns: propertyRuns(300) }, streams, (stream) => {
      const reads = layouts.map((ttls) =>
        replay(
          stream.map((sent) => ({
            ...sent,
            breakpoints: markSystemAndLast(viewOf(sent.blocks), ttls),
          })),
        ).map((outcome) => outcome.readTokens),
      );
      for (let i = 0; i < stream.length; i++) {
        expect(reads[1]![i]).toBeGreaterThanOrEqual(reads[0]![i]!);
        expect(reads[2]![i]).toBeGreaterThanOrEqual(reads[1]![i]!);
      }
    });
  });
});
