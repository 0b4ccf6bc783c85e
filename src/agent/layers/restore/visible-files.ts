import type { Message } from '../../../core/model/message.js';
import type { KnownFile } from '../file-state/known-file.js';

/** Messages that a compaction keeps in front of the summary and behind it. */
export interface KeptMessages {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

/** Which files have their whole content in kept messages, as they are now (RES-1, C15). */
export class VisibleFiles {
  private readonly before = new Set<string>();
  private readonly after = new Set<string>();
  private readonly ids = new Set<string>();

  constructor(kept: KeptMessages) {
    this.look(kept.before, this.before);
    this.look(kept.after, this.after);
  }

  /** A read in full, a call that wrote the file, a file that was attached or came back; no part, stub, placeholder or edit. */
  private look(messages: readonly Message[], paths: Set<string>): void {
    const parts = new Set<string>();
    for (const { blocks } of messages) {
      for (const { kind, tool, toolUseId, facts } of blocks) {
        if (kind === 'tool_use' && toolUseId !== null) {
          this.ids.add(toolUseId);
          if (facts.effect?.kind === 'read-part') parts.add(toolUseId);
        }
        const { path } = facts;
        if (path === undefined) continue;
        const isWhole = facts.stub !== true && facts.replaces === undefined && facts.isError !== true;
        if (
          (isWhole && kind === 'tool_result' && tool === 'Read' && !parts.has(toolUseId ?? '')) ||
          (isWhole && kind === 'tool_use' && tool === 'Write') ||
          facts.attachment === 'file'
        )
          paths.add(path);
      }
    }
  }

  /** What stands in front of a summary does not show what was changed in the part that is summarised. */
  has({ path, changeId }: KnownFile): boolean {
    if (this.after.has(path)) return true;
    return this.before.has(path) && (changeId === null || this.ids.has(changeId));
  }
}
