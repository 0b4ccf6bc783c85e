import type { Random } from '../../core/base/random.js';
import { type Block, CHARS_PER_TOKEN } from '../../core/model/block.js';
import type { Step, Thread } from '../../core/model/transcript.js';
import { type AgendaEntry, BackgroundRuns, createAgenda, forkChildren, type PlannedEvent } from './agenda.js';
import { ClientNotes } from './client-notes.js';
import { compileDistribution } from './distribution.js';
import { createSamplers, type Samplers } from './samplers.js';
import { DEFAULT_MODEL, type ForkSpec, type SyntheticSpec } from './spec.js';
import { FACTS, type SessionShape, STATEMENTS } from './synthetic.generated.js';
import { type SessionSource, ThreadWriter, type ToolUse, TurnWriter } from './thread-writer.js';
import { PlanMode, TodoList } from './tools/todo-list.js';
import { ToolDesk } from './tools/tool-desk.js';
import type { ToolSketch } from './tools/tool-sketch.js';

/** What a subagent of a recorded session has none of. */
const SUBAGENT_SHAPE = {
  skillShare: 0,
  planShare: 0,
  todoShare: 0,
  mcpShare: 0,
  backgroundShare: 0,
  memoryWriteShare: 0,
} as const;

/** Generates a main thread and its subagents; time and work are drawn from a shape. */
export class SessionGenerator implements SessionSource {
  readonly #samplers: Samplers;
  readonly #writer: ThreadWriter;
  readonly #todos: TodoList;
  readonly #plan: PlanMode;
  readonly #runs: BackgroundRuns;
  readonly #desk: ToolDesk;
  readonly #turns: TurnWriter;
  readonly #notes: ClientNotes;
  readonly #agenda: ReadonlyMap<number, AgendaEntry>;
  readonly #subagents: Thread[] = [];
  /** Chance of what the user says besides the task, apart from all other draws. */
  readonly #statements: Random;
  #pending: readonly PlannedEvent[] = [];
  #model: string;
  #prefixTokens = 0;
  #at: number;
  /** The human does not agree and speaks next. */
  #isRejected = false;

