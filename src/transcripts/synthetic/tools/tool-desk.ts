import type { Random } from '../../../core/base/random.js';
import type { ToolEffect } from '../../../core/model/block.js';
import type { BackgroundRuns } from '../agenda.js';
import { compileDistribution, type Sampler } from '../distribution.js';
import type { Samplers, ToolPick, ToolSampler } from '../samplers.js';
import { FACTS, type SessionShape } from '../synthetic.generated.js';
import { AgentMemory, FileTree } from './file-tree.js';
import type { PlanMode, TodoList } from './todo-list.js';
import { exactInput, type InputFrame, inputAround, ToolSketch, toolInputFrame } from './tool-sketch.js';

const editRatio = compileDistribution('editRatio', FACTS.editRatio);
const wholeOverPart = compileDistribution('wholeOverPart', FACTS.wholeOverPart);
const definitionTokens = compileDistribution('definitionTokens', FACTS.definitionTokens);

/** A frame that is still to be made. */
const NO_INPUT: InputFrame = { head: '', tail: '', hasBody: false };
const PART: ToolEffect = { kind: 'read-part' };
const READS_PART = (): ToolEffect => PART;
const EDITS_ALL = (): ToolEffect => ({ kind: 'edit', chars: null });
const EDITS_ONE = (bodyChars: number, oldChars: number): ToolEffect => ({
  kind: 'edit',
  chars: bodyChars - 2 * oldChars,
});

/** What tool calls of a session act on. */
export interface DeskState {
  readonly todos: TodoList;
  readonly plan: PlanMode;
  readonly runs: BackgroundRuns;
}

/** Thinks out the tool calls of a session: inputs that are what such calls really say, and results that fit them. */
export class ToolDesk {
  readonly #files: FileTree;
  readonly #memory: AgentMemory;
  readonly #edits: Random;
  readonly #writes: Random;
  readonly #places: Random;
  readonly #skills: Random;
  readonly #definitions: Random;
  readonly #plans: Random;
  readonly #planChars: Sampler;
  #hasSearched = false;

  constructor(
    shape: SessionShape,
    random: Random,
    private readonly samplers: Samplers,
    private readonly state: DeskState,
  ) {
    this.#files = new FileTree(samplers.files, shape.revisitShare);
    this.#memory = new AgentMemory(random.split('agent memory'));
    this.#edits = random.split('edits');
    this.#writes = random.split('writes');
    this.#places = random.split('places');
    this.#skills = random.split('skills');
    this.#definitions = random.split('definitions');
    this.#plans = random.split('plan chars');
    this.#planChars = compileDistribution('planChars', shape.planChars);
  }

  /** The files the session works on, for what calls change in them. */
  get files(): FileTree {
    return this.#files;
  }

  /** A call for what was drawn. */
  sketch({ tool, as }: ToolPick): ToolSketch {
    switch (as) {
      case 'skill':
        return this.#skill(tool);
      case 'todo':
        return this.#todo();
      case 'mcp':
        return this.#server(tool);
      case 'background':
        return this.#background();
      case 'memory': {
        const { tool: name, path } = this.#memory.next();
        const writer = this.samplers.toolNamed(name);
        return name === 'Write' ? this.#write(writer, path) : this.#edit(writer, path);
      }
      case 'plain':
        return this.#plain(tool);
    }
  }

  /** The call that enters plan mode. */
  enterPlan(): ToolSketch {
    const tool = this.samplers.toolNamed('EnterPlanMode');
    const sketch = new ToolSketch(tool, exactInput('EnterPlanMode', {}));
    sketch.effect = () => ({ kind: 'plan-enter' });
    sketch.isError = false;
    return sketch;
  }

  /** The call that puts the plan into its file. */
  writePlan(): ToolSketch {
    const sketch = this.#write(this.samplers.toolNamed('Write'), this.state.plan.path);
    sketch.inputChars = this.#planSize();
    sketch.isError = false;
    return sketch;
  }

  /** The call that presents the plan. */
  exitPlan(): ToolSketch {
    const { isInFile, path } = this.state.plan;
    const sketch = new ToolSketch(
      this.samplers.toolNamed('ExitPlanMode'),
      isInFile ? exactInput('ExitPlanMode', {}) : toolInputFrame('ExitPlanMode', null),
    );
    const saved = isInFile
      ? `${FACTS.planAccepted} Your plan has been saved to: ${path}`
      : FACTS.planAccepted;
    if (!isInFile) sketch.inputChars = this.#planSize();
    sketch.effect = (chars) => ({ kind: 'plan-exit', chars, path: null });
    sketch.result = sketch.isError
      ? { chars: FACTS.planRejectedChars, head: FACTS.planRejected }
      : { chars: saved.length, head: saved, ...(isInFile && { path }) };
    sketch.leadsTo = { kind: sketch.isError ? 'plan-rejected' : 'plan-accepted' };
    return sketch;
  }

  #planSize(): number {
    return Math.round(this.#planChars(this.#plans.next()));
  }

