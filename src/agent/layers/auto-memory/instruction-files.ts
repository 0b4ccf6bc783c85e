import { contentWords, overlap, wordsIn } from '../../../core/memory/meaning.js';
import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';

/** Attachments that hold a project's instructions. */
const ATTACHED = new Set(['memory', 'nested_memory']);
const FILE = /(?:^|[\\/])(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md$/;

/** Characters of an instruction file that are looked at (assumed). */
const LOOK_CHARS = 40_000;

/** Share of a sentence's words that one line of the instructions holds when it says as much (assumed). */
const SAID_SHARE = 0.8;

const LINES = new WeakMap<Block, readonly ReadonlySet<string>[]>();

function linesIn(block: Block): readonly ReadonlySet<string>[] {
  let lines = LINES.get(block);
  if (lines === undefined) {
    const text = block.text?.read().slice(0, LOOK_CHARS) ?? '';
    lines = text.split('\n').map((line) => new Set(contentWords(line)));
    LINES.set(block, lines);
  }
  return lines;
}

function isInstruction({ kind, facts }: Block): boolean {
  if (kind === 'text' && facts.attachment !== undefined && ATTACHED.has(facts.attachment)) return true;
  return kind === 'tool_result' && facts.path !== undefined && FILE.test(facts.path);
}

/** Blocks of a conversation that hold instructions. */
export function instructionBlocks(messages: readonly Message[]): readonly Block[] {
  const found: Block[] = [];
  for (const { blocks } of messages) for (const block of blocks) if (isInstruction(block)) found.push(block);
  return found;
}

/** Whether instruction files say as much as a sentence does (AUT-2). */
export function instructionsSay(instructions: readonly Block[], sentence: string): boolean {
  if (instructions.length === 0) return false;
  const words = wordsIn(sentence);
  if (words.size === 0) return false;
  return instructions.some((block) => linesIn(block).some((line) => holds(line, words)));
}

function holds(line: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  return line.size >= words.size * SAID_SHARE && overlap(words, line) >= SAID_SHARE;
}
