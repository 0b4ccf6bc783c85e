import { describe, expect, it } from 'vitest';
import type { CacheRules } from '../../../src/core/run/provider.js';
import { chanceOfShort, MATCH } from '../../../src/provider/cache/cache-rules.js';
import { findModel, resolveModel } from '../../../src/provider/prices/models.js';
import {
  billedBy,
  cacheRulesOf,
  isServedBy,
  providerRegistry,
} from '../../../src/provider/providers/providers.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What is published of each cache, and of the prices of the model that stands for it (shares of input). */
interface Facts {
  readonly match: string;
  readonly written: CacheRules['written'];
  readonly step: number | null;
  readonly minimum: number | null;
  readonly idleMs: number;
  readonly maxMs: number | null;
  readonly tellsWrites: boolean;
  readonly write: number;
  readonly read: number;
}

const MARKS = { match: 'breakpoint', written: 'marks', step: null, maxMs: null, tellsWrites: true } as const;
const PREFIX = {
  match: 'prefix',
  written: 'every-grain',
  maxMs: null,
  tellsWrites: false,
  write: 1,
} as const;
const CLAUDE: Facts = { ...MARKS, minimum: 1_024, idleMs: 5 * MINUTE, write: 1.25, read: 0.1 };
const OPENAI: Facts = {
  ...PREFIX,
  step: 128,
  minimum: 1_024,
  idleMs: 5 * MINUTE,
  maxMs: HOUR,
  read: 0.1,
};
const GEMINI: Facts = { ...PREFIX, step: null, minimum: 4_096, idleMs: 5 * MINUTE, read: 0.1 };
/** Nothing is promised: the five minutes are an assumption that the doubts name. */
const SILENT = { ...PREFIX, step: null, minimum: null, idleMs: 5 * MINUTE } as const;

const FACTS: Readonly<Record<string, Facts>> = {
  anthropic: CLAUDE,
  bedrock: CLAUDE,
  'vertex-claude': CLAUDE,
  openai: OPENAI,
  // Steps as the recordings show them; at least half an hour.
  'openai-5.6': {
    ...PREFIX,
    step: 1_024,
    minimum: 1_024,
    idleMs: 30 * MINUTE,
    tellsWrites: true,
    write: 1.25,
    read: 0.1,
  },
  azure: OPENAI,
  gemini: GEMINI,
  'gemini-explicit': {
    ...GEMINI,
    match: 'object',
    written: 'head',
    idleMs: HOUR,
    maxMs: HOUR,
    tellsWrites: true,
  },
  'vertex-gemini': { ...GEMINI, maxMs: 24 * HOUR },
  deepseek: {
    ...PREFIX,
    match: 'unit',
    written: 'request-ends',
    step: null,
    minimum: null,
    idleMs: 4 * HOUR,
    read: 1 / 30, // since August 2026
  },
  qwen: { ...PREFIX, step: null, minimum: 256, idleMs: 5 * MINUTE, read: 0.2 },
  'qwen-explicit': CLAUDE,
  kimi: { ...SILENT, read: 0.1 },
  grok: { ...SILENT, step: 128, read: 0.16 },
  glm: { ...SILENT, read: 0.2 },
};

describe('providers', () => {
  it('are all held against what is published', () => {
    expect(providerRegistry.names.toSorted()).toEqual(Object.keys(FACTS).toSorted());
  });

  it.each(Object.entries(FACTS))('%s has the rules that are published', (name, facts) => {
    const { cache } = providerRegistry.get(name);
    expect({
      match: MATCH[cache.written],
      written: cache.written,
      step: cache.grain?.tokens ?? null,
      minimum: cache.minimum,
      idleMs: cache.lifetime.idleMs,
      maxMs: cache.lifetime.maxMs,
      tellsWrites: cache.tellsWrites,
    }).toEqual({
      match: facts.match,
      written: facts.written,
      step: facts.step,
      minimum: facts.minimum,
      idleMs: facts.idleMs,
      maxMs: facts.maxMs,
      tellsWrites: facts.tellsWrites,
    });
  });

  it.each(Object.entries(FACTS))('%s has a model that it serves, at the published shares', (name, facts) => {
    const { defaultModel } = providerRegistry.get(name);
    const found = findModel(defaultModel);
    expect(found).not.toBeNull();
    expect(isServedBy(name, found!)).toBe(true);
    const { pricesAreKnown, pricesPerMTok } = billedBy(name, found!);
    expect(pricesAreKnown).toBe(true);
    expect(pricesPerMTok.cacheWrite5m / pricesPerMTok.input).toBeCloseTo(facts.write, 6);
    expect(Math.abs(pricesPerMTok.cacheRead / pricesPerMTok.input - facts.read)).toBeLessThan(0.0051);
  });

  it('say null where nobody knows, and a sentence of doubt beside it', () => {
    for (const name of providerRegistry.names) {
      const { cache, doubts } = providerRegistry.get(name);
      const said = doubts.join(' ');
      if (cache.minimum === null) expect(said, name).toContain('smallest prefix');
      if (cache.written === 'head') expect(said, name).toContain('storage');
      if (cache.lifetime.tail.length > 0 && name !== 'azure') expect(said, name).toMatch(/entries/i);
    }
    for (const name of ['kimi', 'glm', 'grok']) expect(cacheRulesOf(name, 'x').minimum).toBeNull();
  });

  it('differ by model where the recordings do', () => {
    expect(cacheRulesOf('openai', 'gpt-5.4').grain).toEqual({ tokens: 128, offset: 0 });
    expect(cacheRulesOf('openai', 'gpt-5.5').grain).toEqual({ tokens: 512, offset: 384 });
  });

  it('a chance is there for OpenAI alone, from GPT-5.6 on a smaller one', () => {
    const chancy = providerRegistry.names.filter((name) => providerRegistry.get(name).cache.hit !== null);
    expect(chancy.toSorted()).toEqual(['azure', 'openai', 'openai-5.6']);
    const atTenSeconds = (name: string) => chanceOfShort(providerRegistry.get(name).cache.hit!, 10_000, 1);
    expect(atTenSeconds('openai-5.6')).toBeLessThan(atTenSeconds('openai') / 3);
  });

  it('explicit caching of Qwen has shares, steps and a minimum of its own', () => {
    const row = billedBy('qwen-explicit', resolveModel('qwen3-coder-plus'));
    expect(row.minCacheableTokens).toBe(1_024);
    const above = row.priceSteps.find(({ overPromptTokens }) => overPromptTokens === 128_000)!.prices;
    expect(above.input).toBe(3);
    expect(above.cacheRead).toBeCloseTo(0.3, 9);
    expect(above.cacheWrite5m).toBeCloseTo(3.75, 9);
    expect(billedBy('qwen-explicit', resolveModel('qwen3-coder-plus'))).toBe(row);
  });
});
