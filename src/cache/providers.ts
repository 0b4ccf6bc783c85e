import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../base/clock.js';
import { createRegistry } from '../base/registry.js';
import type { CacheLifetime, CacheRules, HitChance } from './cache-rules.js';
import type { ModelRow, Prices } from './model-row.js';
import { TTL_1H_MS, TTL_5M_MS } from './ttl.js';

/** A provider: its cache, and what stands for it where a session names no model of it. */
export interface Provider {
  readonly label: string;
  readonly cache: CacheRules;
  /** Models whose cache differs, by the beginning of their names; the first that fits holds. */
  readonly exceptions?: readonly { readonly models: string; readonly rules: Partial<CacheRules> }[];
  /** Provider whose rows of the model table it serves; absent: its own. */
  readonly serves?: string;
  /** Prices of reads and writes as shares of the input price, where they are not those of the model's row. */
  readonly shares?: { readonly read: number; readonly write: number };
  /** Model whose prices a session of another provider is given here. */
  readonly defaultModel: string;
  /** What is not known, and what was assumed instead, in one sentence each. */
  readonly doubts: readonly string[];
  readonly source: string;
}

const AT_START = { event: 'response-start', plusMs: 0 } as const;
const AT_END = { event: 'response-end', plusMs: 0 } as const;

/** Anthropic's cache (CCH-1 … CCH-5): marks of five minutes or an hour, twenty blocks looked back. */
const ANTHROPIC: CacheRules = {
  lookback: 20,
  grain: null,
  minimum: 1_024,
  written: 'marks',
  storesOutput: false,
  visibleAfter: AT_START,
  lifetime: { idleMs: TTL_5M_MS, longMs: TTL_1H_MS, maxMs: null, refresh: 'on-hit', tail: [] },
  hit: null,
  tellsWrites: true,
};

/** An automatic cache over the longest prefix, of which nothing is promised. */
const PREFIX: CacheRules = {
  lookback: null,
  grain: null,
  minimum: null,
  written: 'every-grain',
  storesOutput: false,
  visibleAfter: AT_START,
  lifetime: { idleMs: TTL_5M_MS, longMs: null, maxMs: null, refresh: 'on-hit', tail: [] },
  hit: null,
  tellsWrites: false,
};

/**
 * How often requests come up short: fitted to the Codex rollouts of GPT-5.3 to GPT-5.5, whose times and reads are recorded (`ccbench
 * validate` fits it anew to the sessions it is given).
 */
const CODEX_CHANCE: HitChance = {
  logOdds: -3.81,
  perLogSecond: 0.482,
  sessions: [0.03, 0.09, 0.13, 0.37, 0.58, 0.73, 0.88, 1.31, 1.88, 5.55],
  partial: [0, 0, 0.06, 0.24, 0.58, 0.75, 0.88, 0.92, 0.95, 0.96],
};

/** In memory for five to ten minutes without use, an hour at most; recordings read some entries up to a quarter of an hour. */
const IN_MEMORY: CacheLifetime = {
  idleMs: 5 * MS_PER_MINUTE,
  longMs: null,
  maxMs: MS_PER_HOUR,
  refresh: 'on-hit',
  tail: [
    { afterMs: 15 * MS_PER_MINUTE, share: 1 },
    { afterMs: 17 * MS_PER_MINUTE, share: 0 },
  ],
};

const OPENAI: CacheRules = {
  ...PREFIX,
  grain: { tokens: 128, offset: 0 },
  minimum: 1_024,
  storesOutput: true,
  lifetime: IN_MEMORY,
  hit: CODEX_CHANCE,
};

/** Steps that the recordings show: every read of GPT-5.5 ends on 384 and steps of 512, and answers are not stored. */
const OPENAI_EXCEPTIONS = [
  { models: 'gpt-5.5', rules: { grain: { tokens: 512, offset: 384 }, storesOutput: false } },
  { models: 'gpt-5.3-codex-spark', rules: { storesOutput: false } },
] as const;

const OPENAI_56: CacheRules = {
  ...PREFIX,
  grain: { tokens: 1_024, offset: 768 },
  minimum: 1_024,
  lifetime: { idleMs: 30 * MS_PER_MINUTE, longMs: null, maxMs: null, refresh: 'on-hit', tail: [] },
  tellsWrites: true,
};

/** Models of the Flash kind take 1,024; their rows say so. */
const GEMINI: CacheRules = { ...PREFIX, minimum: 4_096 };

