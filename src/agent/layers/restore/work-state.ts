import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { entryOf, getOrMake, oncePer } from '../../../core/base/once.js';
import { type Block, CHARS_PER_TOKEN, type ToolEffect } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { LayerContext } from '../../../core/run/layer.js';
import { childAgents } from '../../../core/run/run-plan.js';
import { type FileState, fileState } from '../file-state/file-state.js';
import { AwaitedCalls } from '../support/compactable.js';

/** The attachment that announces tools by name. */
const TOOLS = 'deferred_tools_delta';

/** Name of what an attachment announces that does not tell names. */
const UNNAMED = '';

class Listing {
  private readonly inForce = new Map<string, WorkItem>();
  /** What was said of names that were withdrawn, for when they come back. */
  private readonly withdrawn = new Map<string, WorkItem>();
  private digest: Digest;

  constructor(private readonly kind: string) {
    this.digest = digestText(kind);
  }

  observe(block: Block): void {
    const { effect } = block.facts;
    this.digest = chainDigest(this.digest, block.digest);
    if (effect?.kind !== 'announce') {
      this.inForce.set(UNNAMED, partOf(this.kind, block, block.chars));
      return;
    }
    for (const name of effect.removed) {
      const item = this.inForce.get(name);
      if (item !== undefined) this.withdrawn.set(name, item);
      this.inForce.delete(name);
    }
    for (const [name, chars] of effect.added) {
      const said = partOf(name, block, chars);
      const before = this.withdrawn.get(name);
      this.inForce.set(name, before !== undefined && before.chars > chars ? before : said);
    }
  }

  has(name: string): boolean {
    return this.inForce.has(name);
  }

  item(): WorkItem | null {
    if (this.inForce.size === 0) return null;
    let tokens = 0;
    let chars = 0;
    for (const item of this.inForce.values()) {
      tokens += item.tokens;
      chars += item.chars;
    }
    return { label: this.kind, tokens, rough: Math.round(chars / 4), chars, digest: this.digest };
  }
}

/** Tools, agents and instructions in force: what was announced so far less what was withdrawn (RES-3). @internal */
export class Announcements {
  private readonly listings = new Map<string, Listing>();
  /** Tools that are announced by name; null while none are. */
  private tools: Listing | null = null;
  /** Announced tools that were called: their definitions had been looked up (FUL-9). */
  readonly discovered = new Set<string>();

  observe(type: string, block: Block): void {
    const listing = getOrMake(this.listings, type, () => new Listing(type));
    if (type === TOOLS) this.tools = listing;
    listing.observe(block);
  }

  noteCall(tool: string): void {
    if (this.tools?.has(tool) === true) this.discovered.add(tool);
  }

  /** What is announced again: the attachments of these kinds. */
  items(kinds: readonly string[]): readonly WorkItem[] {
    const items: WorkItem[] = [];
    for (const [kind, listing] of this.listings) {
      const item = kinds.includes(kind) ? listing.item() : null;
      if (item !== null) items.push(item);
    }
    return items;
  }
}

/** A piece of work the agent would put back after a compaction. */
export interface WorkItem extends Pick<Block, 'tokens' | 'rough' | 'chars' | 'digest'> {
  readonly label: string;
}

/** A block, or a file as it is now, as an item. */
function itemOf(label: string, { tokens, rough, chars, digest }: Omit<WorkItem, 'label'>): WorkItem {
  return { label, tokens, rough, chars, digest };
}

/** This many characters of a block as an item: their share of its tokens is that of its characters. @internal */
export function partOf(label: string, block: Block, chars: number): WorkItem {
  const tokens =
    block.chars === 0
      ? Math.round(chars / CHARS_PER_TOKEN)
      : Math.round(block.tokens * Math.min(1, chars / block.chars));
  return { label, tokens, rough: Math.round(chars / 4), chars, digest: block.digest };
}

