import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { Block } from '../../../core/model/block.js';
import type { ToolEffect } from '../../../core/model/tool-effect.js';
import { partOf, type WorkItem } from './work-item.js';

/** The list of things to do as it stands: the list last written, and the tasks created and updated so far (RES-3). */
export class TodoList {
  private list: WorkItem | null = null;
  private readonly tasks = new Map<string, WorkItem>();
  private created = 0;
  private digest: Digest = digestText('todo list');

  adopt(other: TodoList): void {
    this.list = other.list;
    this.tasks.clear();
    for (const [name, task] of other.tasks) this.tasks.set(name, task);
    this.created = other.created;
    this.digest = other.digest;
  }

  /** A call on the list was carried out. */
  apply(effect: ToolEffect, call: Block): void {
    if (effect.kind === 'todo-list') {
      this.list = effect.items === 0 ? null : partOf('todo list', call, effect.chars);
    } else if (effect.kind === 'task-create') {
      this.tasks.set(String(++this.created), partOf('task', call, effect.chars)); // clients number tasks from 1
    } else if (effect.kind === 'task-update') {
      if (effect.status === 'deleted') this.tasks.delete(effect.task);
      else if (effect.chars > 0 && this.tasks.has(effect.task))
        this.tasks.set(effect.task, partOf('task', call, effect.chars));
    } else return;
    this.digest = chainDigest(this.digest, call.digest);
  }

  /** What comes back of it; null when it is empty. */
  item(): WorkItem | null {
    const parts = [...(this.list === null ? [] : [this.list]), ...this.tasks.values()];
    if (parts.length === 0) return null;
    let tokens = 0;
    let rough = 0;
    let chars = 0;
    for (const part of parts) {
      tokens += part.tokens;
      rough += part.rough;
      chars += part.chars;
    }
    return { label: 'todo list', tokens, rough, chars, digest: this.digest };
  }
}
