import { BLOCK_KINDS, BLOCK_ROLES, type Block } from '../../core/model/block.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import { isObject, type JsonObject, listOf, numberOf, textOf } from '../lines/narrow.js';
import { isPlausibleUsage, knownTokens } from '../lines/plausible.js';

/** What the first line of a recording calls its format, and the version of it that is written. */
export const SERVED_FORMAT = 'ccbench-serve';
export const SERVED_VERSION = 1;

/** What a request is for: the main conversation, a subagent, a summary, or something beside them. */
export const SERVED_KINDS = ['main', 'agent', 'summary', 'side'] as const;
export type ServedKind = (typeof SERVED_KINDS)[number];

/** A block as a recording has it: sizes and a digest, and the text where it was kept. */
export interface ServedBlock extends Pick<Block, 'kind' | 'role' | 'tokens' | 'digest' | 'tool' | 'facts'> {
  readonly id: string | null;
  readonly text: string | null;
}

/** Part of a prompt: a new block, or a stretch of the prompt it is told by: from this position on, this many blocks. */
export type ServedPart = ServedBlock | readonly [from: number, count: number];

/** One answered request. */
export interface ServedRequest {
  readonly n: number;
  readonly atMs: number;
  /** The API it came by: `messages`, `responses`, `chat` or `gemini`. */
  readonly api: string | null;
  readonly conversation: number;
  readonly kind: ServedKind;
  readonly model: string;
  /** Number of the earlier request that the prompt is told by; null if it is told whole. */
  readonly base: number | null;
  /** Blocks that it begins with as that one does. */
  readonly same: number;
  readonly parts: readonly ServedPart[];
  readonly answer: readonly ServedBlock[];
  readonly stop: string | null;
  /** What the simulated cache predicts. */
  readonly usage: Usage;
  /** What the real API said, where one answered. */
  readonly billed: Usage | null;
  readonly latencyMs: number;
}

/** True for a head whose first line says that it is a recording of a server; where that line is lost, its others tell. */
export function looksLikeServed(head: string): boolean {
  return /^\uFEFF?[ \t]*\{\s*"(?:format"\s*:\s*"ccbench-serve"|n"\s*:\s*\d+\s*,\s*"atMs"\s*:\s*\d+\s*,\s*"api"\s*:)/m.test(
    head,
  );
}

/** Longest time that a server can have run: some thirty years. */
const MOST_MS = 1e12;

function timeOf(value: unknown): number | null {
  const ms = numberOf(value);
  return ms === null || ms < 0 || ms > MOST_MS ? null : Math.round(ms);
}

function wholeOf(value: unknown, least: number): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least ? value : null;
}

function usageOf(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = value as unknown as Usage;
  const usage = { input, cacheRead, cacheWrite5m, cacheWrite1h, output };
  return isPlausibleUsage(usage) ? usage : null;
}

/** Fourteen figures of 53 bits. */
const DIGEST = /^[0-9a-f]{1,14}$/;

function oneOf<Word extends string>(words: readonly Word[], value: unknown): Word | null {
  return words.find((word) => word === value) ?? null;
}

function blockOf(value: unknown): ServedBlock | null {
  if (!isObject(value)) return null;
  const kind = oneOf(BLOCK_KINDS, value.kind);
  const role = oneOf(BLOCK_ROLES, value.role);
  const tokens = knownTokens(value.tokens);
  const digest = typeof value.digest === 'string' && DIGEST.test(value.digest) ? value.digest : null;
  if (kind === null || role === null || tokens === null || digest === null) return null;
  const images = wholeOf(value.images, 1);
  return {
    kind,
    role,
    tokens,
    digest: Number.parseInt(digest, 16),
    tool: textOf(value.tool),
    id: textOf(value.id),
    text: typeof value.text === 'string' ? value.text : null,
    facts: { ...(value.isError === true ? { isError: true } : {}), ...(images === null ? {} : { images }) },
  };
}

function partOf(value: unknown): ServedPart | null {
  if (!Array.isArray(value)) return blockOf(value);
  const [from, count] = value.map((each) => wholeOf(each, 0));
  return from == null || count == null ? null : [from, count];
}

function allOf<Item>(value: unknown, read: (item: unknown) => Item | null): readonly Item[] | null {
  const items = listOf(value).map(read);
  return items.includes(null) || !Array.isArray(value) ? null : (items as readonly Item[]);
}

/** The request that a line tells of; null for a line that is damaged. */
export function readServedLine(line: JsonObject): ServedRequest | null {
  const n = wholeOf(line.n, 1);
  const atMs = timeOf(line.atMs);
  const conversation = wholeOf(line.conversation, 1);
  const kind = oneOf(SERVED_KINDS, line.kind);
  const model = textOf(line.model);
  const base = line.base === undefined ? null : wholeOf(line.base, 1);
  const same = line.same === undefined ? 0 : wholeOf(line.same, 0);
  const parts = allOf(line.parts, partOf);
  const answer = allOf(line.answer, blockOf);
  const usage = usageOf(line.usage);
  const billed = line.billed === undefined ? null : usageOf(line.billed);
  if (n === null || atMs === null || conversation === null || kind === null || model === null) return null;
  if (same === null || parts === null || answer === null || usage === null) return null;
  if (line.base !== undefined && base === null) return null;
  if ((line.billed !== undefined && billed === null) || promptTokens(usage) === 0) return null;
  const latencyMs = timeOf(line.latencyMs) ?? 0;
  const request = { n, atMs, conversation, kind, model, base, same, parts, answer, usage, billed, latencyMs };
  return { ...request, api: textOf(line.api), stop: textOf(line.stop) };
}

/** The members of a block's line; the text alone is left out where it is not kept. */
export function servedBlock(
  block: Pick<Block, 'kind' | 'role' | 'tokens' | 'tool' | 'toolUseId' | 'facts' | 'text'>,
  digest: string,
  text: 'kept' | 'digests',
): JsonObject {
  const { kind, role, tokens, tool, toolUseId, facts } = block;
  return {
    kind,
    role,
    tokens,
    digest,
    ...(tool === null ? {} : { tool }),
    ...(toolUseId === null ? {} : { id: toolUseId }),
    ...(facts.isError === true ? { isError: true } : {}),
    ...((facts.images ?? 0) > 0 ? { images: facts.images } : {}),
    ...(text === 'kept' && block.text !== null ? { text: block.text.read() } : {}),
  };
}
