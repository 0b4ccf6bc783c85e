import { chainDigest, type Digest } from '../../core/base/digest.js';
import { isGroup } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import type { Block } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { LevelSalts } from '../cache/salts.js';
import type { ModelRow } from '../prices/model-row.js';

/** Values that are known by the name of their property; undefined if a name says nothing. */
type KnownValues = (name: string, schema: JsonObject) => unknown;

/** How deep a schema is followed: one that refers to itself has no smallest value. */
const MOST_LEVELS = 12;

function numberOf(schema: JsonObject): number {
  const bound = (name: string): number | null => {
    const value = ownValue(schema, name);
    return typeof value === 'number' ? value : null;
  };
  const step = bound('multipleOf') ?? 1;
  const above = bound('exclusiveMinimum');
  const least = bound('minimum') ?? (above === null ? null : above + step);
  const most = bound('maximum') ?? bound('exclusiveMaximum');
  const start = least ?? (most !== null && most < 0 ? most - step : 0);
  return Math.ceil(start / step) * step;
}

function textOf(schema: JsonObject): string {
  const least = Number(schema.minLength ?? 0);
  const most = Number(schema.maxLength ?? Number.POSITIVE_INFINITY);
  const formats: Readonly<Record<string, string>> = {
    date: '2026-01-01',
    'date-time': '2026-01-01T00:00:00Z',
    time: '00:00:00Z',
    email: 'a@example.com',
    uri: 'https://example.com',
    uuid: '00000000-0000-4000-8000-000000000000',
  };
  const said = ownValue(formats, asText(schema.format) ?? '') ?? 'text';
  return said.padEnd(least, '.').slice(0, most);
}

