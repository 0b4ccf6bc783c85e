/**
 * What a block, mostly a tool call, does to state that outlives its messages: the file on disk, the todo list, the plan, what
 * runs beside the conversation. Sizes are those of the content itself, not of the call around it.
 */
export type ToolEffect =
  /** A file has this content now (Write). */
  | { readonly kind: 'write'; readonly chars: number }
  /** A file grew or shrank by this many characters (Edit, MultiEdit); null where it is unknown (replace all, notebooks). */
  | { readonly kind: 'edit'; readonly chars: number | null }
  /** A part of a file was read (Read with an offset or a limit). */
  | { readonly kind: 'read-part' }
  /** A skill was invoked; its content follows in a message of its own. */
  | { readonly kind: 'skill'; readonly name: string }
  /** The whole todo list was written (TodoWrite). */
  | { readonly kind: 'todo-list'; readonly items: number; readonly chars: number }
  /** A task joined the list (TaskCreate). */
  | { readonly kind: 'task-create'; readonly chars: number }
  /** A task changed (TaskUpdate); `deleted` removes it. */
  | {
      readonly kind: 'task-update';
      readonly task: string;
      readonly status: string | null;
      readonly chars: number;
    }
  /** Plan mode was entered, or ended with a plan (ExitPlanMode); the plan may be in a file. */
  | { readonly kind: 'plan-enter' }
  | { readonly kind: 'plan-exit'; readonly chars: number; readonly path: string | null }
  /** An agent or a command was started beside the conversation; it runs until a block tells that it has ended. */
  | { readonly kind: 'background'; readonly label: string }
  /** News of it: the name the client gave it (on the result of its call), or its end. Call is null where only the name is known. */
  | {
      readonly kind: 'background-news';
      readonly state: 'running' | 'ended';
      readonly task: string | null;
      readonly call: string | null;
    }
  /** An attachment announces tools, agents or instructions: names with the size of what is said of each, and names withdrawn. */
  | {
      readonly kind: 'announce';
      readonly added: readonly (readonly [name: string, chars: number])[];
      readonly removed: readonly string[];
    };
