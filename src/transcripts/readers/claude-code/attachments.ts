import { ownValue } from '../../../core/base/own-value.js';
import { isObject, type JsonObject, jsonOf, objectOf, textOf } from '../../lines/narrow.js';

/** Kinds that only the terminal shows. */
const UNSEEN = new Set([
  'command_permissions',
  'hook_cancelled',
  'hook_non_blocking_error',
  'hook_system_message',
  'goal_status',
]);

/** Fields that the model sees, in that order. */
const SHOWN = [
  'filename',
  'path',
  'hookName',
  'prompt',
  'content',
  'snippet',
  'addedLines',
  'addedBlocks',
  'removedNames',
  'removedTypes',
  'files',
  'newDate',
  'message',
  'text',
];

/** What reminders say when they carry nothing but their kind. */
const STANDING_TEXT: Readonly<Record<string, string>> = {
  task_reminder:
    'The task list has not been used for a while. Keep it up to date if the work has several steps: add what is new, ' +
    'mark what is done, remove what no longer matters. Ignore this note where it does not apply, and do not speak of it.',
  todo_reminder:
    'The list of things to do has not been used for a while. Keep it up to date if the work has several steps, and ' +
    'clear what is stale. Ignore this note where it does not apply, and do not speak of it.',
  auto_mode: 'The user lets the work go on without confirmation. Carry on with sensible assumptions.',
  plan_mode: 'Plan mode is on: read and think, present a plan, change nothing before the plan is accepted.',
  compact_file_reference:
    'This file was read before the conversation was summarised; read it again when it is needed.',
};

const REMINDER = '<system-reminder>';

/** Payloads nested deeper than this are not read. */
const DEEPEST = 8;

/** The text of a nested payload: strings as they are, lists line by line, files by their content. */
function payloadText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (depth > DEEPEST) return '';
  if (Array.isArray(value)) {
    return value
      .map((item) => payloadText(item, depth + 1))
      .filter((text) => text !== '')
      .join('\n');
  }
  if (!isObject(value)) return '';
  if (isObject(value.file)) return payloadText(value.file, depth + 1);
  return typeof value.content === 'string' ? value.content : jsonOf(value);
}

/** The image inside an attached file, or null when it is text. */
export function attachedImage(attachment: JsonObject): JsonObject | null {
  const content = objectOf(attachment.content);
  return content.type === 'image' ? objectOf(content.file) : null;
}

/** The text the model sees of an attachment, about as long as the client's; null when the model sees nothing. */
export function renderAttachment(attachment: JsonObject): string | null {
  const type = textOf(attachment.type) ?? 'other';
  if (UNSEEN.has(type)) return null;
  if (type === 'hook_success' && textOf(attachment.content) === null) return null;
  const ready = textOf(attachment.content);
  if (ready?.startsWith(REMINDER) === true) return ready;
  const parts = SHOWN.map((field) => payloadText(ownValue(attachment, field))).filter((text) => text !== '');
  const standing = ownValue(STANDING_TEXT, type);
  if (standing !== undefined) parts.unshift(standing);
  const text = parts.length === 0 ? type : parts.join('\n');
  return `${REMINDER}\n${text}\n</system-reminder>`;
}
