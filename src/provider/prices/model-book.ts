import { CcbenchError } from '../../core/base/errors.js';
import { unknownName } from '../../core/base/registry.js';
import { plainModelName, thinkingRule } from '../../core/model/model-name.js';
import type { ModelRow, PricePeriod, Prices } from './model-row.js';
import { MODEL_TABLE_JSON } from './models.generated.js';

interface ModelTable {
  readonly rows: readonly ModelRow[];
  /** Stands for a model that nobody knows: of typical size, without prices. */
  readonly unknown: ModelRow;
}

let table: ModelTable | null = null;

/** The table of models, parsed when it is first asked for. */
function modelTable(): ModelTable {
  table ??= JSON.parse(MODEL_TABLE_JSON) as ModelTable;
  return table;
}

/** The rows of all models that are shipped. */
export function tableRows(): readonly ModelRow[] {
  return modelTable().rows;
}

/** Whose cache a model has, by the beginning of its name. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^gpt-(?:5\.[6-9]|[6-9]|\d{2})/, 'openai-5.6'],
  [/^(?:gpt|codex|o\d)(?:-|$)/, 'openai'],
  [/^gemini/, 'gemini'],
  [/^deepseek/, 'deepseek'],
  [/^(?:qwen|qwq)/, 'qwen'],
  [/^(?:kimi|moonshot)/, 'kimi'],
  [/^grok/, 'grok'],
  [/^glm/, 'glm'],
];

/** The row of a model that nobody knows: of typical size, without prices, with the cache that its name speaks of. */
function unknownModel(name: string): ModelRow {
  const own = name.toLowerCase().slice(name.lastIndexOf('/') + 1);
  const provider = FAMILIES.find(([family]) => family.test(own))?.[1] ?? 'anthropic';
  return { ...modelTable().unknown, id: name, provider, thinking: thinkingRule(name) };
}

/** Regions and vendors that clouds put before the names of models: `us.anthropic.claude-…`. */
const CLOUD =
  /^(?:(?:us|eu|apac|jp|au|ca|sa|global|us-gov)\.)?(?:anthropic|amazon|openai|xai|deepseek|qwen|moonshot|moonshotai|minimax|zai)\./;
/** The same of one region or continent: some models cost more there than anywhere (`global.anthropic.claude-…`). */
const REGIONAL = /(?:^|\/)(?:us|eu|apac|jp|au|ca|sa)\.\w+\./i;
/** Versions of deployments: `-v1:0`, `-v1`, `@20250929`, `@latest`, `:0`. */
const DEPLOYMENT = /(?:-v\d+(?::\d+)?|:\d+|@[\w.-]+)$/;
/** Dates, `latest` and previews: `-20250929`, `-2026-04-23`, `-latest`, `-preview`, `-preview-09-2025`. */
const RELEASE = /-(?:20\d{6}|20\d{2}-\d{2}-\d{2}|latest|preview(?:-\d{2}-(?:\d{2}|\d{4}))?)$/;
/** The number before the family: `claude-4-5-sonnet`. */
const NUMBER_FIRST = /^claude-(\d+(?:-\d+)?)-(opus|sonnet|haiku|fable|mythos)$/;

function without(pattern: RegExp, name: string): string {
  let rest = name;
  for (let next = rest.replace(pattern, ''); next !== rest; next = rest.replace(pattern, '')) rest = next;
  return rest;
}

/**
 * Names that a recorded name may stand for, the nearest first: without the path of a provider (`openai/gpt-5.5`,
 * `models/gemini-2.5-pro`), without a cloud's region, vendor and version, without a date, `-latest` and `-preview`.
 */
function spellingsOf(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const own = lower.slice(lower.lastIndexOf('/') + 1);
  const deployed = without(DEPLOYMENT, own.replace(CLOUD, ''));
  const plain = without(RELEASE, deployed);
  const claude = plain.startsWith('claude-') ? [plain.replaceAll('.', '-')] : [];
  const turned = claude.map((spelling) => spelling.replace(NUMBER_FIRST, 'claude-$2-$1'));
  return [...new Set([lower, own, deployed, plain, ...claude, ...turned])];
}

/** Window of the `[1m]` suffix and of the 1M beta (WIN-1). */
export const LONG_WINDOW_TOKENS = 1_000_000;

const LONG_SUFFIX = '[1m]';

/** Whether a name asks for the long window. */
export function hasLongSuffix(name: string): boolean {
  return name.toLowerCase().endsWith(LONG_SUFFIX);
}

/** What a request may be billed by besides its model (api.md §1.8): in this order, as they stack. */
export const TARIFFS = ['fast', 'us', 'regional', 'batch'] as const;

/** Fast mode has prices of its own; what a region costs is in the row. */
export type Tariff = (typeof TARIFFS)[number];

/** Inference in the United States alone costs a tenth more, a batch half. */
const FACTORS = { fast: 1, us: 1.1, batch: 0.5 } as const;

/** Tariffs at the end of a name: `claude-opus-5:fast:us`. */
const TARIFF_SUFFIX = new RegExp(`:(?:${TARIFFS.join('|')})$`, 'i');

/** The name of a model without its tariffs. Every request asks: most names have no colon. */
export function withoutTariffs(name: string): string {
  return name.includes(':') ? without(TARIFF_SUFFIX, name) : name;
}

/** Whether a row is that of a tariff. */
export function hasTariff({ id, tariffOf }: ModelRow, tariff: Tariff): boolean {
  return tariffOf !== undefined && id.split(':').includes(tariff);
}