/** Several items as one. */
function sumOf(label: string, items: Iterable<WorkItem>, digest: Digest): WorkItem {
  let tokens = 0;
  let rough = 0;
  let chars = 0;
  for (const item of items) {
    tokens += item.tokens;
    rough += item.rough;
    chars += item.chars;
  }
  return { label, tokens, rough, chars, digest };
}

/** The list of things to do as it stands: the list last written, and the tasks created and updated so far (RES-3). @internal */
export class TodoList {
  private list: WorkItem | null = null;
  private readonly tasks = new Map<string, WorkItem>();
  private created = 0;
  private digest: Digest = digestText('todo list');

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
    return sumOf('todo list', parts, this.digest);
  }
}

/** Plan mode, and the plan it led to: in a file, or given when plan mode ended (RES-3). @internal */
export class PlanState {
  /** The plan file; null while none is known. */
  path: string | null = null;
  private given: WorkItem | null = null;
  /** What is said of plan mode while it is on. */
  private mode: WorkItem | null = null;

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

/** Tools that start agents. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Task', 'Agent']);

const ENDED = 'Agent that has ended since the last summary';

/** The status of something beside the conversation as a line: about 20 tokens (C47). */
function statusOf(label: string, status: string): WorkItem {
  const text = `${status}: ${label}`;
  const { length: chars } = text;
  const tokens = Math.ceil(chars / CHARS_PER_TOKEN);
  return { label, tokens, rough: Math.round(chars / 4), chars, digest: digestText(text) };
}

/** The status of the forks of a thread (C47). */
export function forkItems({
  session,
  thread,
}: Pick<LayerContext, 'session' | 'thread'>): readonly WorkItem[] {
  const children = childAgents(session.world);
  return [
    ...children.workingOf(thread).map(({ label }) => statusOf(label, 'Agent that is still at work')),
    ...children.endedOf(thread).map(({ label }) => statusOf(label, ENDED)),
  ];
}

interface Running {
  readonly label: string;
  readonly isAgent: boolean;
  /** The name the client gave it; null until its call is answered. */
  readonly task: string | null;
}

/** The line of something that runs: the same at every compaction. */
const runningItem = oncePer(
  ({ label }: Running): WorkItem => statusOf(label, 'Started in the background and still running'),
);

/** Agents and commands that run beside the conversation, from the call that started each to the news of its end (RES-3). @internal */
export class BackgroundWork {
  private readonly running = new Map<string, Running>();
  /** Agents that ended since the last compaction (C47). */
  private finished: string[] = [];

  start(call: Block, label: string): void {
    if (call.toolUseId === null) return;
    const isAgent = AGENT_TOOLS.has(call.tool ?? '');
    this.running.set(call.toolUseId, { label, task: null, isAgent });
  }

  /** A block brings news: the name of what was started, or its end. */
  update(news: Extract<ToolEffect, { kind: 'background-news' }>, toolUseId: string | null): void {
    if (news.state === 'running') {
      const started = this.running.get(toolUseId ?? '');
      if (started !== undefined) this.running.set(toolUseId ?? '', { ...started, task: news.task });
      return;
    }
    if (news.call !== null && this.end(news.call)) return;
    for (const [call, { task }] of this.running) if (task !== null && task === news.task) this.end(call);
  }

  private end(call: string): boolean {
    const ended = this.running.get(call);
    if (ended?.isAgent === true) this.finished.push(ended.label);
    return this.running.delete(call);
  }

  /** A compaction has reported those that ended. */
  forgetFinished(): void {
    this.finished = [];
  }

  /** One line for each that still runs, and for each agent that has ended since the last compaction. */
  items(): readonly WorkItem[] {
    const items: WorkItem[] = [];
    for (const running of this.running.values()) items.push(runningItem(running));
    for (const label of this.finished) items.push(statusOf(label, ENDED));
    return items;
  }
}

/** What the agent knows about its work besides files and messages: skills, todo list, plan, background work, announcements. */
export class WorkState {
  private readonly skills = new Map<string, WorkItem>();
  private readonly todo = new TodoList();
  private readonly plan = new PlanState();
  private readonly background = new BackgroundWork();
  private readonly announcements = new Announcements();
  /** Calls with an effect whose results have not come. */
  private readonly open = new AwaitedCalls();
  /** Skills whose content has not come, oldest first. */
  private readonly openSkills: string[] = [];

