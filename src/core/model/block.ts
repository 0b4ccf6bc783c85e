import { chainDigest, type Digest, digestParts, digestText } from '../base/digest.js';
import { literalText, type Text } from './text.js';

/** Where a block stands in the request: the order of the hashed prefix is tools, system, messages. */
export const BLOCK_ROLES = ['tools', 'system', 'user', 'assistant'] as const;
export type BlockRole = (typeof BLOCK_ROLES)[number];

/** What a block is. `other` covers content that only other clients know. */
export const BLOCK_KINDS = [
  'tools',
  'system',
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'image',
  'document',
  'other',
] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** Facts about a block that layers ask for without reading its text. */
export interface BlockFacts {
  /** File a Read, Edit or Write is about. */
  readonly path?: string;
  /** The tool reported an error. */
  readonly isError?: boolean;
  /** Images inside a tool result. */
  readonly images?: number;
  /** Documents inside a tool result: clients count them as nothing (TOK-2). */
  readonly documents?: number;
  /** The message is this text alone, as a plain string and not as a list of blocks (TOK-3). */
  readonly plain?: boolean;
  /** The content is JSON-like (TOK-1 counts it at two bytes a token in claude-code/2026). */
  readonly jsonLike?: boolean;
  /** The result is only a pointer to an earlier read (RES-1). */
  readonly stub?: boolean;
  /** The client that recorded the result had cut it or stored it already. */
  readonly limited?: boolean;
  /** User text that holds a local-command-stdout marker (TOK-7). */
  readonly localCommand?: boolean;
  /** Kind of the attachment this block was rendered from. */
  readonly attachment?: string;
  /** What a tool call does to files, lists and plans. */
  readonly effect?: ToolEffect;
  /** The size of a restored file is not known: that of its last known version stands for it (RES-1). */
  readonly estimated?: boolean;
  /** What the client counts for reasoning that the record holds sealed. */
  readonly sealedTokens?: number;
  /** A replacement made by a layer: what it stands for. */
  readonly replaces?: 'cleared' | 'stored' | 'cut' | 'summary' | 'marker' | 'image';
}

/**
 * An immutable piece of a request. What is computed about it is computed once, at creation; a cleared, cut or
 * summarised block is a new block. `text` is null for opaque blocks (request traces), which replay all the same.
 */
export interface Block {
  readonly kind: BlockKind;
  readonly role: BlockRole;
  /** True tokens: what the API bills. */
  readonly tokens: number;
  /** Length in characters; for a tool_use, name plus JSON input. Estimated for opaque blocks. */
  readonly chars: number;
  /** Rough estimate by TOK-1 and TOK-2, without padding: what a chars/4 counter sees. */
  readonly rough: number;
  readonly digest: Digest;
  readonly text: Text | null;
  readonly toolUseId: string | null;
  /** Name of the tool, for tool_use and tool_result. */
  readonly tool: string | null;
  readonly facts: BlockFacts;
}

/** What is needed to make a block; the rest is derived. */
export interface BlockInit {
  readonly kind: BlockKind;
  readonly role: BlockRole;
  readonly tokens: number;
  readonly text?: string | Text | null | undefined;
  readonly chars?: number | undefined;
  readonly rough?: number | undefined;
  readonly digest?: Digest | undefined;
  readonly toolUseId?: string | null;
  readonly tool?: string | null;
  readonly facts?: BlockFacts | undefined;
}

/** Tokens counted for an image, whatever its size (TOK-1); a document weighs as much in the bill. */
export const IMAGE_TOKENS = 2_000;

/** Characters per true token of prompt growth in recorded sessions, median (evidence E6): sizes opaque blocks. */
export const CHARS_PER_TOKEN = 2.75;

/** Facts of one shape: what reads them at every block finds them at the same place. */
class UniformFacts {
  constructor(facts: BlockFacts) {
    const mine = this as Record<keyof BlockFacts, unknown>;
    mine.path = facts.path;
    mine.isError = facts.isError;
    mine.images = facts.images;
    mine.documents = facts.documents;
    mine.plain = facts.plain;
    mine.jsonLike = facts.jsonLike;
    mine.stub = facts.stub;
    mine.limited = facts.limited;
    mine.localCommand = facts.localCommand;
    mine.attachment = facts.attachment;
    mine.effect = facts.effect;
    mine.estimated = facts.estimated;
    mine.sealedTokens = facts.sealedTokens;
    mine.replaces = facts.replaces;
  }
}

/** Nothing is known of a block. */
export const NO_FACTS: BlockFacts = Object.freeze(new UniformFacts({}));

/** Images and documents inside a tool result, together. */
export function mediaCount(facts: BlockFacts): number {
  return (facts.images ?? 0) + (facts.documents ?? 0);
}

/** Whether a block is an image or a document, or holds one. */
export function holdsImage(block: Block): boolean {
  return block.kind === 'image' || block.kind === 'document' || mediaCount(block.facts) > 0;
}

/** Facts as blocks carry them; absent ones are undefined. */
export function uniformFacts(facts: BlockFacts): BlockFacts {
  return facts instanceof UniformFacts ? facts : new UniformFacts(facts);
}
const KIND_SALT = new Map<BlockRole, Map<BlockKind, Digest>>();

function saltOf(role: BlockRole, kind: BlockKind): Digest {
  let salts = KIND_SALT.get(role);
  if (salts === undefined) {
    salts = new Map();
    KIND_SALT.set(role, salts);
  }
  let salt = salts.get(kind);
  if (salt === undefined) {
    salt = digestParts([role, kind]);
    salts.set(kind, salt);
  }
  return salt;
}

