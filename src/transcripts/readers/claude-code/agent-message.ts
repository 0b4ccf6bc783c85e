import { isObject, type JsonObject, objectOf, textOf } from '../../lines/narrow.js';

/** A line of a subagent that its parent's file tells of. */
export interface AgentMessage {
  readonly agentId: string;
  /** The line as the subagent's own file would hold it, without what the envelope around it says. */
  readonly line: JsonObject;
}

/** The message of a subagent inside a line of progress; null for any other line (spec of transcripts §6). */
export function agentMessageOf(value: JsonObject): AgentMessage | null {
  if (!isObject(value.data) || value.data.type !== 'agent_progress') return null;
  const agentId = textOf(value.data.agentId);
  const line = objectOf(value.data.message);
  const isMessage = (line.type === 'user' || line.type === 'assistant') && isObject(line.message);
  return agentId !== null && isMessage ? { agentId, line } : null;
}
