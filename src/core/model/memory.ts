import { type Digest, digestText } from '../base/digest.js';
import type { Text } from './text.js';

/** The types of durable memories (AUT-2). */
export const MEMORY_TYPES = ['user', 'feedback', 'project', 'reference'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Where durable memories are kept in the simulated home. */
export const MEMORY_DIRECTORY = '/memory';

/** The index of the memories (AUT-3). */
export const MEMORY_INDEX = `${MEMORY_DIRECTORY}/MEMORY.md`;

/** A durable memory: one markdown file with front matter (AUT-2). */
export interface Memory {
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType;
  readonly body: string;
}

/** What is known already when somebody looks for memories. */
export interface KnownMemories {
  /** Whether there is a memory of this name. */
  has(name: string): boolean;
  /** Whether a memory that was shown, or the instructions of the project, say as much (AUT-2). */
  says(sentence: string): boolean;
}

/** Characters of an index line around name and description: `- [name](name.md): description` and its end. */
const INDEX_FRAME_CHARS = '- [](.md): \n'.length;

/** Length of the line that a memory gets in the index, before it is cut (AUT-3). */
export function indexLineChars(part: string | MemoryText): number {
  const memory = typeof part === 'string' ? parseMemory(part) : part.memory;
  return memory === null ? 0 : INDEX_FRAME_CHARS + 2 * memory.name.length + memory.description.length;
}

/** Where clients keep the memories of a project: the part of a path behind the home directory. */
const RECORDED_DIRECTORY = /(?:^|\/)\.claude\/projects\/[^/]+\/memory\/([^/].*)$/;

/** The name of a memory file below its directory, in the simulated home or where clients record it; null for any other path. */
export function memoryFileName(path: string): string | null {
  const plain = path.includes('\\') ? path.replaceAll('\\', '/') : path;
  if (plain.startsWith(`${MEMORY_DIRECTORY}/`)) return plain.slice(MEMORY_DIRECTORY.length + 1);
  return RECORDED_DIRECTORY.exec(plain)?.[1] ?? null;
}

const OPENING = /^---\nname: (.+)\ndescription: (.*)\ntype: (\w+)\n---\n/;
const NEXT = /\n(?=---\nname: )/;

/** The text of a memory file. */
export function renderMemory({ name, description, type, body }: Memory): string {
  return `---\nname: ${name}\ndescription: ${description}\ntype: ${type}\n---\n\n${body}\n`;
}

/** Letters, figures and hyphens: such a name leads nowhere else. */
const PLAIN_NAME = /^[\w-]+$/;

/** A line of a list, with what is known of it without joining it to others. */
export interface ListLine {
  readonly text: string;
  readonly digest: Digest;
}

/** How a list names a memory. */
export function listLine({ name, description }: Memory): ListLine {
  const text = `- ${name}: ${description}`;
  return { text, digest: digestText(text) };
}

/** A memory file whose words are made when somebody reads them; what it holds is known without. */
export class MemoryText implements Text {
  readonly chars: number;
  /** Where its file belongs; null for a name that needs a closer look. */
  readonly path: string | null;
  private line: ListLine | null = null;

  constructor(readonly memory: Memory) {
    const { name, description, type, body } = memory;
    this.chars = FRAME_CHARS + name.length + description.length + type.length + body.length;
    this.path = PLAIN_NAME.test(name) ? `${MEMORY_DIRECTORY}/${name}.md` : null;
  }

  get listLine(): ListLine {
    this.line ??= listLine(this.memory);
    return this.line;
  }

  read(): string {
    return renderMemory(this.memory);
  }
}

const FRAME_CHARS = '---\nname: \ndescription: \ntype: \n---\n\n\n'.length;

/** True for a memory that reads back as it is: one line each, no white space around, no binary content. */
function isPlain({ name, description, body }: Memory): boolean {
  const words = `${name}\t${description}\t${body}`;
  return name !== '' && !words.includes('\n') && body.trim() === body && !isBinary(words);
}

/** What a memory file holds, built when read where that makes no difference. */
export function memoryContent(memory: Memory): string | MemoryText {
  return isPlain(memory) ? new MemoryText(memory) : renderMemory(memory);
}

/** Memory files one after the other. */
export class MemoriesText implements Text {
  readonly chars: number;

  constructor(readonly parts: readonly (string | MemoryText)[]) {
    this.chars = parts.reduce((sum, part) => sum + charsOf(part), Math.max(0, parts.length - 1));
  }

  read(): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : part.read())).join('\n');
  }
}

function charsOf(part: string | MemoryText): number {
  return typeof part === 'string' ? part.length : part.chars;
}

/** The memories of a text, without reading it where they are known; what cannot be read is counted. */
export function memoriesIn(text: Text): {
  readonly memories: readonly { readonly memory: Memory; readonly content: string | MemoryText }[];
  readonly broken: number;
} {
  const known = text instanceof MemoriesText ? text.parts.filter((part) => typeof part !== 'string') : [];
  if (text instanceof MemoriesText && known.length === text.parts.length)
    return { memories: known.map((content) => ({ memory: content.memory, content })), broken: 0 };
  const { memories, broken } = parseMemories(text.read());
  return { memories: memories.map((memory) => ({ memory, content: memoryContent(memory) })), broken };
}

/** Reads one memory file; null when its front matter is broken, its type unknown or its content binary. */
export function parseMemory(text: string): Memory | null {
  const match = OPENING.exec(text);
  if (match === null || isBinary(text)) return null;
  const [opening, name, description, type] = match as unknown as [string, string, string, string];
  if (!(MEMORY_TYPES as readonly string[]).includes(type)) return null;
  return { name, description, type: type as MemoryType, body: text.slice(opening.length).trim() };
}

/** Reads memory files written one after the other; what cannot be read is counted. */
export function parseMemories(text: string): {
  readonly memories: readonly Memory[];
  readonly broken: number;
} {
  if (text.trim() === '') return { memories: [], broken: 0 };
  const parts = text.split(NEXT).map(parseMemory);
  const memories = parts.filter((memory) => memory !== null);
  return { memories, broken: parts.length - memories.length };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const NO_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/;

/** True for content that is no text. */
export function isBinary(text: string): boolean {
  return NO_TEXT.test(text);
}
