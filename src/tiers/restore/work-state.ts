import type { Digest } from '../../base/digest.js';
import type { Block } from '../../model/block.js';
import type { Message } from '../../model/message.js';

/** A piece of work the agent would put back after a compaction. */
export interface WorkItem {
  readonly label: string;
  readonly tokens: number;
  readonly rough: number;
  readonly chars: number;
  readonly digest: Digest;
  /** The result that showed it, to tell whether it is still visible. */
  readonly toolUseId: string | null;
}

/** Attachments that are announced anew after a compaction (RES-3). */
const REANNOUNCED = new Set([
  'deferred_tools_delta',
  'agent_listing_delta',
  'mcp_instructions_delta',
  'plan_mode',
  'todo_reminder',
  'task_reminder',
]);

/** Files that are never read again: they come back by their own way (RES-1). */
const NOT_RESTORED = /(^|\/)(CLAUDE|MEMORY|AGENTS)(\.local)?\.md$|\.jsonl$|\/plans?\/|plan\.md$/i;

function isFileTool(tool: string): boolean {
  return (
    tool === 'Read' || tool === 'Edit' || tool === 'Write' || tool === 'MultiEdit' || tool === 'NotebookEdit'
  );
}

function isTodoTool(tool: string): boolean {
  return tool === 'TodoWrite' || tool === 'TaskUpdate' || tool === 'TaskCreate';
}

/** What the agent knows about its work besides the messages: files read, skills, todo list, plan, announcements. */
export class WorkState {
  private readonly files = new RecentItems();
  private readonly skills = new Map<string, WorkItem>();
  private readonly announcements = new Map<string, WorkItem>();
  private todo: WorkItem | null = null;
  private plan: WorkItem | null = null;
  private openSkill: string | null = null;

  /** Takes note of a message that joined the context. */
  observe(message: Message): void {
    for (const block of message.blocks) {
      if (block.kind === 'tool_result') this.observeResult(block);
      else if (block.kind === 'tool_use') this.observeCall(block);
      else if (message.origin === 'meta' && this.openSkill !== null) {
        put(this.skills, this.openSkill, item(this.openSkill, block));
        this.openSkill = null;
      }
      const type = block.facts.attachment;
      if (type !== undefined && REANNOUNCED.has(type)) put(this.announcements, type, item(type, block));
      if (type === 'skill')
        put(this.skills, block.facts.path ?? 'skill', item(block.facts.path ?? 'skill', block));
    }
  }

  private observeResult(block: Block): void {
    const path = block.facts.path;
    if (path === undefined || block.tool === null || !isFileTool(block.tool) || block.facts.isError === true)
      return;
    if (block.facts.replaces === 'cleared' || block.facts.stub === true) return;
    const known = this.files.get(path);
    if (known === undefined) {
      if (!NOT_RESTORED.test(path)) this.files.put(item(path, block));
      return;
    }
    if (block.tool === 'Read') {
      known.tokens = block.tokens;
      known.rough = block.rough;
      known.chars = block.chars;
      known.digest = block.digest;
    }
    known.toolUseId = block.toolUseId;
    this.files.use(known);
  }

  private observeCall(block: Block): void {
    if (block.tool === null) return;
    if (isTodoTool(block.tool)) this.todo = item('todo list', block);
    else if (block.tool === 'ExitPlanMode') this.plan = item('plan', block);
    else if (block.tool === 'Skill') this.openSkill = `skill ${block.toolUseId ?? ''}`;
  }

  /** Forgets the reads whose results were cleared (MIC-1). */
  forgetReads(toolUseIds: ReadonlySet<string>): void {
    this.files.drop((file) => file.toolUseId !== null && toolUseIds.has(file.toolUseId));
  }

  /** Starts over with the files that were put back (CLN-1). */
  restartFiles(restored: readonly WorkItem[]): void {
    this.files.clear();
    for (const file of [...restored].reverse()) this.files.put(file);
  }

  /** Most recent first. */
  recentFiles(): Iterable<WorkItem> {
    return this.files.recent();
  }

  recentSkills(): readonly WorkItem[] {
    return [...this.skills.values()].reverse();
  }

  /** Todo list, plan and announcements, in this order (RES-3). */
  standing(): readonly WorkItem[] {
    const items: WorkItem[] = [];
    if (this.todo !== null) items.push(this.todo);
    if (this.plan !== null) items.push(this.plan);
    items.push(...this.announcements.values());
    return items;
  }
}

/** An item as it stands after its latest use. */
interface UsedItem extends WorkItem {
  tokens: number;
  rough: number;
  chars: number;
  digest: Digest;
  toolUseId: string | null;
  /** Place of that use among all uses; −1 once it is dropped. */
  place: number;
}

/** Items by label in the order of their latest use: looking at the most recent ones costs those alone. */
class RecentItems {
  private readonly byLabel = new Map<string, UsedItem>();
  /** Every use in order; an item is at its place with the latest. */
  private uses: UsedItem[] = [];

  get(label: string): UsedItem | undefined {
    return this.byLabel.get(label);
  }

  put({ label, tokens, rough, chars, digest, toolUseId }: WorkItem): void {
    const before = this.byLabel.get(label);
    if (before !== undefined) before.place = -1;
    const item = { label, tokens, rough, chars, digest, toolUseId, place: 0 };
    this.byLabel.set(label, item);
    this.use(item);
  }

  /** Takes note that an item was used again. */
  use(item: UsedItem): void {
    item.place = this.uses.length;
    this.uses.push(item);
    if (this.uses.length <= 64 || this.uses.length <= 4 * this.byLabel.size) return;
    this.uses = this.uses.filter(({ place }, i) => place === i);
    this.uses.forEach((used, i) => {
      used.place = i;
    });
  }

  drop(isGone: (item: WorkItem) => boolean): void {
    for (const item of this.byLabel.values()) {
      if (!isGone(item)) continue;
      this.byLabel.delete(item.label);
      item.place = -1;
    }
  }

  clear(): void {
    this.byLabel.clear();
    this.uses = [];
  }

  *recent(): Generator<WorkItem> {
    for (let i = this.uses.length - 1; i >= 0; i--) {
      const item = this.uses[i]!;
      if (item.place === i) yield item;
    }
  }
}

function item(label: string, block: Block): WorkItem {
  const { tokens, rough, chars, digest, toolUseId } = block;
  return { label, tokens, rough, chars, digest, toolUseId };
}

function put(map: Map<string, WorkItem>, key: string, value: WorkItem): void {
  map.delete(key);
  map.set(key, value);
}

const KEY = 'work-state';

/** The work state of a thread, shared by its tiers. */
export function workState(shared: Map<string, unknown>): WorkState {
  let state = shared.get(KEY) as WorkState | undefined;
  if (state === undefined) {
    state = new WorkState();
    shared.set(KEY, state);
  }
  return state;
}
