import { ownValue } from '../../core/base/own-value.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { SourceKind, SourceName } from '../../core/model/source-kind.js';
import { textStart } from '../../core/model/text.js';
import type { Thread, Transcript } from '../../core/model/transcript.js';
import { callsIn } from '../../core/model/transcript.js';
import { RESTORED_CONTEXT, UNLOGGED_CONTEXT } from '../../transcripts/drafts/calibrate.js';
import { EARLIER_HISTORY, OPENING_CONTEXT } from '../../transcripts/drafts/opening.js';

/** Characters in which a text tells what it is. */
const HEAD_CHARS = 300;

const MCP_TOOL = /^mcp__(.+?)__/;
const COMMAND = /<command-name>\/?([^<]+)<\/command-name>/;
const SHELL = /^\s*<bash-/;
const SKILL_FOLDER = /^\s*Base directory for this skill: .*?([^\\/\n]+)[\\/]?(?:\n|$)/;
const TAG = /^\s*<([\w-]+(?: instructions)?)/;
const HOOK_NAME = /^<system-reminder>\s*([A-Z]\w+(?::\S+)?)\s/;
const INSTRUCTIONS_HEAD = /^\s*(?:# (\S+) instructions|<user_instructions>)/;

/** What attachments are; others are reminders of their own name. */
const ATTACHMENTS: Readonly<Record<string, readonly [SourceKind, string]>> = {
  [OPENING_CONTEXT]: ['opening', 'files and lists, combined'],
  [EARLIER_HISTORY]: ['unrecorded', 'history before the recording'],
  [RESTORED_CONTEXT]: ['unrecorded', 'restored by a compaction'],
  [UNLOGGED_CONTEXT]: ['unrecorded', 'unexplained growth'],
  skill_listing: ['skill', 'list of skills'],
  invoked_skills: ['skill', 'restored by a compaction'],
  deferred_tools_delta: ['definitions', 'tools announced later'],
  agent_listing_delta: ['definitions', 'list of subagents'],
  mcp_instructions_delta: ['mcp', 'instructions of several servers'],
  file: ['file', 'attached'],
  directory: ['file', 'attached'],
  edited_text_file: ['file', 'changed on disk'],
  compact_file_reference: ['file', 'restored by a compaction'],
  already_read_file: ['file', 'attached'],
};

/** Attachments that are files of instructions or of memory. */
const MEMORY_FILES = new Set(['nested_memory', 'memory', 'agent_memory', 'memory-index']);

/** Content that the recorded prompts have beyond what the lines of the recording hold. */
export const BEYOND_LINES: Origin = origin('unrecorded', 'unexplained growth');
/** Requests for summaries that a recording has beside its conversations. */
export const SUMMARY_REQUESTS: Origin = origin('summary', 'requests for them');
/** Requests of which the prompt could not be made again. */
export const NOT_REPLAYED: Origin = origin('unrecorded', 'requests that could not be replayed');

const SYSTEM = origin('system', 'system prompt');
const DEFINITIONS = origin('definitions', 'tool definitions');
const SUMMARIES = origin('summary', 'summaries');
const MADE = origin('unrecorded', 'inserted to make the request valid');

function origin(
  kind: SourceKind,
  name: string,
  more: { readonly tool?: string | null; readonly path?: string | null } = {},
): Origin {
  return { kind, name, tool: more.tool ?? null, path: more.path ?? null };
}

function headOf(message: Message): string {
  const text = message.blocks[0]?.text ?? null;
  return text === null ? '' : textStart(text, HEAD_CHARS);
}

function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Says of the content of one thread where it comes from. */
export class SourceNames {
  /** What messages are whose blocks do not tell: bodies of skills and commands, notices. */
  readonly #messages = new Map<string, Origin>();
  /** Skills by the id of the call that invoked them. */
  readonly #skills = new Map<string, string>();
  /** What the recording holds, by id. */
  readonly #recorded = new Map<string, Message>();
  #command: string | null = null;
  #skill: string | null = null;

  constructor({ steps }: Pick<Thread, 'steps'>) {
    for (const step of steps) {
      if (step.kind === 'call') this.#invoked(step.call.response);
      else if (step.kind === 'message') this.#heard(step.message);
      else if (step.event.kind === 'recorded-compaction' && step.event.summary !== null)
        this.#recorded.set(step.event.summary.id, step.event.summary);
    }
  }

  /** The block at a place of a message as the recording holds it; null if it does not. */
  recorded(message: Message | null, place: number): Block | null {
    return message === null ? null : (this.#recorded.get(message.id)?.blocks[place] ?? null);
  }

  #invoked({ blocks }: Message): void {
    for (const { facts, toolUseId } of blocks) {
      if (facts.effect?.kind !== 'skill') continue;
      this.#skill = facts.effect.name;
      if (toolUseId !== null) this.#skills.set(toolUseId, facts.effect.name);
    }
  }

  #heard(message: Message): void {
    this.#recorded.set(message.id, message);
    const found = this.#about(message);
    if (found !== null) this.#messages.set(message.id, found);
  }

  #about(message: Message): Origin | null {
    switch (message.origin) {
      case 'human':
        this.#command = null;
        this.#skill = null;
        return null;
      case 'command': {
        const head = headOf(message);
        this.#command = COMMAND.exec(head)?.[1]?.trim() ?? this.#command;
        return origin('command', SHELL.test(head) ? 'shell commands' : commandName(this.#command));
      }
      case 'meta':
        return this.#meta(headOf(message));
      case 'attachment':
        return message.blocks[0]?.facts.attachment === undefined ? untyped(headOf(message)) : null;
      default:
        return null;
    }
  }

  /** What the client says by itself: the body of a skill or of a command, or news. */
  #meta(head: string): Origin {
    const skill = SKILL_FOLDER.exec(head)?.[1];
    if (skill !== undefined) return origin('skill', this.#skill ?? skill);
    const tag = TAG.exec(head)?.[1] ?? '';
    if (tag.endsWith('notification')) return origin('reminder', 'updates from tasks and subagents');
    if (this.#skill !== null) {
      const name = this.#skill;
      this.#skill = null;
      return origin('skill', name);
    }
    return this.#command === null ? untyped(head) : origin('command', commandName(this.#command));
  }

  /** Where a block of a message comes from; null for the message stands for tools and system prompt. */
  of(block: Block, message: Message | null): Origin {
    const { kind, facts } = block;
    if (message === null && facts.attachment !== undefined) return attached(facts.attachment, block);
    if (message === null) return block.role === 'tools' ? DEFINITIONS : SYSTEM;
    if (kind === 'tool_use' || kind === 'tool_result') return this.#tool(block);
    if (message.role === 'assistant') return origin('model', kind === 'thinking' ? 'thinking' : 'answers');
    const { attachment } = facts;
    if (attachment !== undefined) return attached(attachment, block);
    const known = this.#messages.get(message.id);
    if (known !== undefined) return known;
    if (facts.replaces === 'summary') return SUMMARIES;
    if (message.origin === 'human') return origin('user', kind === 'text' ? 'text' : 'images and documents');
    if (message.origin === 'summary') return SUMMARIES;
    return message.origin === 'tool' ? this.#tool(block) : MADE;
  }

  #tool({ tool, toolUseId, facts }: Block): Origin {
    const path = facts.path ?? null;
    const skill = facts.effect?.kind === 'skill' ? facts.effect.name : this.#skills.get(toolUseId ?? '');
    if (skill !== undefined) return origin('skill', skill, { tool, path });
    const name = tool ?? 'unknown';
    const server = name.startsWith('mcp__') ? MCP_TOOL.exec(name)?.[1] : undefined;
    return server === undefined
      ? origin('tool', name, { tool: name, path })
      : origin('mcp', server, { tool: name, path });
  }
}

