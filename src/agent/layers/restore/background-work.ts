import { digestText } from '../../../core/base/digest.js';
import { type Block, CHARS_PER_TOKEN } from '../../../core/model/block.js';
import type { ToolEffect } from '../../../core/model/tool-effect.js';
import type { WorkItem } from './work-item.js';

interface Running {
  readonly label: string;
  /** The name the client gave it; null until its call is answered. */
  task: string | null;
}

/** Agents and commands that run beside the conversation, from the call that started each to the news of its end (RES-3). */
export class BackgroundWork {
  private readonly running = new Map<string, Running>();

  adopt(other: BackgroundWork): void {
    this.running.clear();
    for (const [call, work] of other.running) this.running.set(call, { ...work });
  }

  start(call: Block, label: string): void {
    if (call.toolUseId !== null) this.running.set(call.toolUseId, { label, task: null });
  }

  /** A block brings news: the name of what was started, or its end. */
  hear(news: Extract<ToolEffect, { kind: 'background-news' }>, toolUseId: string | null): void {
    if (news.state === 'running') {
      const started = this.running.get(toolUseId ?? '');
      if (started !== undefined) started.task = news.task;
      return;
    }
    if (news.call !== null && this.running.delete(news.call)) return;
    for (const [call, { task }] of this.running) {
      if (task !== null && task === news.task) this.running.delete(call);
    }
  }

  /** One line for each that still runs. */
  items(): readonly WorkItem[] {
    return [...this.running.values()].map(({ label }) => {
      const text = `Started in the background and still running: ${label}`;
      const { length: chars } = text;
      const tokens = Math.ceil(chars / CHARS_PER_TOKEN);
      return { label, tokens, rough: Math.round(chars / 4), chars, digest: digestText(text) };
    });
  }
}
