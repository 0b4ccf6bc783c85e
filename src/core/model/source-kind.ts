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

/** All of them in the order in which charts stack them: what comes before a prompt first. */
export const KIND_ORDER = Object.keys(KINDS) as readonly SourceKind[];

/** What a row or a column of sources is called. */
export interface SourceName {
  readonly kind: SourceKind;
  /** Null for all of its kind. */
  readonly name: string | null;
}

/** What fills the prompts of some requests: tokens by column; a column that a request lacks is empty. */
export interface PromptFills<Request> {
  readonly columns: readonly SourceName[];
  readonly of: Pick<ReadonlyMap<Request, readonly number[]>, 'get'>;
}
