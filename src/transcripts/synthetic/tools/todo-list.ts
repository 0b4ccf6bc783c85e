import type { Random } from '../../../core/base/random.js';
import type { ToolEffect } from '../../../core/model/tool-effect.js';
import { exactInput, type InputFrame, inputAround } from './tool-input.js';

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

/** Sessions with TodoWrite among those with a list: 7 of 24 shared recordings; a client has one kind of list. */
const WHOLE_LIST_SHARE = 0.29;
/** TaskCreate among TaskCreate and TaskUpdate (tool-stats: 835 and 1,573). */
const CREATE_SHARE = 0.347;
/** Items of 79 lists of the shared recordings: 3 to 9, 5 in the median. */
const LIST_ITEMS = [3, 4, 5, 5, 6, 8, 9] as const;
/** Tasks of a long list (p90 of 177 shared reminders); when there are more, what was finished first leaves. */
const MOST_TASKS = 10;

const ANSWER =
  'Todos have been modified successfully. Continue to use the list to keep track of the work, and go on with the current ' +
  'tasks where that applies for the moment.';
const DEEDS = [
  ['Update', 'Updating'],
  ['Check', 'Checking'],
  ['Remove', 'Removing'],
  ['Write', 'Writing'],
  ['Simplify', 'Simplifying'],
] as const;
const THINGS = [
  'the request parser',
  'the session cache',
  'the error paths',
  'the queue limits',
  'the index',
];
const PLACES = ['in the client', 'of each entry', 'for new files', 'and its tests', 'behind the flag'];

/** The todo list of a session: written whole each time, or task by task, as its client does. */
export class TodoList {
  readonly #random: Random;
  readonly #isWhole: boolean;
  #tasks: Task[] = [];
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#isWhole = random.chance(WHOLE_LIST_SHARE);
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
    const creates = this.#random.chance(CREATE_SHARE);
    if (this.#isWhole) return this.#write();
    const open = this.#tasks.find(({ status }) => status !== 'completed');
    return open === undefined || (creates && this.#tasks.length <= MOST_TASKS)
      ? this.#create()
      : this.#update(open);
  }

  #write(): TodoCall {
    const current = this.#tasks.find(({ status }) => status === 'in_progress');
    if (current !== undefined) current.status = 'completed';
    const following = this.#tasks.find(({ status }) => status === 'pending');
    if (following !== undefined) following.status = 'in_progress';
    else if (current === undefined) {
      this.#tasks = Array.from({ length: this.#random.pick(LIST_ITEMS) }, () => this.#task());
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
      answer: ANSWER,
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
    const isFull = this.#tasks.length >= MOST_TASKS;
    const done =
      this.#tasks.length > MOST_TASKS ? this.#tasks.find(({ status }) => status === 'completed') : undefined;
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
    const [deed, doing] = this.#random.pick(DEEDS);
    const rest = `${this.#random.pick(THINGS)} ${this.#random.pick(PLACES)}`;
    return { id: ++this.#made, subject: `${deed} ${rest}`, doing: `${doing} ${rest}`, status: 'pending' };
  }
}
