import { canonicalJson } from '../../../core/base/digest.js';
import { ownValue } from '../../../core/base/own-value.js';
import {
  type Block,
  type BlockKind,
  type BlockRole,
  createBlock,
  IMAGE_TOKENS,
} from '../../../core/model/block.js';
import { type ApiError, invalidRequest } from '../../cache/api-error.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../cache/ttl.js';
import type { CountTokens } from '../api-request.js';
import { asList, asObject, asText, type JsonObject } from '../json-value.js';
import { imageTokens } from './image-tokens.js';

/** One block of a request with its place and its marker. */
export interface WireBlock {
  /** Where the API says it is: `tools.0`, `system.1`, `messages.3.content.0`. */
  readonly path: string;
  readonly block: Block;
  readonly isEmptyText: boolean;
  /** Lifetime the block's marker asks for; null when it has none. */
  readonly ttlMs: number | null;
  /** Signature of a thinking block; null for others. */
  readonly signature: string | null;
  /** It stands for everything before it; one without a summary stands for nothing. */
  readonly isCompaction: boolean;
}

const KINDS: Readonly<Record<string, BlockKind>> = {
  text: 'text',
  thinking: 'thinking',
  redacted_thinking: 'thinking',
  tool_use: 'tool_use',
  tool_result: 'tool_result',
  image: 'image',
  document: 'document',
  compaction: 'text',
};

/** The lifetime a `cache_control` asks for, null without one, or the API's refusal. */
export function readMarker(value: unknown, path: string): number | null | ApiError {
  if (value === undefined || value === null) return null;
  const marker = asObject(value);
  if (marker?.type !== 'ephemeral') {
    return invalidRequest(`${path}.cache_control.type: Input should be 'ephemeral'`);
  }
  const ttl = marker.ttl ?? '5m';
  if (ttl !== '5m' && ttl !== '1h')
    return invalidRequest(`${path}.cache_control.ttl: Input should be '5m' or '1h'`);
  return ttl === '1h' ? TTL_1H_MS : TTL_5M_MS;
}

function withoutMarker(source: JsonObject): JsonObject {
  const { cache_control: _marker, ...rest } = source;
  return rest;
}

interface Rendered {
  readonly text: string;
  readonly images: number;
  /** Tokens of these images. */
  readonly imageTokens: number;
}

/** A block of words alone. */
function words(text: string): Rendered {
  return { text, images: 0, imageTokens: 0 };
}

function isContent(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

/** Text and images of a tool result. */
function renderResult(content: unknown): Rendered {
  if (typeof content === 'string') return words(content);
  let text = '';
  let images = 0;
  let tokens = 0;
  for (const item of asList(content) ?? []) {
    const part = asObject(item);
    if (part === null) continue;
    if (part.type === 'image' || part.type === 'document') {
      images += 1;
      tokens += mediaTokens(part);
    } else text += asText(part.text) ?? canonicalJson(withoutMarker(part));
  }
  return { text, images, imageTokens: tokens };
}

function mediaTokens(source: JsonObject): number {
  return source.type === 'image' ? imageTokens(source.source) : IMAGE_TOKENS;
}

/** What the model is shown of a block. The order of keys in a tool's input is part of it. */
function render(kind: BlockKind, source: JsonObject): Rendered {
  switch (kind) {
    case 'text':
      return words(asText(source.text) ?? asText(source.content) ?? '');
    case 'thinking':
      return words(asText(source.thinking) ?? asText(source.data) ?? '');
    case 'tool_use':
      return words(`${asText(source.name)}${JSON.stringify(source.input ?? {})}`);
    case 'tool_result':
      return renderResult(source.content);
    default:
      return words(canonicalJson(withoutMarker(source)));
  }
}

/** Reads one content block of a message. */
function readBlock(value: unknown, role: BlockRole, path: string, count: CountTokens): WireBlock | ApiError {
  const source = asObject(value);
  const type = asText(source?.type);
  if (source === null || type === null) return invalidRequest(`${path}.type: Field required`);
  const ttlMs = readMarker(source.cache_control, path);
  if (ttlMs !== null && typeof ttlMs === 'object') return ttlMs;
  const kind = ownValue(KINDS, type) ?? 'other';
  const { text, images, imageTokens: inside } = render(kind, source);
  const isEmptyText = kind === 'text' && text.trim() === '';
  const toolUseId = asText(kind === 'tool_result' ? source.tool_use_id : source.id);
  if ((kind === 'tool_use' || kind === 'tool_result') && toolUseId === null) {
    return invalidRequest(`${path}.${kind}.${kind === 'tool_use' ? 'id' : 'tool_use_id'}: Field required`);
  }
  if (kind === 'tool_use' && asText(source.name) === null)
    return invalidRequest(`${path}.tool_use.name: Field required`);
  if (kind === 'tool_use' && source.input !== undefined && asObject(source.input) === null)
    return invalidRequest(`${path}.tool_use.input: Input should be a valid dictionary`);
  if (kind === 'tool_result' && source.content != null && !isContent(source.content))
    return invalidRequest(`${path}.tool_result.content: Input should be a valid list`);
  const isCompaction = type === 'compaction';
  if (isCompaction && source.content === '')
    return invalidRequest(`${path}.compaction.content: Input should not be empty`);
  const isPicture = kind === 'image' || kind === 'document';
  const isError = source.is_error === true;
  const block = createBlock({
    kind,
    // A summary takes the place of what the user said.
    role: isCompaction ? 'user' : role,
    tokens: isPicture ? mediaTokens(source) : count(text) + inside,
    text: isError ? `error: ${text}` : text,
    toolUseId,
    tool: kind === 'tool_use' ? asText(source.name) : null,
    facts: { ...(isError ? { isError } : {}), ...(images > 0 ? { images } : {}) },
  });
  const signature = kind === 'thinking' ? asText(source.signature) : null;
  return { path, block, isEmptyText, ttlMs, signature, isCompaction };
}

/** Reads content; a string is one text block. */
export function readContent(
  content: unknown,
  role: BlockRole,
  path: string,
  count: CountTokens,
): readonly WireBlock[] | ApiError {
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content);
  if (list === null) return invalidRequest(`${path}: Input should be a valid list`);
  const blocks: WireBlock[] = [];
  for (const [i, item] of list.entries()) {
    const block = readBlock(item, role, `${path}.${i}`, count);
    if ('ok' in block) return block;
    blocks.push(block);
  }
  return blocks;
}

/** Reads one tool definition. */
export function readTool(
  value: unknown,
  path: string,
  tokensBefore: number,
  count: CountTokens,
): WireBlock | ApiError {
  const source = asObject(value);
  const name = asText(source?.name);
  if (source === null || name === null) return invalidRequest(`${path}.name: Field required`);
  const ttlMs = readMarker(source.cache_control, path);
  if (ttlMs !== null && typeof ttlMs === 'object') return ttlMs;
  const { name: _name, description, ...rest } = withoutMarker(source);
  if (description != null && typeof description !== 'string')
    return invalidRequest(`${path}.description: Input should be a valid string`);
  const text = `${name}\n${description ?? ''}\n${JSON.stringify(rest)}`;
  const block = createBlock({
    kind: 'tools',
    role: 'tools',
    tokens: tokensBefore + count(text),
    text,
    tool: name,
  });
  return { path, block, isEmptyText: false, ttlMs, signature: null, isCompaction: false };
}
