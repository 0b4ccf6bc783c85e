import { entryOf } from '../../../core/base/once.js';
import { type Block, type BlockFacts, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';

/** Folder of the folds of all threads. */
const FOLD_DIRECTORY = '/folds';

/** Where a fold is kept; a prompt that is folded again goes to the same file. */
export function foldPath(thread: string, promptId: string): string {
  return `${FOLD_DIRECTORY}/${thread}/${promptId}.json`;
}

/** The messages of a fold as its file holds them, written when somebody reads it. */
export class FoldText {
  constructor(private readonly messages: readonly Message[]) {}

  get chars(): number {
    return this.read().length;
  }

  read(): string {
    return JSON.stringify(this.messages.map(writtenMessage));
  }
}

function writtenMessage({ blocks, ...rest }: Message) {
  return { ...rest, blocks: blocks.map((block) => ({ ...block, text: block.text?.read() ?? null })) };
}

/** The messages that a fold's file holds, as they stood in the conversation. */
export function readFold(text: string): readonly Message[] {
  const written = JSON.parse(text) as readonly ReturnType<typeof writtenMessage>[];
  return written.map(({ blocks, ...rest }) => createMessage({ ...rest, blocks: blocks.map(readBlock) }));
}

function readBlock(written: Omit<Block, 'text'> & { readonly text: string | null }): Block {
  return createBlock({ ...written, facts: written.facts as BlockFacts });
}

/** The folds of a thread: which message is in which file. */
export class Folds {
  private readonly pathByMessage = new Map<string, string>();

  add(path: string, messages: readonly Message[]): void {
    for (const { id } of messages) this.pathByMessage.set(id, path);
  }

  pathOf(messageId: string): string | null {
    return this.pathByMessage.get(messageId) ?? null;
  }

  /** The fold of a file was taken apart. */
  remove(path: string): void {
    for (const [id, other] of this.pathByMessage) if (other === path) this.pathByMessage.delete(id);
  }

  /** Only messages that are still in the conversation can be folded in it. */
  keepThose(messages: readonly Message[]): void {
    const present = new Set(messages.map(({ id }) => id));
    for (const id of this.pathByMessage.keys()) if (!present.has(id)) this.pathByMessage.delete(id);
  }

  clear(): void {
    this.pathByMessage.clear();
  }
}

/** The folds of a thread, shared by its layers. */
export function foldsOf(shared: Map<string, unknown>): Folds {
  return entryOf(shared, 'folds', () => new Folds());
}
