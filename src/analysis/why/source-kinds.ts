/** Where content of prompts and responses comes from, as a reader is told. None of these names anything of a user's own. */
const KINDS = {
  system: 'system prompt',
  definitions: 'tool definitions',
  opening: 'opening reminders',
  instructions: 'instruction files',
  user: 'user',
  command: 'slash commands',
  skill: 'skills',
  hook: 'hooks',
  reminder: 'reminders of the client',
  file: 'files',
  tool: 'tools',
  mcp: 'MCP servers',
  model: 'model output',
  summary: 'summaries',
  unrecorded: 'not recorded',
  subagent: 'subagents',
} as const;

/** One of them. */
export type SourceKind = keyof typeof KINDS;

/** The words of every kind. */
export const SOURCE_KINDS: Readonly<Record<SourceKind, string>> = KINDS;

/** All of them in the order in which charts stack them: what stands in front of a prompt first. */
export const KIND_ORDER = Object.keys(KINDS) as readonly SourceKind[];

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

/** What a row of sources is called. */
export interface SourceName {
  readonly kind: SourceKind;
  /** Null for all of its kind. */
  readonly name: string | null;
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