/** Makes a small value that a JSON schema allows: what is required, and what is known by name. */
export function minimalValue(schema: JsonObject, known: KnownValues = () => undefined): unknown {
  const root = schema;

  function follow(ref: string): JsonObject {
    let target: unknown = root;
    for (const part of ref.replace(/^#\/?/, '').split('/'))
      if (part !== '') target = ownValue(asObject(target) ?? {}, part);
    return asObject(target) ?? {};
  }

  function objectOf(node: JsonObject, level: number): JsonObject {
    const properties = asObject(node.properties) ?? {};
    const required = new Set((asList(node.required) ?? []).map(String));
    const entries: [string, unknown][] = [];
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const property = asObject(ownValue(properties, name)) ?? {};
      const value = known(name, property);
      if (value !== undefined) entries.push([name, value]);
      else if (required.has(name)) entries.push([name, made(property, level + 1)]);
    }
    return Object.fromEntries(entries);
  }

  function made(node: JsonObject, level: number): unknown {
    if (level > MOST_LEVELS) return null;
    const ref = asText(node.$ref);
    if (ref !== null) return made(follow(ref), level + 1);
    if (node.const !== undefined) return node.const;
    const words = asList(node.enum);
    if (words !== null && words.length > 0) return words[0];
    const parts = asList(node.allOf);
    if (parts !== null) return made(merged(node, parts), level + 1);
    const options = asList(node.anyOf) ?? asList(node.oneOf);
    if (options !== null && options.length > 0) return made(asObject(options[0]) ?? {}, level + 1);
    const type = asText(node.type) ?? asText(asList(node.type)?.[0]);
    switch (type?.toLowerCase() ?? (node.properties === undefined ? 'string' : 'object')) {
      case 'object':
        return objectOf(node, level);
      case 'array':
        return Array.from({ length: Math.max(0, Number(node.minItems ?? 0)) }, () =>
          made(asObject(node.items) ?? {}, level + 1),
        );
      case 'integer':
      case 'number':
        return numberOf(node);
      case 'boolean':
        return false;
      case 'null':
        return null;
      default:
        return textOf(node);
    }
  }

  function merged({ allOf: _parts, ...node }: JsonObject, parts: readonly unknown[]): JsonObject {
    let whole: JsonObject = node;
    for (const item of parts) {
      const part = asObject(item) ?? {};
      const open = asText(part.$ref) === null ? part : follow(String(part.$ref));
      whole = {
        ...whole,
        ...open,
        properties: { ...asObject(whole.properties), ...asObject(open.properties) },
        required: [...(asList(whole.required) ?? []), ...(asList(open.required) ?? [])],
      };
    }
    return whole;
  }

  return made(schema, 0);
}

/** A JSON object as it came over the wire. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object, or null. */
export function asObject(value: unknown): JsonObject | null {
  return isGroup(value) ? value : null;
}

/** The value as a list, or null. */
export function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** The value as a text, or null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Counts the tokens of a text for the request's model. */
export type CountTokens = (text: string) => number;

/** A tool that a request defines. */
export interface DefinedTool {
  readonly name: string;
  /** JSON schema of its input; empty if none is given. */
  readonly input: JsonObject;
}

/** A prefix with the blocks that form it. */
export interface PromptView extends PrefixView {
  readonly blocks: readonly Block[];
}
/** What a request demands of its answer, whichever API it came through; absent is what nobody demands. */
export interface AnswerDemands {
  /** It may call tools (`auto`), must not, or must call one. */
  readonly toolChoice?: 'auto' | 'none' | 'any';
  /** Tools that may be called; all of them where absent. */
  readonly allowedTools?: readonly string[];
  readonly callsAtOnce?: 'one' | 'many';
  /** Texts that end an answer where they would occur in it. */
  readonly stopSequences?: readonly string[];
  /** JSON schema that the text of the answer must follow. */
  readonly format?: JsonObject;
}

/** An accepted request, as the simulator sees it; whichever API it came through. */
export interface ApiRequest extends AnswerDemands {
  readonly model: ModelRow;
  /** The model's name as it was written. */
  readonly modelName: string;
  readonly windowTokens: number;
  readonly maxTokens: number;
  /** What becomes of an answer that prompt and `maxTokens` leave no room for. */
  readonly overWindow: 'refused' | 'cut';
  readonly delivery: 'plain' | 'stream';
  readonly view: PromptView;
  readonly salts: LevelSalts;
  readonly breakpoints: readonly Breakpoint[];
  readonly tools: readonly DefinedTool[];
  /** Turns of the conversation, consecutive messages of one role merged. */
  readonly messages: readonly Message[];
  readonly promptTokens: number;
  /** Whether the model is asked to think. */
  readonly thinking: 'on' | 'off';
  /** Stands for the prompt without its thinking. */
  readonly spoken: Digest;
  /** What the API does before it answers; absent if it compacts nothing. */
  readonly compaction?: ApiCompaction;
  readonly count: CountTokens;
}

/** A compaction by the API itself: a call for a summary, and the request that goes on behind it. */
export interface ApiCompaction {
  readonly ask: ApiRequest;
  /** The request behind a summary; null is one that failed, and leaves the request as it was. */
  readonly behind: (summary: string | null) => ApiRequest;
  /** Whether the summary is all of the answer. */
  readonly isAlone: boolean;
}

/** Counts for a model, whose tokenizer makes more or fewer tokens than the counter's. */
export function countFor(
  { tokenizerScale }: ModelRow,
  counter: { count(text: string): number },
): CountTokens {
  return (text) => (text === '' ? 0 : Math.max(1, Math.round(counter.count(text) * tokenizerScale)));
}

/** A block as it is read, with whatever else its API says of it. */
interface Held {
  readonly block: Block;
}

/** Consecutive messages of one role, as they are read. */
export interface ReadTurn<One extends Held> {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly One[];
}

/** The turns of a conversation as messages. */
export function messagesOf(turns: readonly ReadTurn<Held>[]): readonly Message[] {
  return turns.map(({ role, blocks }, i) =>
    createMessage({
      id: `turn ${i}`,
      role: role === 'assistant' ? 'assistant' : 'user',
      origin: role === 'assistant' ? 'model' : 'context',
      blocks: blocks.map(({ block }) => block),
      at: 0,
    }),
  );
}

/** The blocks of turns, without the thinking before this turn. */
export function blocksOf<One extends Held>(
  turns: readonly ReadTurn<One>[],
  keptFrom: number,
): readonly One[] {
  return turns.flatMap(({ blocks }, i) =>
    i < keptFrom ? blocks.filter(({ block }) => block.kind !== 'thinking') : blocks,
  );
}

/** The digest of a prompt without its thinking. */
export function spokenDigest(blocks: readonly Held[], from: Digest = 0): Digest {
  let digest = from;
  for (const { block } of blocks) if (block.kind !== 'thinking') digest = chainDigest(digest, block.digest);
  return digest;
}

/** The prompt that blocks form, in the order tools, system, messages. */
export function promptOf(
  blocks: readonly Held[],
  tools: number,
  system: number,
): Pick<ApiRequest, 'view' | 'promptTokens' | 'spoken'> {
  const digests: number[] = [];
  const sums: number[] = [];
  let digest = 0;
  let promptTokens = 0;
  for (const { block } of blocks) {
    digest = chainDigest(digest, block.digest);
    promptTokens += block.tokens;
    digests.push(digest);
    sums.push(promptTokens);
  }
  const plain = blocks.map(({ block }) => block);
  const ends = { toolsEnd: tools, systemEnd: tools + system };
  const view = { length: blocks.length, digests, sums, ...ends, blocks: plain };
  return { view, promptTokens, spoken: spokenDigest(blocks) };
}
