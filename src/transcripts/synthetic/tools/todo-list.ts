import type { Random } from '../../../core/base/random.js';
import type { ToolEffect } from '../../../core/model/block.js';
import { FACTS } from '../synthetic.generated.js';
import { exactInput, type InputFrame, inputAround } from './tool-sketch.js';

/** What a turn in plan mode does besides its work. */
type PlanStep = 'enter' | 'write' | 'exit';

/** Plan mode of a session: a prompt begins it, an accepted plan ends it. */
export class PlanMode {
  #plans = 0;
  #isOn = false;
  #entersByTool = false;
  #inFile = false;
  #isWritten = false;
  /** Calls that are left of the prompt when the plan is presented. */
  #presentAt = 0;

  constructor(
    private readonly random: Random,
    private readonly share: number,
  ) {}

  get isOn(): boolean {
    return this.#isOn;
  }

  /** File of the current plan. */
  get path(): string {
    return `/user/.claude/plans/plan-${this.#plans}.md`;
  }

  /** The plan is in the file, not in the call. */
  get isInFile(): boolean {
    return this.#inFile;
  }

  /** A prompt that leads to this many calls; true when the client tells the model that plan mode is on. */
  prompt(calls: number): boolean {
    const begins = this.random.chance(this.share);
    const byTool = this.random.chance(FACTS.planByToolShare);
    const inFile = this.random.chance(FACTS.planInFileShare);
    this.#presentAt = Math.ceil(calls / 2);
    if (this.#isOn) return true;
    if (!begins) return false;
    this.#plans++;
    this.#isOn = true;
    this.#entersByTool = byTool;
    this.#inFile = inFile;
    this.#isWritten = false;
    return !byTool;
  }

  /** What a turn that leaves this many calls of the prompt does; null for plain work. */
  step(callsLeft: number): PlanStep | null {
    if (!this.#isOn || callsLeft === 0) return null;
    if (this.#entersByTool) {
      this.#entersByTool = false;
      return 'enter';
    }
    if (callsLeft > this.#presentAt) return null;
    if (!this.#inFile || this.#isWritten) return 'exit';
    this.#isWritten = true;
    return 'write';
  }

  /** The plan was accepted. */
  accept(): void {
    this.#isOn = false;
  }
}

/** A call on the list: which tool, its input, what it does and what comes back. */
export interface TodoCall {
  readonly tool: 'TodoWrite' | 'TaskCreate' | 'TaskUpdate';
  readonly input: InputFrame;
  /** What it does, by the characters of its body. */
  effect(bodyChars: number): ToolEffect;
  readonly answer: string;
}

type Status = 'pending' | 'in_progress' | 'completed';

interface Task {
  readonly id: number;
  readonly subject: string;
  readonly doing: string;
  status: Status;
}

/** The todo list of a session: written whole each time, or task by task, as its client does. */
export class TodoList {
  readonly #random: Random;
  readonly #isWhole: boolean;
  #tasks: Task[] = [];
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#isWhole = random.chance(FACTS.wholeListShare);
  }

  /** Kind of the attachment that reminds of the list. */
  get reminder(): 'todo_reminder' | 'task_reminder' {
    return this.#isWhole ? 'todo_reminder' : 'task_reminder';
  }

  /** What is open on the list, as a reminder shows it; empty when nothing is. */
  get text(): string {
    const open = this.#tasks.filter(({ status }) => status !== 'completed');
    return open.map(({ id, status, subject }) => `#${id}. [${status}] ${subject}`).join('\n');
  }

  /** The next call on the list. */
  next(): TodoCall {
    const creates = this.#random.chance(FACTS.createShare);
    if (this.#isWhole) return this.#write();
    const open = this.#tasks.find(({ status }) => status !== 'completed');
    return open === undefined || (creates && this.#tasks.length <= FACTS.mostTasks)
      ? this.#create()
      : this.#update(open);
  }

  #write(): TodoCall {
    const current = this.#tasks.find(({ status }) => status === 'in_progress');
    if (current !== undefined) current.status = 'completed';
    const following = this.#tasks.find(({ status }) => status === 'pending');
    if (following !== undefined) following.status = 'in_progress';
    else if (current === undefined) {
      this.#tasks = Array.from({ length: this.#random.pick(FACTS.listItems) }, () => this.#task());
      this.#tasks[0]!.status = 'in_progress';
    }
    const todos = this.#tasks.map(({ subject, status, doing }) => ({
      content: subject,
      status,
      activeForm: doing,
    }));
    const effect = { kind: 'todo-list', items: todos.length, chars: JSON.stringify(todos).length } as const;
    return {
      tool: 'TodoWrite',
      input: exactInput('TodoWrite', { todos }),
      effect: () => effect,
      answer: FACTS.todoAnswer,
    };
  }

  #create(): TodoCall {
    const task = this.#task();
    this.#tasks.push(task);
    const { subject, doing } = task;
    return {
      tool: 'TaskCreate',
      input: inputAround('TaskCreate', { subject }, 'description', { activeForm: doing }),
      effect: (bodyChars) => ({ kind: 'task-create', chars: subject.length + bodyChars }),
      answer: `Task #${task.id} created successfully: ${subject}`,
    };
  }

  /** What is begun is finished, then the next is begun; a full list is worked off, and loses what was finished first. */
  #update(open: Task): TodoCall {
    const isFull = this.#tasks.length >= FACTS.mostTasks;
    const done =
      this.#tasks.length > FACTS.mostTasks
        ? this.#tasks.find(({ status }) => status === 'completed')
        : undefined;
    const task = done ?? open;
    const begins = !isFull && open.status === 'pending';
    const status = done !== undefined ? 'deleted' : begins ? 'in_progress' : 'completed';
    if (status === 'deleted') this.#tasks = this.#tasks.filter((each) => each !== task);
    else task.status = status;
    const effect = { kind: 'task-update', task: String(task.id), status, chars: 0 } as const;
    return {
      tool: 'TaskUpdate',
      input: exactInput('TaskUpdate', { taskId: String(task.id), status }),
      effect: () => effect,
      answer: `Updated task #${task.id} status`,
    };
  }

  #task(): Task {
    const [deed, doing] = this.#random.pick(FACTS.deeds);
    const rest = `${this.#random.pick(FACTS.things)} ${this.#random.pick(FACTS.places)}`;
    return { id: ++this.#made, subject: `${deed} ${rest}`, doing: `${doing} ${rest}`, status: 'pending' };
  }
}
