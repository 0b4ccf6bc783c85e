import type { ToolEffect } from '../../../core/model/block.js';
import type { MessageOrigin } from '../../../core/model/message.js';
import type { SpokenThinking } from '../../../core/model/transcript.js';
import { isObject, type JsonObject, jsonOf, listOf, numberOf, textOf, textsOf } from '../../lines/narrow.js';

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
function isNotification(text: string): boolean {
  return text.startsWith(NOTIFICATION);
}

/** What the user asks of a compaction by hand; null if the text is no such command or says nothing more. */
export function compactInstructions(text: string): string | null {
  if (!text.includes(COMPACT)) return null;
  const asked = ARGUMENTS.exec(text)?.[1]?.trim() ?? '';
  return asked === '' ? null : asked;
}

/** What a line says of who speaks. */
interface Speaker {
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
const SKILL_TOOL = 'Skill';

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

type EffectOf = (input: JsonObject) => ToolEffect | null;

function charsOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

/** Characters by which a replacement changes a file; null when it is made as often as it fits. */
function growth(edit: JsonObject): number | null {
  return edit.replace_all === true ? null : charsOf(edit.new_string) - charsOf(edit.old_string);
}

function editsOf({ edits }: JsonObject): ToolEffect {
  let chars: number | null = 0;
  for (const edit of listOf(edits)) {
    const by = isObject(edit) ? growth(edit) : null;
    chars = by === null || chars === null ? null : chars + by;
  }
  return { kind: 'edit', chars };
}

function inBackground(input: JsonObject): ToolEffect | null {
  if (input.run_in_background !== true) return null;
  return { kind: 'background', label: textOf(input.description) ?? 'a command' };
}

/** What calls of the client's own tools do besides answering (transcripts.md 4). */
const EFFECTS: ReadonlyMap<string, EffectOf> = new Map<string, EffectOf>([
  ['Write', ({ content }) => ({ kind: 'write', chars: charsOf(content) })],
  ['Edit', (input) => ({ kind: 'edit', chars: growth(input) })],
  ['MultiEdit', editsOf],
  ['NotebookEdit', () => ({ kind: 'edit', chars: null })],
  [
    'Read',
    ({ offset, limit, pages }) =>
      numberOf(offset) === null && numberOf(limit) === null && textOf(pages) === null
        ? null
        : { kind: 'read-part' },
  ],
  ['Skill', ({ skill, command }) => ({ kind: 'skill', name: textOf(skill) ?? textOf(command) ?? 'unnamed' })],
  [
    'TodoWrite',
    ({ todos }) => ({ kind: 'todo-list', items: listOf(todos).length, chars: jsonOf(listOf(todos)).length }),
  ],
  [
    'TaskCreate',
    ({ subject, description }) => ({ kind: 'task-create', chars: charsOf(subject) + charsOf(description) }),
  ],
  [
    'TaskUpdate',
    ({ taskId, status, subject, description }) => ({
      kind: 'task-update',
      task: typeof taskId === 'number' ? String(taskId) : (textOf(taskId) ?? ''),
      status: textOf(status),
      chars: charsOf(subject) + charsOf(description),
    }),
  ],
  ['EnterPlanMode', () => ({ kind: 'plan-enter' })],
  [
    'ExitPlanMode',
    ({ plan, planFilePath }) => ({ kind: 'plan-exit', chars: charsOf(plan), path: textOf(planFilePath) }),
  ],
  ['Task', inBackground],
  ['Agent', inBackground],
  ['Bash', inBackground],
]);

/** What a tool call does to files, lists and plans; null when it does nothing of the kind. */
export function effectOf(tool: string, input: unknown): ToolEffect | null {
  const effect = EFFECTS.get(tool);
  return effect === undefined || !isObject(input) ? null : effect(input);
}

/** How results begin that name what was started beside the conversation. */
const STARTED =
  /^(?:Async agent launched|Command running in background)[\s\S]{0,80}?\b(?:agentId:|ID:)\s*([\w-]+)/;
const ASKED_FOR = new Set(['TaskOutput', 'BashOutput', 'AgentOutputTool']);
/** Characters in which a notice or an answer tells whom it is about. */
const NEWS_CHARS = 2_000;

function tagged(text: string, tag: RegExp): string | null {
  return tag.exec(text)?.[1] ?? null;
}

function endOf(text: string): ToolEffect | null {
  const head = text.slice(0, NEWS_CHARS);
  const status = tagged(head, /<status>([\w-]+)<\/status>/);
  if (status === null || status === 'running') return null;
  const call = tagged(head, /<tool-use-id>(toolu_\w+)<\/tool-use-id>/);
  const task = tagged(head, /<task[-_]id>([\w-]+)<\/task[-_]id>/);
  return task === null && call === null ? null : { kind: 'background-news', state: 'ended', task, call };
}

/** News of something in the background that a result brings: its name, or its end; null when it brings none. */
export function resultNews(tool: string, text: string): ToolEffect | null {
  if (ASKED_FOR.has(tool)) return endOf(text);
  if (!text.startsWith('A') && !text.startsWith('Command running')) return null;
  const task = STARTED.exec(text)?.[1];
  return task === undefined ? null : { kind: 'background-news', state: 'running', task, call: null };
}

/** The end of something in the background that a notice tells; null for any other text. */
export function noticeNews(text: string): ToolEffect | null {
  return isNotification(text) ? endOf(text) : null;
}

/** Where an approved plan was saved, by the result of the call that ended plan mode; null when it says nothing of it. */
export function planPathOf(text: string): string | null {
  return /saved to: *(\S[^\n]*?\.md)\b/.exec(text.slice(0, NEWS_CHARS))?.[1] ?? null;
}

/** What an attachment of changed listings announces and withdraws; null for other attachments. */
export function announcementOf(attachment: JsonObject): ToolEffect | null {
  const { type } = attachment;
  if (typeof type !== 'string' || !type.endsWith('_delta')) return null;
  const names = textsOf(attachment.addedNames ?? attachment.addedTypes);
  const lines = textsOf(attachment.addedLines ?? attachment.addedBlocks);
  const again = textsOf(attachment.readdedNames).filter((name) => !names.includes(name));
  const added = [...names, ...again].map((name, i) => [name, (lines[i] ?? name).length] as const);
  return { kind: 'announce', added, removed: textsOf(attachment.removedNames ?? attachment.removedTypes) };
}

/** Attachments that show or name one file. */
const ABOUT_A_FILE = new Set<unknown>([
  'file',
  'nested_memory',
  'edited_text_file',
  'compact_file_reference',
  'plan_mode',
]);

/** The file that an attachment shows or names; null when it is about none. */
export function attachedPath(attachment: JsonObject): string | null {
  if (!ABOUT_A_FILE.has(attachment.type)) return null;
  return textOf(attachment.filename) ?? textOf(attachment.path) ?? textOf(attachment.planFilePath);
}