function commandName(command: string | null): string {
  return command === null ? 'output of commands' : `/${command}`;
}

function attached(attachment: string, { text, facts }: Block): Origin {
  const path = facts.path ?? null;
  if (MEMORY_FILES.has(attachment)) return origin('instructions', lastPart(path ?? 'memory index'), { path });
  if (attachment.includes('hook')) {
    const head = text === null ? '' : textStart(text, HEAD_CHARS);
    return origin('hook', HOOK_NAME.exec(head)?.[1] ?? 'unnamed');
  }
  if (attachment === 'queued_command' && facts.effect === undefined) return origin('user', 'text');
  if (attachment === 'queued_command') return origin('reminder', 'updates from tasks and subagents');
  const { effect } = facts;
  if (attachment === 'mcp_instructions_delta' && effect?.kind === 'announce' && effect.added.length === 1)
    return origin('mcp', effect.added[0]![0]);
  const known = ownValue(ATTACHMENTS, attachment);
  return known === undefined
    ? origin('reminder', attachment.replaceAll('_', ' '), { path })
    : origin(known[0], known[1], { path });
}

/** What a client put into the conversation without saying what it is. */
function untyped(head: string): Origin {
  const instructions = INSTRUCTIONS_HEAD.exec(head);
  if (instructions !== null) return origin('instructions', instructions[1] ?? 'of the user');
  const tag = TAG.exec(head)?.[1];
  if (tag === 'skills_instructions') return origin('skill', 'list of skills');
  return origin('reminder', tag === undefined ? 'other' : tag.replaceAll(/[_-]/g, ' '));
}

