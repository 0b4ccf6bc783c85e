import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { ToolEffect } from '../../../core/model/tool-effect.js';
import type { TierContext } from '../../../core/run/tier.js';
import { type FileState, fileState } from '../file-state/file-state.js';
import { AwaitedCalls } from '../support/awaited-calls.js';
import { Announcements } from './announcements.js';
import { BackgroundWork } from './background-work.js';
import { PlanState } from './plan-state.js';
import { TodoList } from './todo-list.js';
import { itemOf, type WorkItem } from './work-item.js';

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

  /** Knows what another state knows, but for its files. */
  adopt(other: WorkState): void {
    this.skills.clear();
    for (const [name, skill] of other.skills) this.skills.set(name, skill);
    this.todo.adopt(other.todo);
    this.plan.adopt(other.plan);
    this.background.adopt(other.background);
    this.announcements.adopt(other.announcements);
    this.open.adopt(other.open);
    this.openSkills.splice(0, this.openSkills.length, ...other.openSkills);
  }

  /** Takes note of a message that joined the context. */
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
    if (news?.kind === 'background-news') this.background.hear(news, block.toolUseId);
  }

  private apply(effect: ToolEffect, call: Block, result: Block): void {
    if (effect.kind === 'skill') this.openSkills.push(effect.name);
    else if (effect.kind === 'background') this.background.start(call, effect.label);
    this.todo.apply(effect, call);
    this.plan.apply(effect, call, result);
  }

  private observeText({ origin }: Message, block: Block): void {
    const { attachment, effect, path } = block.facts;
    if (effect?.kind === 'background-news') this.background.hear(effect, null);
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

  /** Todo list, plan, plan mode, and what is in force, in this order (RES-3). */
  standing(): readonly WorkItem[] {
    const todo = this.todo.item();
    return [...(todo === null ? [] : [todo]), ...this.plan.items(this.files), ...this.announcements.items()];
  }

  /** A line for each agent or command that still runs beside the conversation (RES-3). */
  running(): readonly WorkItem[] {
    return this.background.items();
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

const KEY = 'work-state';

/** The work state of a thread, shared by its tiers. */
export function workState(context: Pick<TierContext, 'shared'>): WorkState {
  let state = context.shared.get(KEY) as WorkState | undefined;
  if (state === undefined) {
    state = new WorkState(fileState(context));
    context.shared.set(KEY, state);
  }
  return state;
}