  constructor(
    private readonly spec: SyntheticSpec,
    private readonly shape: SessionShape,
    private readonly random: Random,
    place: ThreadPlace,
  ) {
    this.#statements = random.split('statements');
    this.#samplers = createSamplers(shape, random);
    this.#writer = new ThreadWriter({
      ...place,
      origin: `${spec.workload}/${spec.seed}`,
      text: spec.text ?? 'filler',
      ...(spec.prefixSeed === undefined ? {} : { prefixOrigin: `sessions/${spec.prefixSeed}` }),
    });
    this.#todos = new TodoList(random.split('todo list'));
    this.#plan = new PlanMode(random.split('plan mode'), shape.planShare);
    this.#runs = new BackgroundRuns(
      random.split('background runs'),
      compileDistribution('backgroundSeconds', shape.backgroundSeconds),
    );
    const state = { todos: this.#todos, plan: this.#plan, runs: this.#runs };
    this.#desk = new ToolDesk(shape, random, this.#samplers, state);
    this.#turns = new TurnWriter(this.#writer, this.#samplers);
    this.#notes = new ClientNotes(shape, random, this.#samplers, this.#writer);
    this.#agenda = createAgenda(spec);
    this.#model = spec.model ?? DEFAULT_MODEL;
    this.#at = place.startMs;
  }

  /** The thread with its subagents behind it, and when it ended. */
  generate(): { readonly threads: readonly Thread[]; readonly endMs: number } {
    const parts = this.write();
    while (parts.next().done !== true);
    const thread = this.thread();
    const others = this.#subagents.map((child) =>
      child.fork === undefined ? child : { ...child, prefix: thread.prefix },
    );
    return { threads: [thread, ...others], endMs: this.#at };
  }

  thread(): Thread {
    return this.#writer.thread(this.#prefixTokens, CHARS_PER_TOKEN);
  }

  takeSteps(): readonly Step[] {
    return this.#writer.takeSteps();
  }

  *write(): Generator<void, void, void> {
    const firstPrompt = this.#samplers.firstPromptTokens();
    const first = this.#humanPrompt() + this.#notes.opening(this.#at);
    this.#prefixTokens = this.spec.prefixTokens ?? Math.max(1, firstPrompt - first);
    let callsLeft = this.#promptCalls();
    for (let turn = 1; turn <= this.spec.turns; turn++) {
      yield;
      if (callsLeft === 0) callsLeft = this.#nextPrompt(turn);
      else this.#flushEvents();
      const entry = this.#agenda.get(turn);
      callsLeft = entry?.endsPrompt === true || turn === this.spec.turns ? 0 : callsLeft - 1;
      const fork = this.spec.forks?.find(({ afterTurn }) => afterTurn === turn);
      if (fork !== undefined) {
        callsLeft = Math.max(1, callsLeft);
        this.#forkTurn(fork);
      } else if (this.#startsSubagent(turn, entry)) {
        callsLeft = Math.max(1, callsLeft);
        this.#subagentTurn();
      } else this.#turn(callsLeft);
      if (this.#isRejected) callsLeft = 0;
      if (callsLeft > 0) this.#between();
      for (const event of entry?.atOnce ?? []) this.#writer.event(event(this.#at));
      this.#pending = entry?.beforeNext ?? [];
    }
    this.#flushEvents();
  }

  /** What the next calls are about: a notice from the background, for which everybody waits, or a human prompt. */
  #nextPrompt(turn: number): number {
    const entry = this.#agenda.get(turn - 1);
    const waits = entry?.endsPrompt !== true && !this.#isRejected;
    this.#isRejected = false;
    const run = waits ? this.#runs.next(Number.POSITIVE_INFINITY) : null;
    if (run !== null) {
      this.#at = Math.max(this.#at, run.endMs);
      this.#flushEvents();
      this.#notes.notice(run, 'message', this.#at);
      return this.#samplers.callsPerNotice();
    }
    const drawnMs = this.#samplers.humanIdleMs();
    this.#at += entry?.idleMs ?? drawnMs;
    this.#flushEvents();
    this.#humanPrompt();
    return this.#promptCalls();
  }

  /** Calls that a human prompt leads to, and what the client adds to it. */
  #promptCalls(): number {
    const calls = this.#samplers.callsPerPrompt();
    if (this.#plan.prompt(calls)) this.#notes.planMode('on', this.#at);
    return calls;
  }

  /** What the client adds to the results of a call, before the next. */
  #between(): void {
    for (let run = this.#runs.next(this.#at); run !== null; run = this.#runs.next(this.#at))
      this.#notes.notice(run, 'attachment', this.#at);
    this.#notes.callMade(this.#todos, this.#at);
  }

  #humanPrompt(): number {
    const drawn = this.#samplers.humanPromptChars();
    const said = this.#statements.chance(this.shape.statementShare) ? this.#statements.pick(STATEMENTS) : '';
    const head = said === '' ? '' : `${said}\n`;
    const chars = Math.max(drawn, head.length);
    const tokens = this.#tokens(chars);
    const blocks = [
      this.#writer.block({ kind: 'text', role: 'user', tokens, filler: { style: 'prose', chars, head } }),
    ];
    if (this.#samplers.promptHasImage()) blocks.push(this.#image());
    this.#writer.message('human', blocks, this.#at);
    return blocks.reduce((sum, block) => sum + block.tokens, 0);
  }

  #image(): Block {
    const tokens = this.#samplers.imageTokens();
    return this.#writer.block({ kind: 'image', role: 'user', tokens, filler: { style: 'words', chars: 0 } });
  }

  #turn(callsLeft: number): void {
    const startMs = this.#at;
    const outputTokens = this.#samplers.outputTokens();
    const { blocks, uses, endMs } = this.#turns.respond(outputTokens, this.#sketches(callsLeft), startMs);
    this.#writer.call(this.#model, startMs, endMs, blocks);
    this.#at = endMs;
    for (const use of uses) {
      const latencyMs = use.sketch.tool.latencyMs();
      if (use.sketch.leadsTo?.kind !== 'background') this.#at = Math.max(this.#at, endMs + latencyMs);
      this.#turns.result(use, this.#at);
    }
    for (const use of uses) this.#follow(use);
  }

  /** The tool calls of a turn; the last one of a prompt has none. */
  #sketches(callsLeft: number): readonly ToolSketch[] {
    if (callsLeft === 0) return [];
    const step = this.#plan.step(callsLeft);
    if (step === 'enter') return [this.#desk.enterPlan()];
    if (step === 'write') return [this.#desk.writePlan()];
    if (step === 'exit') return [this.#desk.exitPlan()];
    const sketches: ToolSketch[] = [];
    for (let i = this.#samplers.toolCalls(); i > 0; i--)
      sketches.push(this.#desk.sketch(this.#samplers.pick()));
    return sketches;
  }

  /** What a call that was answered has led to. */
  #follow({ sketch, id, effect }: ToolUse): void {
    const { leadsTo, isError } = sketch;
    if (leadsTo === null) return;
    if (leadsTo.kind === 'plan-rejected') this.#isRejected = true;
    if (isError) return;
    switch (leadsTo.kind) {
      case 'skill':
        this.#notes.skill(leadsTo.name, this.#at);
        break;
      case 'todo':
        this.#notes.listUsed();
        break;
      case 'background': {
        const { task, run: kind, label } = leadsTo;
        this.#runs.start({ task, kind, label, toolUseId: id }, this.#at);
        break;
      }
      case 'plan-accepted':
        this.#plan.accept();
        this.#notes.planMode('off', this.#at);
        break;
      case 'file':
        if (effect?.kind === 'write') this.#desk.files.change(leadsTo.file, { to: effect.chars });
        if (effect?.kind === 'edit') this.#desk.files.change(leadsTo.file, { by: effect.chars ?? 0 });
        break;
    }
  }

  #startsAgent(): ToolSketch {
    return this.#desk.sketch({ tool: this.#samplers.toolNamed(FACTS.subagentTool), as: 'plain' });
  }

  /** A turn that starts several children at once: their results are there when the last has finished (AGT-2), or at once. */
  #forkTurn(fork: ForkSpec): void {
    const startMs = this.#at;
    const starts = Array.from({ length: fork.children }, () => this.#startsAgent());
    const { blocks, uses, endMs } = this.#turns.respond(this.#samplers.outputTokens(), starts, startMs);
    const { workload, seed, text } = this.spec;
    const children = forkChildren(fork, {
      callId: this.#writer.call(this.#model, startMs, endMs, blocks),
      endMs,
      model: this.#model,
      origin: `${workload}/${seed}`,
      text: text ?? 'filler',
    });
    this.#subagents.push(...children.threads);
    this.#at = fork.parent === 'goes-on' ? endMs : children.endMs;
    for (const use of uses) this.#turns.result(use, this.#at);
  }

  /** A turn whose one tool call is a subagent: the result is there when the subagent has finished. */
  #subagentTurn(): void {
    const startMs = this.#at;
    const output = this.#samplers.outputTokens();
    const { blocks, uses, endMs } = this.#turns.respond(output, [this.#startsAgent()], startMs);
    this.#writer.call(this.#model, startMs, endMs, blocks);
    const { turns, model } = this.spec.subagents!;
    const label = `agent-${this.#subagents.length + 1}`;
    const { workload, seed, text } = this.spec;
    const child = new SessionGenerator(
      {
        workload,
        seed,
        turns,
        model: model ?? this.#model,
        prefixTokens: FACTS.subagentPrefixTokens,
        ...(text && { text }),
      },
      { ...this.shape, ...SUBAGENT_SHAPE, callsPerPrompt: turns },
      this.random.split(label),
      { id: label, parentId: 'main', label: 'subagent', startMs: endMs },
    ).generate();
    this.#subagents.push(...child.threads);
    this.#at = child.endMs;
    for (const use of uses) this.#turns.result(use, this.#at);
  }

  #startsSubagent(turn: number, entry: AgendaEntry | undefined): boolean {
    const { subagents, turns } = this.spec;
    return (
      subagents !== undefined &&
      turn % subagents.everyTurns === 0 &&
      turn < turns &&
      entry?.endsPrompt !== true
    );
  }

  #flushEvents(): void {
    for (const planned of this.#pending) {
      const event = planned(this.#at);
      if (event.kind === 'model-switch') this.#model = event.model;
      this.#writer.event(event);
    }
    this.#pending = [];
  }

  #tokens(chars: number): number {
    return Math.max(1, Math.round(chars / this.#samplers.charsPerToken(chars)));
  }
}

/** Where a generated thread belongs. */
interface ThreadPlace extends Pick<Thread, 'id' | 'parentId' | 'label'> {
  readonly startMs: number;
}