/** What subagents are started with: the same words are the first of their conversations. */
const PROMPT_CHARS = 400;
const SPAWNING = new Set(['Task', 'Agent']);
/** Names that clients give to single subagents. */
const AGENT_ID = /^(?:a[0-9a-f]{6,}|sidechain-\d+|agent-\S+)$/;
const UNKNOWN_TYPE = 'type not recorded';

/** The types of the subagents of a recording by thread; main conversations have none. */
export function agentTypes({ threads }: Pick<Transcript, 'threads'>): ReadonlyMap<string, string> {
  const children = threads.filter(({ parentId }) => parentId !== null);
  const found = new Map<string, string>();
  if (children.length === 0) return found;
  const byPrompt = new Map<string, string>();
  for (const { response } of callsIn(threads))
    for (const block of response.blocks) {
      if (block.kind !== 'tool_use' || !SPAWNING.has(block.tool ?? '') || block.text === null) continue;
      const asked = spawned(block.text.read());
      if (asked !== null) byPrompt.set(asked.prompt, asked.type);
    }
  for (const { id, label, steps } of children) {
    const first = steps.find((step) => step.kind === 'message' && step.message.origin === 'human');
    const text = first?.kind === 'message' ? (first.message.blocks[0]?.text ?? null) : null;
    const known = text === null ? undefined : byPrompt.get(textStart(text, PROMPT_CHARS).trim());
    found.set(id, known ?? (AGENT_ID.test(label) ? UNKNOWN_TYPE : label));
  }
  return found;
}

/** The prompt and the type in the input of a call that starts a subagent. */
function spawned(call: string): { readonly prompt: string; readonly type: string } | null {
  const from = call.indexOf('{');
  if (from < 0) return null;
  try {
    const { prompt, subagent_type: type } = JSON.parse(call.slice(from)) as Record<string, unknown>;
    if (typeof prompt !== 'string') return null;
    return {
      prompt: prompt.slice(0, PROMPT_CHARS).trim(),
      type: typeof type === 'string' ? type : UNKNOWN_TYPE,
    };
  } catch {
    return null;
  }
}

/** How sources are put together: by kind and name, by kind, or names of one kind with everything else by kind. */
export type SourceBy =
  | 'source'
  | 'kind'
  | 'tool'
  | 'mcp'
  | 'file'
  | 'skill'
  | 'subagent'
  | 'hook'
  | 'instructions'
  | 'command';

/** What is known of where a piece of content comes from. */
export interface Origin {
  readonly kind: SourceKind;
  /** The tool, server, skill, hook or part of a kind. */
  readonly name: string;
  /** Name of the tool that was called or answered. */
  readonly tool: string | null;
  /** File that it is about. */
  readonly path: string | null;
}

/** The row that content of a subagent's conversation, or of a main one where `agent` is null, is counted in. */
export function sourceOf(origin: Origin, agent: string | null, by: SourceBy): SourceName {
  const { kind, name, tool, path } = origin;
  switch (by) {
    case 'source':
      return { kind, name };
    case 'tool':
      return tool === null ? { kind, name: null } : { kind: 'tool', name: tool };
    case 'mcp':
      return kind !== 'mcp' || tool === null
        ? { kind, name: kind === 'mcp' ? name : null }
        : { kind, name: tool };
    case 'file':
      return path === null ? { kind, name: null } : { kind: 'file', name: path };
    case 'instructions':
      return { kind, name: kind === by ? (path ?? name) : null };
    case 'subagent':
      return agent === null ? { kind, name: null } : { kind: 'subagent', name: agent };
    default:
      return { kind, name: kind === by ? name : null };
  }
}

/** The part of a prompt that content is drawn in: its kind, of tools each by its name. */
export function filledBy({ kind, name }: Origin): SourceName {
  return { kind, name: kind === 'tool' ? name : null };
}