/** A model at some tariffs; null if the price of its fast mode is not known. */
function atTariffs(row: ModelRow, tariffs: readonly Tariff[]): ModelRow | null {
  const isFast = tariffs.includes('fast');
  const { fastPricesPerMTok: fast } = row;
  if (isFast && fast === null) return null;
  const factor = tariffs.reduce(
    (product, tariff) => product * (tariff === 'regional' ? row.regional! : FACTORS[tariff]),
    1,
  );
  const scaled = (prices: Prices): Prices => ({
    input: prices.input * factor,
    output: prices.output * factor,
    cacheRead: prices.cacheRead * factor,
    cacheWrite5m: prices.cacheWrite5m * factor,
    cacheWrite1h: prices.cacheWrite1h * factor,
  });
  const repriced = <P extends PricePeriod>(period: P): P => ({
    ...period,
    pricesPerMTok: scaled(isFast ? (period.fastPricesPerMTok ?? fast!) : period.pricesPerMTok),
    priceSteps: isFast ? [] : period.priceSteps.map((step) => ({ ...step, prices: scaled(step.prices) })),
    fastPricesPerMTok: null,
  });
  return {
    ...repriced(row),
    earlier: row.earlier.map(repriced),
    id: [row.id, ...tariffs].join(':'),
    aliases: [],
    tariffOf: row.id,
  };
}

/** Models by the names that recordings and users give them. */
export interface ModelBook {
  readonly rows: readonly ModelRow[];
  /** The row of a model by id, alias or another spelling; with the `[1m]` suffix, the row with the long window; at its tariffs. */
  find(name: string): ModelRow | null;
  /** The same; an unknown name is an error that lists the known ones. */
  resolve(name: string): ModelRow;
  /** The same; an unknown model has a typical size and no prices. */
  orUnknown(name: string): ModelRow;
  /** Whether the 1M beta widens the window of a model: of those that support it, and of those nobody knows (WIN-1). */
  takesBeta1m(name: string): boolean;
}

function longOf(row: ModelRow): ModelRow {
  return row.window === LONG_WINDOW_TOKENS ? row : { ...row, window: LONG_WINDOW_TOKENS };
}

function indexByName(rows: readonly ModelRow[]): ReadonlyMap<string, ModelRow> {
  const byName = new Map<string, ModelRow>();
  for (const row of rows) {
    for (const name of [row.id, ...row.aliases]) {
      if (byName.has(name)) throw new CcbenchError('duplicate-name', `two models are called "${name}"`);
      byName.set(name, row);
    }
  }
  return byName;
}

/** A book of rows, which are asked for when a model is; two of one name are an error. */
export function createModelBook(load: () => readonly ModelRow[]): ModelBook {
  let index: ReadonlyMap<string, ModelRow> | null = null;
  /** What was asked for before: one row each, as callers compare rows. */
  const asked = new Map<string, ModelRow | null>();
  const unknown = new Map<string, ModelRow>();
  const look = (plain: string): ModelRow | null => {
    index ??= indexByName(load());
    const byName = index;
    const direct = byName.get(plain) ?? byName.get(plainModelName(plain));
    if (direct !== undefined) return direct;
    const spelling = spellingsOf(plain).find((candidate) => byName.has(candidate));
    return spelling === undefined ? null : byName.get(spelling)!;
  };
  const longRows = new Map<ModelRow, ModelRow>();
  const longRow = (row: ModelRow): ModelRow => {
    const known = longRows.get(row) ?? longOf(row);
    longRows.set(row, known);
    return known;
  };
  const findPlain = (name: string): ModelRow | null => {
    const long = hasLongSuffix(name);
    const found = look(long ? name.slice(0, -LONG_SUFFIX.length) : name);
    return found !== null && long ? longRow(found) : found;
  };
  const tariffRows = new Map<string, ModelRow | null>();
  const findAt = (name: string, suffix: string): ModelRow | null => {
    const row = findPlain(name);
    if (row === null) return null;
    const said = suffix.toLowerCase().split(':');
    const tariffs = TARIFFS.filter(
      (tariff) => said.includes(tariff) && (tariff !== 'regional' || row.regional !== undefined),
    );
    if (tariffs.length === 0) return row;
    const key = [row.window, row.id, ...tariffs].join(':');
    const known = tariffRows.get(key);
    const found = known === undefined ? atTariffs(row, tariffs) : known;
    tariffRows.set(key, found);
    return found;
  };
  const find = (name: string): ModelRow | null => {
    const before = asked.get(name);
    if (before !== undefined) return before;
    const plain = withoutTariffs(name);
    const tariffs = `${name.slice(plain.length)}${REGIONAL.test(plain) ? ':regional' : ''}`;
    const row = tariffs === '' ? findPlain(name) : findAt(plain, tariffs);
    asked.set(name, row);
    return row;
  };
  return {
    get rows() {
      return load();
    },
    find,
    resolve(name) {
      const row = find(name);
      if (row !== null) return row;
      const ids = load().map(({ id }) => id);
      const family = ids.filter((id) => id.startsWith(name.split('-')[0]!.toLowerCase()));
      throw unknownName('model', name, family.length === 0 ? ids : family);
    },
    orUnknown(name) {
      const row = find(name) ?? unknown.get(name);
      if (row !== undefined) return row;
      const made = unknownModel(name);
      const kept = hasLongSuffix(name) ? longOf(made) : made;
      unknown.set(name, kept);
      return kept;
    },
    takesBeta1m: (name) => (find(name)?.beta1m ?? 'supported') === 'supported',
  };
}
