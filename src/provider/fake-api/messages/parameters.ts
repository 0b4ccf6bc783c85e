import { ownValue } from '../../../core/base/own-value.js';
import { refuse } from '../../cache/api-error.js';
import type { CacheParameters, ThinkingSetting } from '../../cache/salts.js';
import type { Tariff } from '../../prices/model-book.js';
import type { ModelRow } from '../../prices/model-row.js';
import { type AnswerDemands, asList, asObject, asText, type JsonObject } from '../api-request.js';

/** The version of the API from which on it takes no sampling settings. */
const WITHOUT_SAMPLING = '2026-10-21';

/** Those settings. */
const REMOVED = ['temperature', 'top_p', 'top_k'] as const;

/** `auto`, `none`, `any` or the name of a tool. */
function toolChoiceOf(body: JsonObject): string {
  const choice = asObject(body.tool_choice);
  return asText(choice?.name) ?? asText(choice?.type) ?? 'auto';
}

function isForced(body: JsonObject): boolean {
  const type = asObject(body.tool_choice)?.type;
  return type === 'any' || type === 'tool';
}

function thinkingOf(body: JsonObject): ThinkingSetting | null {
  const setting = asObject(body.thinking);
  const mode = setting?.type;
  if (mode !== 'disabled' && mode !== 'adaptive' && mode !== 'enabled') return null;
  const budget = setting?.budget_tokens;
  return { mode, budgetTokens: typeof budget === 'number' ? budget : null };
}

function hasTool(body: JsonObject, prefix: string): boolean {
  return (asList(body.tools) ?? []).some((tool) => asText(asObject(tool)?.type)?.startsWith(prefix) === true);
}

/** What a request demands of its answer. */
export function answerDemands(body: JsonObject): AnswerDemands {
  const choice = asObject(body.tool_choice);
  const type = (asText(choice?.type) ?? 'auto') as 'auto' | 'any' | 'none' | 'tool';
  const format = asObject(asObject(body.output_config)?.format) ?? asObject(body.output_format);
  const schema = asObject(format?.schema);
  return {
    toolChoice: type === 'tool' ? 'any' : type,
    ...(type === 'tool' ? { allowedTools: [asText(choice?.name) ?? ''] } : {}),
    callsAtOnce: choice?.disable_parallel_tool_use === true ? 'one' : 'many',
    stopSequences: (asList(body.stop_sequences) ?? []).map(String),
    ...(schema === null ? {} : { format: schema }),
  };
}

/** A forced call needs a tool, and cannot go with thinking. */
function checkToolChoice(body: JsonObject): void {
  if (!isForced(body)) return;
  const names = (asList(body.tools) ?? []).map((tool) => asText(asObject(tool)?.name));
  const name = asText(asObject(body.tool_choice)?.name);
  if (asObject(body.tool_choice)?.type === 'tool' && name === null)
    refuse('tool_choice.tool.name: Field required');
  if (names.length === 0) refuse('tool_choice may only be specified while providing tools');
  if (name !== null && !names.includes(name))
    refuse(`tool_choice: Tool '${name}' not found in provided tools`);
  const thinking = asObject(body.thinking)?.type;
  if (thinking === 'enabled' || thinking === 'adaptive')
    refuse('Thinking may not be enabled when tool_choice forces tool use.');
}

/** The smallest budget for thinking; the largest is below max_tokens, unless thinking goes on between calls. */
const MIN_BUDGET = 1_024;
const BETA_INTERLEAVED = /^interleaved-thinking-/;

function checkBudget(body: JsonObject, betas: readonly string[]): void {
  const thinking = asObject(body.thinking);
  if (thinking?.type !== 'enabled') return;
  const path = 'thinking.enabled.budget_tokens';
  const budget = thinking.budget_tokens;
  if (budget == null) refuse(`${path}: Field required`);
  if (typeof budget !== 'number' || !Number.isInteger(budget))
    refuse(`${path}: Input should be a valid integer`);
  if (budget < MIN_BUDGET) refuse(`${path}: Input should be greater than or equal to ${MIN_BUDGET}`);
  const mayExceed = betas.some((beta) => BETA_INTERLEAVED.test(beta));
  if (!mayExceed && budget >= Number(body.max_tokens))
    refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
}

/** What a request is billed by besides its model. */
export function tariffsOf(body: JsonObject): readonly Tariff[] {
  return [
    ...(body.speed === 'fast' ? ['fast' as const] : []),
    ...(body.inference_geo === 'us' ? ['us' as const] : []),
  ];
}

/** The parameters of a request that its cache key depends on. */
export function cacheParameters(
  body: JsonObject,
  model: ModelRow,
  workspace: string,
  images: 'present' | 'absent',
): CacheParameters {
  const thinking = thinkingOf(body);
  const effort = asText(asObject(body.output_config)?.effort);
  return {
    model,
    workspace,
    webSearch: hasTool(body, 'web_search'),
    webFetch: hasTool(body, 'web_fetch'),
    toolChoice: toolChoiceOf(body),
    disableParallelToolUse: asObject(body.tool_choice)?.disable_parallel_tool_use === true,
    imagesPresent: images === 'present',
    ...(thinking === null ? {} : { thinking }),
    ...(effort === null ? {} : { effort }),
  };
}