/** Digest of a block's content: role, kind, text, tool, id, and the images and documents inside a tool result. */
export function digestContent(
  text: string,
  kind: BlockKind,
  role: BlockRole,
  tool: string | null,
  toolUseId: string | null,
  images: number,
): Digest {
  let digest = digestText(text, saltOf(role, kind));
  if (tool !== null) digest = chainDigest(digest, digestText(tool));
  if (toolUseId !== null) digest = chainDigest(digest, digestText(toolUseId));
  return images > 0 ? chainDigest(digest, images) : digest;
}

/** Makes a block. Digest: role, kind, tool, id and content; given content digests are combined the same way. */
export function createBlock(init: BlockInit): Block {
  const text = typeof init.text === 'string' ? literalText(init.text) : (init.text ?? null);
  const chars = init.chars ?? text?.chars ?? Math.round(init.tokens * CHARS_PER_TOKEN);
  const images = init.facts?.images ?? 0;
  const rough =
    init.rough ?? (init.kind === 'image' ? IMAGE_TOKENS : Math.round(chars / 4) + images * IMAGE_TOKENS);
  const { kind, role } = init;
  const tool = init.tool ?? null;
  const toolUseId = init.toolUseId ?? null;
  const digest =
    init.digest ??
    digestContent(
      text === null ? `opaque ${init.tokens}` : text.read(),
      kind,
      role,
      tool,
      toolUseId,
      mediaCount(init.facts ?? NO_FACTS),
    );
  return {
    kind,
    role,
    tokens: init.tokens,
    chars,
    rough,
    digest,
    text,
    toolUseId,
    tool,
    facts: init.facts === undefined ? NO_FACTS : uniformFacts(init.facts),
  };
}

/** A text on the user's side whose digest is known without reading it. */
export function textBlock(
  text: Text,
  tokens: number,
  digest: Digest,
  facts: BlockFacts = NO_FACTS,
  rough: number = Math.round(text.chars / 4),
): Block {
  return {
    kind: 'text',
    role: 'user',
    tokens,
    chars: text.chars,
    rough,
    digest,
    text,
    toolUseId: null,
    tool: null,
    facts: uniformFacts(facts),
  };
}

/** A tool call or a tool result of the given words. */
export function toolBlock(
  kind: 'tool_use' | 'tool_result',
  text: string,
  tokens: number,
  tool: string | null,
  toolUseId: string | null,
  facts: BlockFacts = NO_FACTS,
): Block {
  const role = kind === 'tool_use' ? 'assistant' : 'user';
  return {
    kind,
    role,
    tokens,
    chars: text.length,
    rough: Math.round(text.length / 4),
    digest: digestContent(text, kind, role, tool, toolUseId, 0),
    text: literalText(text),
    toolUseId,
    tool,
    facts: uniformFacts(facts),
  };
}

/** The same block with another true token count (calibration against recorded usage). */
export function withTokens(block: Block, tokens: number): Block {
  if (tokens === block.tokens) return block;
  return { ...block, tokens };
}

const WORDS =
  'the value of each field is read once and kept with its line until the next step asks for it again ';

/** A text of exactly this length that depends on the seed alone: stands in for content a recording does not hold. */
export function fillerText(chars: number, seed: string): string {
  const opening = `${seed} `;
  return (opening + WORDS.repeat(Math.ceil(chars / WORDS.length))).slice(0, Math.max(0, chars));
}

/**
 * What a block, mostly a tool call, does to state that outlives its messages: the file on disk, the todo list, the plan, what
 * runs beside the conversation. Sizes are those of the content itself, not of the call around it.
 */
export type ToolEffect =
  /** A file has this content now (Write). */
  | { readonly kind: 'write'; readonly chars: number }
  /** A file grew or shrank by this many characters (Edit, MultiEdit); null if it is unknown (replace all, notebooks). */
  | { readonly kind: 'edit'; readonly chars: number | null }
  /** A part of a file was read (Read with an offset or a limit). */
  | { readonly kind: 'read-part' }
  /** A skill was invoked; its content follows in a message of its own. */
  | { readonly kind: 'skill'; readonly name: string }
  /** The whole todo list was written (TodoWrite). */
  | { readonly kind: 'todo-list'; readonly items: number; readonly chars: number }
  /** A task joined the list (TaskCreate). */
  | { readonly kind: 'task-create'; readonly chars: number }
  /** A task changed (TaskUpdate); `deleted` removes it. */
  | {
      readonly kind: 'task-update';
      readonly task: string;
      readonly status: string | null;
      readonly chars: number;
    }
  /** Plan mode was entered, or ended with a plan (ExitPlanMode); the plan may be in a file. */
  | { readonly kind: 'plan-enter' }
  | { readonly kind: 'plan-exit'; readonly chars: number; readonly path: string | null }
  /** An agent or a command was started beside the conversation; it runs until a block tells that it has ended. */
  | { readonly kind: 'background'; readonly label: string }
  /** News of it: the name the client gave it (on the result of its call), or its end. Call is null if only the name is known. */
  | {
      readonly kind: 'background-news';
      readonly state: 'running' | 'ended';
      readonly task: string | null;
      readonly call: string | null;
    }
  /** An attachment announces tools, agents or instructions: names with the size of what is said of each, and names withdrawn. */
  | {
      readonly kind: 'announce';
      readonly added: readonly (readonly [name: string, chars: number])[];
      readonly removed: readonly string[];
    };
