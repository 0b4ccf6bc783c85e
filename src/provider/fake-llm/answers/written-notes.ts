import type { Message } from '../../../core/model/message.js';
import { NOTES_HEADINGS, type NotesSections } from '../../../core/model/notes.js';
import type { Text } from '../../../core/model/text.js';
import { type ConversationFacts, exactText, gatherFacts, type Spoken, walkBlocks } from './facts.js';

/** A section without what is noted in it. */
export interface NotesFrame {
  readonly header: string;
  readonly name: string;
  readonly description: string;
}

/** The sections of a notes file as they are; a file without headers has none. */
export function parseNotes(text: string): {
  readonly frames: readonly NotesFrame[];
  readonly bodies: readonly string[];
} {
  const found: { header: string; lines: string[] }[] = [];
  let isFenced = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isFenced = !isFenced;
    if (!isFenced && line.startsWith('# ')) found.push({ header: line.trimEnd(), lines: [] });
    else found.at(-1)?.lines.push(line);
  }
  const frames: NotesFrame[] = [];
  const bodies: string[] = [];
  for (const { header, lines } of found) {
    const first = lines.findIndex((line) => line.trim() !== '');
    const isDescribed = first >= 0 && /^_.*_$/.test(lines[first]!.trim());
    const description = isDescribed ? lines[first]!.trim() : '';
    frames.push({ header, name: header.slice(2).trim(), description });
    const noted = lines.slice(isDescribed ? first + 1 : 0);
    bodies.push(noted.join('\n').trim());
  }
  return { frames, bodies };
}

/** What notes are made of. */
export interface NotesParts {
  readonly frames: readonly NotesFrame[];
  /** Characters of each body. */
  readonly sizes: readonly number[];
  /** The bodies they go on from. */
  readonly bodies: WrittenNotes | readonly string[];
  /** Whether the bodies hold nothing but what was composed here. */
  readonly isKnown: boolean;
  /** Sections with something new or changed. */
  readonly edited: number;
  /** Messages that the new words come from. */
  readonly recent: Excerpt;
}

/**
 * What messages say, without the messages themselves: notes that nobody has read yet go back to the first of a session, and
 * would keep everything alive.
 */
export class Excerpt {
  private readonly origins: Message['origin'][];
  private readonly blocks: Message['blocks'][];

  /** How many of the latest messages. */
  constructor(messages: readonly Message[], count: number) {
    const from = Math.max(0, messages.length - count);
    this.origins = new Array<Message['origin']>(messages.length - from);
    this.blocks = new Array<Message['blocks']>(messages.length - from);
    for (let i = from; i < messages.length; i++) {
      const { origin, blocks } = messages[i]!;
      this.origins[i - from] = origin;
      this.blocks[i - from] = blocks;
    }
  }

  get messages(): readonly Spoken[] {
    return this.origins.map((origin, i) => ({ origin, blocks: this.blocks[i]! }));
  }
}

/** Notes as they were composed. Each goes on from the one before; words are made only when somebody reads them. */
export class WrittenNotes implements Text, NotesSections {
  readonly chars: number;
  readonly frames: readonly NotesFrame[];
  readonly sizes: readonly number[];
  readonly edited: number;
  private readonly isKnown: boolean;
  private written: readonly string[] | null = null;
  private source: NotesParts | null;

  constructor(parts: NotesParts) {
    const { frames, sizes } = parts;
    this.frames = frames;
    this.sizes = sizes;
    this.edited = parts.edited;
    this.isKnown = parts.isKnown;
    this.source = parts;
    let chars = frames.length - 1;
    for (let i = 0; i < frames.length; i++) chars += frameChars(frames[i]!) + bodyChars(sizes[i]!);
    this.chars = chars;
  }

  /** Sections as a reader would find them; null when foreign text may hide headers of its own. */
  get sections(): NotesSections | null {
    return this.isKnown ? this : null;
  }

  read(): string {
    const bodies = this.bodies();
    return this.frames.map((frame, i) => assemble(frame, bodies[i]!)).join('\n');
  }

  /** Writes the bodies, those they go on from first: a long row of unread notes is no deep recursion. */
  private bodies(): readonly string[] {
    if (this.written !== null) return this.written;
    const unread: WrittenNotes[] = [];
    let from: WrittenNotes | readonly string[] = this;
    while (from instanceof WrittenNotes && from.written === null) {
      unread.push(from);
      from = from.source!.bodies;
    }
    let bodies = from instanceof WrittenNotes ? from.written! : from;
    for (let i = unread.length - 1; i >= 0; i--) {
      const { frames, sizes, source } = unread[i]!;
      bodies = writeBodies(source!.recent.messages, frames, bodies, sizes);
    }
    this.written = bodies;
    this.source = null;
    return bodies;
  }
}

function frameChars({ header, description }: NotesFrame): number {
  return header.length + 1 + (description === '' ? 0 : description.length + 1);
}

/** A body has a line break before and behind it. */
function bodyChars(size: number): number {
  return size === 0 ? 0 : size + 2;
}

function assemble({ header, description }: NotesFrame, body: string): string {
  const about = description === '' ? '' : `${description}\n`;
  return `${header}\n${about}${body === '' ? '' : `\n${body}\n`}`;
}

/** True for the section that is written again each time: what is going on right now. */
export function isRenewed({ name }: NotesFrame): boolean {
  return name === RENEWED;
}

const RENEWED = NOTES_HEADINGS[1]!.name;

/** Each body goes on where it stood and says nothing twice; a renewed one starts again, a condensed one keeps the latest. */
function writeBodies(
  messages: readonly Spoken[],
  frames: readonly NotesFrame[],
  bodies: readonly string[],
  sizes: readonly number[],
): readonly string[] {
  const facts = gatherFacts(messages);
  return bodies.map((whole, i) => {
    const size = sizes[i]!;
    const body = isRenewed(frames[i]!) ? '' : size < whole.length ? latestLines(whole, size) : whole;
    const known = new Set(body.split('\n'));
    const fresh = linesFor(i, facts).filter((line) => !known.has(line));
    const lines = body === '' ? fresh : [body, ...fresh];
    return exactText(lines, size, freshWalk(messages, known));
  });
}

/** The last whole lines of a text that fit. */
function latestLines(text: string, chars: number): string {
  const from = text.indexOf('\n', Math.max(0, text.length - chars) - 1);
  return from === -1 ? text.slice(0, chars) : text.slice(from + 1);
}

function* freshWalk(messages: readonly Spoken[], known: ReadonlySet<string>): Generator<string> {
  for (const line of walkBlocks(messages)) if (!known.has(line)) yield line;
}

function linesFor(index: number, facts: ConversationFacts): readonly string[] {
  const ask = facts.lastRequest ?? 'a request whose words are not recorded';
  const done = facts.lastAnswer ?? 'an answer whose words are not recorded';
  switch (index) {
    case 1:
      return [`- Now: ${ask}`, `- Last said: ${done}`];
    case 2:
      return [`- Asked: ${ask}`];
    case 3:
    case 6:
      return facts.files.map(({ path, uses, tokens }) => `- ${path}: ${uses.join(', ')}, ${tokens} tokens`);
    case 4:
      return facts.tools.map(({ tool, calls }) => `- ${tool}, ${calls} times`);
    case 5:
      return facts.errors;
    default:
      return [`- ${done}`];
  }
}