/** Tokens the API adds for the tools of a request. */
export function toolOverhead(body: JsonObject, model: ModelRow): number {
  const overhead = model.toolOverheadTokens;
  if (overhead === null) return 0;
  return isForced(body) ? overhead.forced : overhead.auto;
}

/** A request with no output writes the cache; what contradicts that is refused. The wording is ours. */
function checkPreWarm(body: JsonObject): void {
  const thinking = asObject(body.thinking)?.type;
  const contradiction =
    body.stream === true
      ? 'stream'
      : thinking === 'enabled'
        ? 'thinking.type'
        : asObject(body.output_config)?.format != null
          ? 'output_config.format'
          : isForced(body)
            ? 'tool_choice'
            : null;
  if (contradiction !== null) refuse(`max_tokens: 0 cannot be combined with \`${contradiction}\``);
}

/** The settings of a request by the types of the SDK (1.8.0), with those of betas and of earlier versions of the API. */
const FIELDS = new Set([
  ...[
    'model',
    'max_tokens',
    'messages',
    'system',
    'tools',
    'tool_choice',
    'thinking',
    'stream',
    'stop_sequences',
  ],
  ...[
    'cache_control',
    'metadata',
    'output_config',
    'output_format',
    'service_tier',
    'speed',
    'inference_geo',
  ],
  ...['container', 'context_management', 'compaction', 'diagnostics', 'fallbacks', 'fallback_credit_token'],
  ...['mcp_servers', 'thread', 'user_profile_id', 'workspace_id', ...REMOVED],
]);

/** Longest name of a setting that is repeated in an answer. */
const NAME_CHARS = 100;

/** Optional settings by the type they must have: what is left out unread would change the bill without a word. */
const TYPES: readonly (readonly [name: string, type: string, isFine: (value: unknown) => boolean])[] = [
  ['tools', 'list', Array.isArray],
  ['tool_choice', 'dictionary', (value) => asObject(value) !== null],
  ['thinking', 'dictionary', (value) => asObject(value) !== null],
  ['stream', 'boolean', (value) => typeof value === 'boolean'],
  ['output_config', 'dictionary', (value) => asObject(value) !== null],
  [
    'stop_sequences',
    'list of texts',
    (value) => Array.isArray(value) && value.every((item) => typeof item === 'string' && item.trim() !== ''),
  ],
];

/** Words that the `type` of a setting may be. */
const TAGS: readonly (readonly [name: string, tags: readonly string[]])[] = [
  ['tool_choice', ['auto', 'any', 'tool', 'none']],
  ['thinking', ['enabled', 'disabled', 'adaptive']],
];

/** Refuses settings by their names and types. */
export function checkTypes(body: JsonObject): void {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) refuse(`${unknown.slice(0, NAME_CHARS)}: Extra inputs are not permitted`);
  for (const [name, type, isFine] of TYPES) {
    if (ownValue(body, name) != null && !isFine(ownValue(body, name)))
      refuse(`${name}: Input should be a valid ${type}`);
  }
  for (const [name, tags] of TAGS) {
    const setting = asObject(ownValue(body, name));
    if (setting !== null && !tags.includes(asText(setting.type) ?? ''))
      refuse(`${name}.type: Input should be one of ${tags.join(', ')}`);
  }
}

/** Refuses the parameters of a request that are wrong. */
export function checkParameters(
  body: JsonObject,
  model: ModelRow,
  version: string,
  betas: readonly string[],
): void {
  for (const name of version < WITHOUT_SAMPLING ? [] : REMOVED) {
    if (body[name] !== undefined) refuse(`${name}: Extra inputs are not permitted`);
  }
  const maxTokens = body.max_tokens;
  if (maxTokens === undefined) refuse('max_tokens: Field required');
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 0) {
    refuse('max_tokens: Input should be a whole number of at least 0');
  }
  if (maxTokens > model.maxOutput) {
    refuse(
      `max_tokens: ${maxTokens} > ${model.maxOutput}, which is the maximum allowed number of output tokens for ${String(body.model)}`,
    );
  }
  if (maxTokens === 0) checkPreWarm(body);
  else {
    checkToolChoice(body);
    checkBudget(body, betas);
  }
}

const BEFORE_45 = /^claude-(3-|(opus|sonnet|haiku)-4(-1)?$)/;
const BEFORE_46 = /^claude-(3-|(opus|sonnet|haiku)-4(-[15])?$)/;

/** Whether prompt and max_tokens beyond the window are refused, as before 4.5; from there on the answer stops at the window. */
export function refusesOverWindow({ id }: ModelRow): boolean {
  return BEFORE_45.test(id);
}

/** Whether the API compacts conversations with a model: from 4.6 on. */
export function compacts({ id }: ModelRow): boolean {
  return !BEFORE_46.test(id);
}

/** Whether an assistant message may be at the end, as before 4.6. */
export function acceptsPrefill({ id }: ModelRow): boolean {
  return BEFORE_46.test(id);
}
