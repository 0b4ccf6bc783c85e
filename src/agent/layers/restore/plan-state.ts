import type { Block } from '../../../core/model/block.js';
import type { ToolEffect } from '../../../core/model/tool-effect.js';
import type { FileState } from '../file-state/file-state.js';
import { itemOf, partOf, type WorkItem } from './work-item.js';

/** Plan mode, and the plan it led to: in a file, or given when plan mode ended (RES-3). */
export class PlanState {
  /** The plan file; null while none is known. */
  path: string | null = null;
  private given: WorkItem | null = null;
  /** What is said of plan mode while it is on. */
  private mode: WorkItem | null = null;

  adopt(other: PlanState): void {
    this.path = other.path;
    this.given = other.given;
    this.mode = other.mode;
  }

  /** A call that enters or leaves plan mode was carried out, or a file was written. */
  apply(effect: ToolEffect, call: Block, result: Block): void {
    if (effect.kind === 'plan-enter') this.mode = itemOf('plan mode', result);
    else if (effect.kind === 'plan-exit') {
      this.path = effect.path ?? result.facts.path ?? this.path;
      if (effect.chars > 0) this.given = partOf('plan', call, effect.chars);
      this.mode = null;
    } else if (effect.kind === 'write' && this.mode !== null) {
      this.path = call.facts.path ?? this.path; // in plan mode the plan is the only file that may be written
    }
  }

  /** The client says that plan mode is on, or over. */
  observeAttachment(type: string, block: Block): void {
    if (type === 'plan_mode' || type === 'plan_mode_reentry') {
      this.mode = itemOf('plan mode', block);
      this.path = block.facts.path ?? this.path;
    } else if (type === 'plan_mode_exit') this.mode = null;
  }

  /** Plan and plan mode as they come back. */
  items(files: FileState): readonly WorkItem[] {
    const file = this.path === null ? undefined : files.get(this.path);
    const plan = file === undefined ? this.given : itemOf('plan', file.version);
    return [...(plan === null ? [] : [plan]), ...(this.mode === null ? [] : [this.mode])];
  }
}
