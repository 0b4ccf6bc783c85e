import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { CHARS_PER_TOKEN, textBlock } from '../../../core/model/block.js';
import { type Message, PassingMessage } from '../../../core/model/message.js';
import type { Notes } from '../../../core/model/notes.js';
import { lazyText } from '../../../core/model/text.js';
import type { OverLimit } from './notes-file.js';
import type { NotesLimits } from './params.js';

/** What the fork is told (SES-3): one file, no other tool, and what has grown too long (SES-4). */
export interface InstructionInit {
  readonly id: string;
  readonly at: number;
  readonly path: string;
  /** The notes as they are; the fork gets them with the instruction. */
  readonly notes: Notes;
  readonly over: OverLimit;
  readonly limits: NotesLimits;
}

/** The message that asks a fork to bring the notes up to date. Its text is built when somebody reads it. */
export function extractionInstruction(init: InstructionInit): Message {
  const { notes } = init;
  const before = opening(init.path);
  const after = closing(init.over, init.limits);
  const own = before.text.length + after.text.length;
  const text = lazyText(own + notes.text.chars, () => `${before.text}${notes.text.read()}${after.text}`);
  const digest = chainDigest(chainDigest(before.digest, after.digest), notes.digest);
  const block = textBlock(text, Math.ceil(own / CHARS_PER_TOKEN) + notes.tokens, digest);
  return new PassingMessage(init.id, 'user', 'directive', [block], init.at);
}

interface Opening {
  readonly path: string;
  readonly text: string;
  readonly digest: Digest;
}

let latest: Opening | null = null;

/** The opening for a path; a thread asks for the same one again and again. */
function opening(path: string): Opening {
  if (latest?.path !== path) {
    const text = openingText(path);
    latest = { path, text, digest: digestText(text) };
  }
  return latest;
}

interface Closing {
  readonly limits: NotesLimits;
  readonly text: string;
  readonly digest: Digest;
}

let plainClosing: Closing | null = null;

/** What follows the notes; as long as nothing is over its limit it stays the same. */
function closing(over: OverLimit, limits: NotesLimits): Closing {
  const isPlain = over.sections.length === 0 && !over.isTotalOver;
  if (isPlain && plainClosing?.limits === limits) return plainClosing;
  const text = `\n</notes>\n${condenseText(over, limits)}`;
  const made = { limits, text, digest: digestText(text) };
  if (isPlain) plainClosing = made;
  return made;
}

function openingText(path: string): string {
  return [
    'This request comes from the client, not from the user, and is no part of the conversation above.',
    `Bring the notes of this session up to date in ${path}. That file is the only one you may touch, and editing it is`,
    'the only tool you may use: every other call is refused. Make all edits in one go, then stop.',
    'Leave each header and the italic line below it exactly as they stand and write beneath them. Put down what somebody',
    'needs who takes over the work: names, paths, commands, numbers. A section with nothing new stays as it is.',
    'Always renew the current state.',
    '',
    '<notes>',
    '',
  ].join('\n');
}

function condenseText(over: OverLimit, limits: NotesLimits): string {
  const lines = [
    `Keep each section below ${limits.sectionTokens} tokens and all of them below ${limits.totalTokens}.`,
  ];
  if (over.isTotalOver) {
    lines.push(
      `URGENT: the notes hold about ${over.totalTokens} tokens. Shorten them below ${limits.totalTokens} before anything else;`,
      'keep the current state and the errors in most detail.',
    );
  }
  if (over.sections.length > 0) lines.push('Condense these sections:');
  for (const { name, tokens } of over.sections)
    lines.push(`- ${name}: about ${tokens} of ${limits.sectionTokens} tokens`);
  return `${lines.join('\n')}\n`;
}