const NOT_PROMISED = 'How long entries live is not promised: five minutes after their last use are assumed.';
const FOUND = 'The chance that an entry is found is not known: every living entry is taken to be found.';
const NO_MINIMUM = 'The smallest prefix that is cached is not published: none is assumed.';
/** What is assumed where another model stands for the recorded one. */
export const SAME_TOKENS =
  'Prompts are taken to have as many tokens as in the recording, whatever the tokenizer.';
const STUDY = 'vendor pages of August to November 2026';

/** The providers by name. */
export const providerRegistry = createRegistry<Provider>('provider', [
  [
    'anthropic',
    {
      label: 'Anthropic',
      cache: ANTHROPIC,
      defaultModel: 'claude-sonnet-4-5',
      doubts: [],
      source: 'vendor documentation, recordings agree',
    },
  ],
  [
    'bedrock',
    {
      label: 'Anthropic on Bedrock',
      cache: ANTHROPIC,
      serves: 'anthropic',
      defaultModel: 'claude-sonnet-4-5',
      doubts: [SAME_TOKENS],
      source: STUDY,
    },
  ],
  [
    'vertex-claude',
    {
      label: 'Anthropic on Vertex',
      cache: ANTHROPIC,
      serves: 'anthropic',
      defaultModel: 'claude-sonnet-4-5',
      doubts: [SAME_TOKENS],
      source: STUDY,
    },
  ],
  [
    'openai',
    {
      label: 'OpenAI up to GPT-5.5',
      cache: OPENAI,
      exceptions: OPENAI_EXCEPTIONS,
      defaultModel: 'gpt-5.5',
      doubts: [
        SAME_TOKENS,
        'The cache is best effort: how often a request comes up short is fitted to recordings of one client.',
        'The documentation says five to ten minutes; recordings read entries up to a quarter of an hour, and that is used.',
      ],
      source: `${STUDY}; 23 Codex rollouts`,
    },
  ],
  [
    'openai-5.6',
    {
      label: 'OpenAI from GPT-5.6 on',
      cache: OPENAI_56,
      defaultModel: 'gpt-5.6',
      doubts: [
        SAME_TOKENS,
        'The documentation says that a read ends at a mark; recordings end on steps of 1,024 tokens from 768 on, and those are used.',
        'Entries may outlive the half hour that is promised: they are taken to end there.',
      ],
      source: `${STUDY}; one Codex rollout`,
    },
  ],
  [
    'azure',
    {
      label: 'Azure OpenAI',
      cache: OPENAI,
      exceptions: OPENAI_EXCEPTIONS,
      serves: 'openai',
      defaultModel: 'gpt-5.5',
      doubts: [
        SAME_TOKENS,
        'Lifetime and chance of a hit are taken to be those of OpenAI itself.',
        'Models from GPT-5.6 on are served under openai-5.6: their rules are the same here.',
      ],
      source: STUDY,
    },
  ],
  [
    'gemini',
    {
      label: 'Gemini, implicit',
      cache: GEMINI,
      defaultModel: 'gemini-3-pro',
      doubts: [SAME_TOKENS, NOT_PROMISED, FOUND],
      source: STUDY,
    },
  ],
  [
    'gemini-explicit',
    {
      label: 'Gemini, explicit',
      cache: {
        ...PREFIX,
        written: 'head',
        minimum: 4_096,
        visibleAfter: AT_START,
        lifetime: { idleMs: MS_PER_HOUR, longMs: null, maxMs: MS_PER_HOUR, refresh: 'none', tail: [] },
        tellsWrites: true,
      },
      serves: 'gemini',
      defaultModel: 'gemini-3-pro',
      doubts: [
        SAME_TOKENS,
        'The client is taken to store tools and system prompt as its object, anew each hour.',
        'What storage costs by the hour is not published here: it is left out of the cost.',
      ],
      source: STUDY,
    },
  ],
  [
    'vertex-gemini',
    {
      label: 'Gemini on Vertex',
      cache: {
        ...GEMINI,
        lifetime: {
          idleMs: 5 * MS_PER_MINUTE,
          longMs: null,
          maxMs: 24 * MS_PER_HOUR,
          refresh: 'on-hit',
          tail: [
            { afterMs: 5 * MS_PER_MINUTE + MS_PER_SECOND, share: 0.5 },
            { afterMs: 24 * MS_PER_HOUR, share: 0 },
          ],
        },
      },
      serves: 'gemini',
      defaultModel: 'gemini-3-pro',
      doubts: [
        SAME_TOKENS,
        'How many entries reach the durable tier is not published: half of them are assumed, fading to none within a day.',
        FOUND,
      ],
      source: STUDY,
    },
  ],
  [
    'deepseek',
    {
      label: 'DeepSeek',
      cache: {
        ...PREFIX,
        written: 'request-ends',
        storesOutput: true,
        visibleAfter: { event: 'response-end', plusMs: 2 * MS_PER_SECOND },
        lifetime: { idleMs: 4 * MS_PER_HOUR, longMs: null, maxMs: null, refresh: 'on-hit', tail: [] },
      },
      defaultModel: 'deepseek-v4-pro',
      doubts: [
        SAME_TOKENS,
        NO_MINIMUM,
        'Entries live for hours to days: four hours after their last use are assumed.',
        'Units at fixed intervals and common prefixes are left out: only the ends of prompts and answers are read.',
      ],
      source: STUDY,
    },
  ],
  [
    'qwen',
    {
      label: 'Qwen, implicit',
      cache: { ...PREFIX, minimum: 256 },
      defaultModel: 'qwen3-coder-plus',
      doubts: [SAME_TOKENS, NOT_PROMISED, FOUND],
      source: STUDY,
    },
  ],
  [
    'qwen-explicit',
    {
      label: 'Qwen, explicit',
      cache: { ...ANTHROPIC, visibleAfter: AT_END, lifetime: { ...ANTHROPIC.lifetime, longMs: null } },
      serves: 'qwen',
      shares: { read: 0.1, write: 1.25 },
      defaultModel: 'qwen3-coder-plus',
      doubts: [
        SAME_TOKENS,
        'Writes cost 1.25 times and reads a tenth of the input, whatever the row of the model says.',
      ],
      source: STUDY,
    },
  ],
  [
    'kimi',
    {
      label: 'Kimi',
      cache: PREFIX,
      defaultModel: 'kimi-k3',
      doubts: [SAME_TOKENS, NOT_PROMISED, NO_MINIMUM, FOUND],
      source: STUDY,
    },
  ],
  [
    'grok',
    {
      label: 'Grok',
      cache: { ...PREFIX, grain: { tokens: 128, offset: 0 } },
      defaultModel: 'grok-4.3',
      doubts: [SAME_TOKENS, NOT_PROMISED, NO_MINIMUM, 'Requests are taken to be pinned to one server.'],
      source: STUDY,
    },
  ],
  [
    'glm',
    {
      label: 'GLM',
      cache: PREFIX,
      defaultModel: 'glm-5',
      doubts: [SAME_TOKENS, NOT_PROMISED, NO_MINIMUM, FOUND],
      source: STUDY,
    },
  ],
]);

