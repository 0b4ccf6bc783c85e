import type { MessageOrigin } from '../../../core/model/message.js';
import type { SpokenThinking } from '../../../core/model/transcript.js';
import { isObject, type JsonObject, numberOf, textOf } from '../../lines/narrow.js';

const COMMAND =
  /^\s*<(?:command-(?:name|message|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr))>/;
const LOCAL_COMMAND = /^\s*<(?:local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr))>/;
const COMMAND_NAME = '<command-name>/';
const EXIT = /<command-name>\/(?:exit|quit)<\/command-name>/;
const COMPACT = '<command-name>/compact</command-name>';
const ARGUMENTS = /<command-args>([\s\S]*?)<\/command-args>/;
const INTERRUPTED = '[Request interrupted';
const NOTIFICATION = '<task-notification>';

/** True for the text of a slash command, a shell command or their output. */
export function isCommandText(text: string): boolean {
  return COMMAND.test(text);
}

/** True for what belongs to a command that the client carries out itself: its caveat, its output, a shell command. */
export function isLocalCommandText(text: string): boolean {
  return LOCAL_COMMAND.test(text);
}

/** True for the command that ends the client. */
export function isExitCommand(text: string): boolean {
  return text.includes(COMMAND_NAME) && EXIT.test(text);
}

/** True for the client's own news of a task in the background; early versions give such lines no `origin`. */
export function isNotification(text: string): boolean {
  return text.startsWith(NOTIFICATION);
}

/** What the user asks of a compaction by hand; null where the text is no such command or says nothing more. */
export function compactInstructions(text: string): string | null {
  if (!text.includes(COMPACT)) return null;
  const asked = ARGUMENTS.exec(text)?.[1]?.trim() ?? '';
  return asked === '' ? null : asked;
}

/** What a line says of who speaks. */
export interface Speaker {
  readonly isMeta: boolean;
  /** `origin.kind` where the client gives it. */
  readonly speaker: string | null;
}

/** Who put a line without tool results into the conversation. */
export function originOf(line: Speaker, text: string): MessageOrigin {
  if (isCommandText(text)) return 'command';
  if (line.isMeta || text.startsWith(INTERRUPTED)) return 'meta';
  if (line.speaker !== null) return line.speaker === 'human' ? 'human' : 'meta';
  return isNotification(text) ? 'meta' : 'human';
}

/** The tool whose text speaks for itself, as a prompt does. */
export const SKILL_TOOL = 'Skill';

function stateOf(metadata: JsonObject): SpokenThinking {
  const budget = numberOf(metadata.maxThinkingTokens);
  if (budget !== null) return budget > 0 ? 'on' : 'off';
  return metadata.disabled !== true && (textOf(metadata.level) ?? 'none') !== 'none' ? 'on' : 'off';
}

/**
 * What a line of the user side says about thinking (K1): prompts carry metadata; commands, skills and plans speak without
 * them. Null for lines that nobody speaks: results, outputs of commands, interruptions.
 */
export function spokenThinking(
  line: JsonObject,
  origin: MessageOrigin,
  sourceTool: string | null,
  text: string,
): SpokenThinking | null {
  if (isObject(line.thinkingMetadata)) return stateOf(line.thinkingMetadata);
  if (origin === 'human') return 'unsaid';
  if (origin !== 'meta' || text.startsWith(INTERRUPTED)) return null;
  return sourceTool === null || sourceTool === SKILL_TOOL ? 'unsaid' : null;
}
