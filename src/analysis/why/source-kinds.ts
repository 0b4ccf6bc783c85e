import type { SourceKind, SourceName } from '../../core/model/source-kind.js';

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
