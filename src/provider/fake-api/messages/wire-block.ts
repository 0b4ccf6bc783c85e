import { canonicalJson } from '../../../core/base/digest.js';
import { attempt } from '../../../core/base/errors.js';
import { ownValue } from '../../../core/base/own-value.js';
import {
  type Block,
  type BlockKind,
  type BlockRole,
  createBlock,
  IMAGE_TOKENS,
} from '../../../core/model/block.js';
import { refuse } from '../../cache/api-error.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../cache/ttl.js';
import { asList, asObject, asText, type CountTokens, type JsonObject } from '../api-request.js';

/** Pixels of a token, and the most tokens and the longest edge that an image keeps (documentation of vision). */
const PIXELS_PER_TOKEN = 750;
const MOST_TOKENS = 1_600;
const LONGEST_EDGE = 1_568;

/** Characters of base64 that are looked at: the size comes after what a camera writes about itself. */
const HEAD_CHARS = 200_000;

type Size = readonly [width: number, height: number];

function pngSize(bytes: Uint8Array): Size | null {
  if (bytes.length < 24 || bytes[0] !== 0x89 || bytes[1] !== 0x50) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}

function gifSize(bytes: Uint8Array): Size | null {
  if (bytes.length < 10 || bytes[0] !== 0x47 || bytes[1] !== 0x49) return null;
  return [bytes[6]! + bytes[7]! * 256, bytes[8]! + bytes[9]! * 256];
}

/** The size stands in the frame: a marker C0 to CF that is none of C4, C8 and CC. */
function jpegSize(bytes: Uint8Array): Size | null {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return null;
  for (let at = 2; at + 8 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    const word = (offset: number): number => bytes[at + offset]! * 256 + bytes[at + offset + 1]!;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) return [word(7), word(5)];
    at += 2 + word(2);
  }
  return null;
}

function decoded(base64: string): Uint8Array | null {
  const head = base64.slice(0, HEAD_CHARS - (HEAD_CHARS % 4));
  return attempt(() => Uint8Array.from(atob(head), (char) => char.charCodeAt(0)), null);
}

/** Tokens of an image: by its size where it is sent with the request, else as many as are counted for any. */
function imageTokens(source: unknown): number {
  const data = asText(asObject(source)?.data);
  const bytes = data === null ? null : decoded(data);
  const size = bytes === null ? null : (pngSize(bytes) ?? gifSize(bytes) ?? jpegSize(bytes));
  if (size === null) return IMAGE_TOKENS;
  const [width, height] = size;
  const scale = Math.min(1, LONGEST_EDGE / Math.max(1, width, height));
  const tokens = Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
  return Math.min(MOST_TOKENS, Math.max(1, tokens));
}

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

/** The lifetime a `cache_control` asks for, null without one. */
export function readMarker(value: unknown, path: string): number | null {
  if (value === undefined || value === null) return null;
  const marker = asObject(value);
  if (marker?.type !== 'ephemeral') {
    refuse(`${path}.cache_control.type: Input should be 'ephemeral'`);
  }
  const ttl = marker.ttl ?? '5m';
  if (ttl !== '5m' && ttl !== '1h') refuse(`${path}.cache_control.ttl: Input should be '5m' or '1h'`);
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

function readBlock(value: unknown, role: BlockRole, path: string, count: CountTokens): WireBlock {
  const source = asObject(value);
  const type = asText(source?.type);
  if (source === null || type === null) refuse(`${path}.type: Field required`);
  const ttlMs = readMarker(source.cache_control, path);
  const kind = ownValue(KINDS, type) ?? 'other';
  const { text, images, imageTokens: inside } = render(kind, source);
  const isEmptyText = kind === 'text' && text.trim() === '';
  const toolUseId = asText(kind === 'tool_result' ? source.tool_use_id : source.id);
  if ((kind === 'tool_use' || kind === 'tool_result') && toolUseId === null) {
    refuse(`${path}.${kind}.${kind === 'tool_use' ? 'id' : 'tool_use_id'}: Field required`);
  }
  if (kind === 'tool_use' && asText(source.name) === null) refuse(`${path}.tool_use.name: Field required`);
  if (kind === 'tool_use' && source.input !== undefined && asObject(source.input) === null)
    refuse(`${path}.tool_use.input: Input should be a valid dictionary`);
  if (kind === 'tool_result' && source.content != null && !isContent(source.content))
    refuse(`${path}.tool_result.content: Input should be a valid list`);
  const isCompaction = type === 'compaction';
  if (isCompaction && source.content === '') refuse(`${path}.compaction.content: Input should not be empty`);
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
): readonly WireBlock[] {
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content);
  if (list === null) refuse(`${path}: Input should be a valid list`);
  return list.map((item, i) => readBlock(item, role, `${path}.${i}`, count));
}

/** Reads one tool definition. */
export function readTool(value: unknown, path: string, tokensBefore: number, count: CountTokens): WireBlock {
  const source = asObject(value);
  const name = asText(source?.name);
  if (source === null || name === null) refuse(`${path}.name: Field required`);
  const ttlMs = readMarker(source.cache_control, path);
  const { name: _name, description, ...rest } = withoutMarker(source);
  if (description != null && typeof description !== 'string')
    refuse(`${path}.description: Input should be a valid string`);
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