/** The rules of a provider's cache for a model. */
export function cacheRulesOf(provider: string, model: string): CacheRules {
  const { cache, exceptions = [] } = providerRegistry.get(provider);
  const exception = exceptions.find(({ models }) => model.startsWith(models));
  return exception === undefined ? cache : { ...cache, ...exception.rules };
}

/** Whether a provider serves a model. */
export function isServedBy(provider: string, model: ModelRow): boolean {
  return model.provider === (providerRegistry.get(provider).serves ?? provider);
}

/** Rows with the shares of the one provider that has any: callers compare rows. */
const billed = new WeakMap<ModelRow, ModelRow>();

/** The row of a model as a provider bills it. */
export function billedBy(provider: string, model: ModelRow): ModelRow {
  const { shares, cache } = providerRegistry.get(provider);
  if (shares === undefined) return model;
  const known = billed.get(model);
  if (known !== undefined) return known;
  const sharesOf = ({ input, output }: Prices): Prices => {
    const write = input * shares.write;
    return { input, output, cacheRead: input * shares.read, cacheWrite5m: write, cacheWrite1h: write };
  };
  const row = {
    ...model,
    minCacheableTokens: Math.max(model.minCacheableTokens, cache.minimum ?? 0),
    pricesPerMTok: sharesOf(model.pricesPerMTok),
    priceSteps: model.priceSteps.map((step) => ({ ...step, prices: sharesOf(step.prices) })),
  };
  billed.set(model, row);
  return row;
}

/** Whether what a provider's cache does is chance. */
export function isBestEffort(provider: string): boolean {
  return providerRegistry.get(provider).cache.hit !== null;
}