  constructor(readonly files: FileState) {}

  /** Records a message that joined the context. */
  observe(message: Message): void {
    this.files.observe(message);
    const { blocks } = message;
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      if (block.kind === 'tool_use') this.observeCall(block);
      else if (block.kind === 'tool_result') this.observeResult(block);
      else this.observeText(message, block);
    }
  }

  private observeCall(block: Block): void {
    const { effect } = block.facts;
    if (block.tool !== null) this.announcements.noteCall(block.tool);
    if (block.toolUseId === null) return;
    if ((effect !== undefined && effect.kind !== 'read-part') || block.tool === 'Skill') this.open.add(block);
  }

  private observeResult(block: Block): void {
    const call = this.open.take(block.toolUseId);
    const { effect: news } = block.facts;
    if (call !== undefined) {
      const effect = call.facts.effect ?? UNNAMED_SKILL;
      if (block.facts.isError !== true) this.apply(effect, call, block);
    }
    if (news?.kind === 'background-news') this.background.update(news, block.toolUseId);
  }

  private apply(effect: ToolEffect, call: Block, result: Block): void {
    if (effect.kind === 'skill') this.openSkills.push(effect.name);
    else if (effect.kind === 'background') this.background.start(call, effect.label);
    this.todo.apply(effect, call);
    this.plan.apply(effect, call, result);
  }

  private observeText({ origin }: Message, block: Block): void {
    const { attachment, effect, path } = block.facts;
    if (effect?.kind === 'background-news') this.background.update(effect, null);
    if (attachment === undefined) {
      const skill = origin === 'meta' ? this.openSkills.shift() : undefined;
      if (skill !== undefined) this.putSkill(itemOf(skill, block));
      return;
    }
    this.announcements.observe(attachment, block);
    this.plan.observeAttachment(attachment, block);
    if (attachment === 'skill') this.noteShownSkill(itemOf(path ?? 'skill', block), block);
  }

  /** A skill that was put back is known in full from before; its place among the others stays. */
  private noteShownSkill(item: WorkItem, { facts }: Block): void {
    if (facts.replaces !== 'cut' || !this.skills.has(item.label)) this.putSkill(item);
  }

  private putSkill(item: WorkItem): void {
    this.skills.delete(item.label);
    this.skills.set(item.label, item);
  }

  /** Each skill once, the latest invoked first. */
  recentSkills(): readonly WorkItem[] {
    return [...this.skills.values()].reverse();
  }

  /** Todo list, plan, plan mode, and what is in force of these kinds of attachments, in this order (RES-3). */
  standing(announced: readonly string[]): readonly WorkItem[] {
    const todo = this.todo.item();
    const inForce = this.announcements.items(announced);
    return [...(todo === null ? [] : [todo]), ...this.plan.items(this.files), ...inForce];
  }

  /** A line for each agent or command that still runs beside the conversation (RES-3). */
  running(): readonly WorkItem[] {
    return this.background.items();
  }

  /** A compaction has reported what ended (C47). */
  notified(): void {
    this.background.forgetFinished();
  }

  /** The file that holds the plan; null while none is known. */
  get planPath(): string | null {
    return this.plan.path;
  }

  /** Announced tools whose definitions had been looked up (FUL-9). */
  get discoveredTools(): readonly string[] {
    return [...this.announcements.discovered].sort();
  }
}

const UNNAMED_SKILL: ToolEffect = { kind: 'skill', name: 'unnamed' };

/** The work state of a thread, shared by its layers. */
export function workState(context: Pick<LayerContext, 'shared'>): WorkState {
  return entryOf(context.shared, 'work-state', () => new WorkState(fileState(context)));
}
