import type { Random } from '../../core/base/random.js';
import type { BlockFacts, ToolEffect } from '../../core/model/block.js';
import type { MessageOrigin } from '../../core/model/message.js';
import type { BackgroundRun } from './agenda.js';
import { compileDistribution, type Sampler } from './distribution.js';
import type { Samplers } from './samplers.js';
import { FACTS, type SessionShape, TOOL_PROFILES } from './synthetic.generated.js';
import type { ThreadWriter } from './thread-writer.js';
import type { FillerInit } from './tools/filler-text.js';
import type { TodoList } from './tools/todo-list.js';

const OPENING = '<system-reminder>\n';
const CLOSING = '\n</system-reminder>';

/** Writes what the client puts into the conversation by itself: listings, reminders, contents of skills, notices. */
export class ClientNotes {
  readonly #listings: Random;
  readonly #notices: Random;
  readonly #gaps: Random;
  readonly #noticeChars: Sampler;
  readonly #gap: Sampler;
  readonly #skills: ReadonlyMap<string, number>;
  #callsToReminder: number;

  constructor(
    private readonly shape: SessionShape,
    random: Random,
    private readonly samplers: Samplers,
    private readonly writer: ThreadWriter,
  ) {
    this.#listings = random.split('listings');
    this.#notices = random.split('notices');
    this.#gaps = random.split('reminders');
    this.#noticeChars = compileDistribution('noticeChars', FACTS.agentNoticeChars);
    this.#gap = compileDistribution('todoReminderCalls', shape.todoReminderCalls);
    const skillChars = compileDistribution('skillChars', shape.skillChars);
    const sizes = random.split('skill chars');
    this.#skills = new Map(
      FACTS.skills.map((name) => [name, Math.max(1, Math.round(skillChars(sizes.next())))]),
    );
    this.#callsToReminder = this.#nextGap();
  }

  /** Announcements at the start of a session; its tokens. */
  opening(at: number): number {
    let tokens = 0;
    const { skillShare, mcpShare, skillListingChars } = this.shape;
    if (mcpShare > 0) {
      const names = TOOL_PROFILES.filter(({ group }) => group === 'mcp').map(({ name }) => name);
      const all = [...FACTS.deferredTools, ...names].sort();
      const added = all.map((name) => [name, name.length] as const);
      const head = `The following tools are available by a search:\n${all.join('\n')}`;
      tokens += this.#reminder('deferred_tools_delta', head, 0, at, { kind: 'announce', added, removed: [] });
      const { instructingServer: server, instructionChars: chars } = FACTS;
      const instructs = { kind: 'announce', added: [[server, chars]], removed: [] } as const;
      tokens += this.#reminder('mcp_instructions_delta', `# ${server}\n`, chars, at, instructs);
    }
    if (skillShare > 0) {
      const sample = compileDistribution('skillListingChars', skillListingChars);
      const names = FACTS.skills.map((name) => `- ${name}`).join('\n');
      const head = `The following skills are available:\n${names}\n`;
      tokens += this.#reminder('skill_listing', head, Math.round(sample(this.#listings.next())), at, null);
    }
    return tokens;
  }

  /** The content of a skill that was invoked, always the same. */
  skill(name: string, at: number): void {
    const chars = this.#skills.get(name)!;
    const head = `Base directory for this skill: /repo/.claude/skills/${name}\n\n`;
    const seed = name.length * 0x9e37 + chars;
    this.#add('meta', { style: 'prose', chars: Math.max(chars, head.length), head, seed }, {}, at);
  }

  planMode(state: 'on' | 'off', at: number): void {
    const kind = state === 'on' ? 'plan_mode' : 'plan_mode_exit';
    this.#reminder(kind, FACTS.reminders[kind], 0, at, null);
  }

  /** The list was used: the next reminder is some calls away again. */
  listUsed(): void {
    this.#callsToReminder = this.#nextGap();
  }

  /** A call went by; when it was one too many without the list, a reminder of it follows. */
  callMade(todos: TodoList, at: number): void {
    if (--this.#callsToReminder > 0) return;
    this.#callsToReminder = this.#nextGap();
    const list = todos.text === '' ? '' : `\n\n${todos.text}`;
    this.#reminder(todos.reminder, `${FACTS.reminders[todos.reminder]}${list}`, 0, at, null);
  }

  #nextGap(): number {
    const calls = Math.round(this.#gap(this.#gaps.next()));
    return calls === 0 || this.shape.todoShare === 0 ? Number.POSITIVE_INFINITY : calls;
  }

  /** Tells of the end of what ran in the background: as a message of its own, or beside what is going on. */
  notice(run: BackgroundRun, way: 'message' | 'attachment', at: number): void {
    const { task, kind, label, toolUseId } = run;
    const drawn = this.#noticeChars(this.#notices.next());
    const what = kind === 'agent' ? 'Agent' : 'Background command';
    const head =
      `<task-notification>\n<task-id>${task}</task-id>\n<tool-use-id>${toolUseId}</tool-use-id>\n` +
      `<status>completed</status>\n<summary>${what} "${label}" finished</summary>\n<result>`;
    const tail = '</result>\n</task-notification>';
    const least = head.length + tail.length;
    const chars = Math.max(least, kind === 'agent' ? Math.round(drawn) : FACTS.commandNoticeChars);
    const effect = { kind: 'background-news', state: 'ended', task, call: null } as const;
    if (way === 'message') this.#add('meta', { style: 'prose', chars, head, tail }, { effect }, at);
    else {
      const around = OPENING.length + CLOSING.length;
      const filler = {
        style: 'prose',
        chars: chars + around,
        head: OPENING + head,
        tail: tail + CLOSING,
      } as const;
      this.#add('attachment', filler, { attachment: 'queued_command', effect }, at);
    }
  }

  #reminder(
    attachment: string,
    words: string,
    fillerChars: number,
    at: number,
    effect: ToolEffect | null,
  ): number {
    const head = OPENING + words;
    const chars = Math.max(head.length, OPENING.length + fillerChars) + CLOSING.length;
    const facts = effect === null ? { attachment } : { attachment, effect };
    return this.#add('attachment', { style: 'prose', chars, head, tail: CLOSING }, facts, at);
  }

  #add(origin: MessageOrigin, filler: FillerInit, facts: BlockFacts, at: number): number {
    const tokens = Math.max(1, Math.round(filler.chars / this.samplers.addedCharsPerToken(filler.chars)));
    this.writer.say(origin, tokens, filler, at, facts);
    return tokens;
  }
}