  #plain(tool: ToolSampler): ToolSketch {
    const { name } = tool.profile;
    if (name === 'Read') return this.#read(tool);
    if (name !== 'Edit' && name !== 'Write') return new ToolSketch(tool, toolInputFrame(name, null));
    if (this.state.plan.isOn) return this.#read(this.samplers.toolNamed('Read'));
    return name === 'Edit' ? this.#edit(tool, null) : this.#write(tool, null);
  }

  #read(tool: ToolSampler): ToolSketch {
    const sketch = new ToolSketch(tool, NO_INPUT);
    const { chars } = sketch.result;
    const asksPart = this.samplers.readsPart(chars);
    const whole = wholeOverPart(this.#places.next());
    const place = this.#places.next();
    const file = asksPart
      ? this.#files.visit(Math.round(chars * whole), 'part')
      : this.#files.visit(chars, 'whole');
    sketch.path = file.path;
    if (!asksPart) {
      sketch.input = { head: `Read{"file_path":"${file.path}"`, tail: '}', hasBody: false };
      sketch.result = { chars: file.chars, seed: file.contentSeed };
      return sketch;
    }
    const partChars = Math.max(1, Math.min(chars, file.chars));
    const limit = Math.max(1, Math.round(partChars / FACTS.lineChars));
    const offset = 1 + Math.floor((place * Math.max(0, file.chars - partChars)) / FACTS.lineChars);
    const head = `Read{"file_path":"${file.path}","offset":${offset},"limit":${limit}`;
    sketch.input = { head, tail: '}', hasBody: false };
    sketch.effect = READS_PART;
    sketch.result = { chars: partChars, seed: file.contentSeed + offset * 0x1f };
    return sketch;
  }

  /** An edit of a file outside the tree, or of one of its files. */
  #edit(tool: ToolSampler, outside: string | null): ToolSketch {
    const sketch = new ToolSketch(tool, NO_INPUT);
    const ratio = editRatio(this.#edits.next());
    const replacesAll = this.#edits.chance(FACTS.replaceAllShare);
    const file = outside === null ? this.#files.pick(sketch.result.chars) : null;
    sketch.path = outside ?? file!.path;
    sketch.input = {
      head: `Edit{"file_path":"${sketch.path}","old_string":"`,
      tail: `","replace_all":${replacesAll}}`,
      hasBody: true,
    };
    sketch.halves = { oldShare: 1 / (1 + ratio), between: '","new_string":"' };
    sketch.effect = replacesAll ? EDITS_ALL : EDITS_ONE;
    if (file !== null) sketch.leadsTo = { kind: 'file', file };
    return sketch;
  }

  #write(tool: ToolSampler, outside: string | null): ToolSketch {
    const sketch = new ToolSketch(tool, NO_INPUT);
    const isNew = this.#writes.chance(FACTS.newFileShare);
    const file = outside !== null ? null : isNew ? this.#files.add(0) : this.#files.pick(0);
    sketch.path = outside ?? file!.path;
    sketch.input = toolInputFrame('Write', sketch.path);
    sketch.effect = (chars) => ({ kind: 'write', chars });
    if (file !== null) sketch.leadsTo = { kind: 'file', file };
    return sketch;
  }

  #skill(tool: ToolSampler): ToolSketch {
    const name = this.#skills.pick(FACTS.skills);
    const head = `Launching skill: ${name}`;
    const sketch = new ToolSketch(tool, exactInput('Skill', { skill: name }));
    sketch.effect = () => ({ kind: 'skill', name });
    if (!sketch.isError) sketch.result = { chars: head.length, head };
    sketch.leadsTo = { kind: 'skill', name };
    return sketch;
  }

  #todo(): ToolSketch {
    const { tool, input, effect, answer } = this.state.todos.next();
    const sketch = new ToolSketch(this.samplers.toolNamed(tool), input);
    sketch.effect = effect;
    sketch.result = { chars: answer.length, head: answer };
    sketch.isError = false;
    sketch.leadsTo = { kind: 'todo' };
    return sketch;
  }

  /** A call to a server, or first the search for its tools. */
  #server(tool: ToolSampler): ToolSketch {
    const { name } = tool.profile;
    if (name !== FACTS.searchTool && this.#hasSearched)
      return new ToolSketch(tool, toolInputFrame(name, null));
    this.#hasSearched = true;
    const query = name === FACTS.searchTool ? 'browser page issue docs' : `select:${name}`;
    const moreTokens = Math.round(definitionTokens(this.#definitions.next()));
    const search = this.samplers.toolNamed(FACTS.searchTool);
    const sketch = new ToolSketch(search, exactInput(FACTS.searchTool, { query, max_results: 5 }));
    sketch.result = { chars: 0, moreTokens };
    sketch.isError = false;
    return sketch;
  }

  #background(): ToolSketch {
    const { task, kind, label } = this.state.runs.choose();
    const name = kind === 'agent' ? FACTS.subagentTool : 'Bash';
    const input =
      kind === 'agent'
        ? inputAround(name, { description: label }, 'prompt', {
            subagent_type: 'general-purpose',
            run_in_background: true,
          })
        : inputAround(name, {}, 'command', { description: label, run_in_background: true });
    const sketch = new ToolSketch(this.samplers.toolNamed(name), input);
    const head =
      kind === 'agent'
        ? `Async agent launched successfully.\nagentId: ${task} (internal ID). `
        : `Command running in background with ID: ${task}. Output is being written to a file. `;
    sketch.effect = () => ({ kind: 'background', label });
    sketch.result = {
      chars: FACTS.startedChars[kind],
      head,
      effect: { kind: 'background-news', state: 'running', task, call: null },
    };
    sketch.isError = false;
    sketch.leadsTo = { kind: 'background', task, run: kind, label };
    return sketch;
  }
}
