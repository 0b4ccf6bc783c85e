import type { Random } from '../../base/random.js';
import { type Block, type BlockFacts, CHARS_PER_TOKEN, NO_FACTS } from '../../model/block.js';
import type { Thread } from '../../model/transcript.js';
import { type AgendaEntry, createAgenda, type PlannedEvent } from './agenda.js';
import { FileTree, type TreeFile } from './file-tree.js';
import { forkChildren } from './fork-children.js';
import { createSamplers, type Samplers, type ToolSampler } from './samplers.js';
import type { SessionShape } from './shape.js';
import { DEFAULT_MODEL, type ForkSpec, type SyntheticSpec } from './spec.js';
import { STATEMENTS } from './statements.js';
import { ThreadWriter } from './thread-writer.js';
import { toolInputFrame } from './tool-input.js';
import { SUBAGENT_TOOL, type ToolProfile } from './tool-profiles.js';

/** Duration of an API call in recorded requests: about 2 s and 14.5 ms per output token (E1). */
const CALL_OVERHEAD_MS = 2_000;
const MS_PER_OUTPUT_TOKEN = 14.5;

/** Tools and system prompt of a recorded Explore subagent (E1). */
const SUBAGENT_PREFIX_TOKENS = 9_041;

/** Responses keep at least this many tokens for text, or have none. */
const SMALLEST_TEXT_TOKENS = 4;

interface ToolUse {
  readonly tool: ToolSampler;
  readonly id: string;
  readonly file: TreeFile | null;
  readonly resultChars: number;
  readonly block: Block;
}

/** Generates a main thread and its subagents; time and work are drawn from a shape. */
export class SessionGenerator {
  readonly #spec: SyntheticSpec;
  readonly #random: Random;
  readonly #samplers: Samplers;
  readonly #files: FileTree;
  readonly #writer: ThreadWriter;
  readonly #agenda: ReadonlyMap<number, AgendaEntry>;
  readonly #subagents: Thread[] = [];
  readonly #shape: SessionShape;
  /** Chance of what the user says besides the task, apart from all other draws. */
  readonly #statements: Random;
  #pending: readonly PlannedEvent[] = [];
  #model: string;
  #at: number;

  constructor(spec: SyntheticSpec, shape: SessionShape, random: Random, place: ThreadPlace) {
    this.#spec = spec;
    this.#shape = shape;
    this.#random = random;
    this.#statements = random.split('statements');
    this.#samplers = createSamplers(shape, random);
    this.#files = new FileTree(this.#samplers.files, shape.revisitShare);
    this.#writer = new ThreadWriter({
      ...place,
      origin: `${spec.workload}/${spec.seed}`,
      text: spec.text ?? 'filler',
      ...(spec.prefixSeed === undefined ? {} : { prefixOrigin: `sessions/${spec.prefixSeed}` }),
    });
    this.#agenda = createAgenda(spec);
    this.#model = spec.model ?? DEFAULT_MODEL;
    this.#at = place.startMs;
  }

  /** The thread with its subagents behind it, and when it ended. */
  generate(): { readonly threads: readonly Thread[]; readonly endMs: number } {
    const firstPrompt = this.#samplers.firstPromptTokens();
    const first = this.#humanPrompt();
    const prefixTokens = this.#spec.prefixTokens ?? Math.max(1, firstPrompt - first);
    let callsLeft = this.#samplers.callsPerPrompt();
    for (let turn = 1; turn <= this.#spec.turns; turn++) {
      if (callsLeft === 0) {
        const drawnMs = this.#samplers.humanIdleMs();
        this.#at += this.#agenda.get(turn - 1)?.idleMs ?? drawnMs;
        this.#flushEvents();
        this.#humanPrompt();
        callsLeft = this.#samplers.callsPerPrompt();
      } else this.#flushEvents();
      const entry = this.#agenda.get(turn);
      callsLeft = entry?.endsPrompt === true || turn === this.#spec.turns ? 0 : callsLeft - 1;
      const fork = this.#spec.forks?.find(({ afterTurn }) => afterTurn === turn);
      if (fork !== undefined) {
        callsLeft = Math.max(1, callsLeft);
        this.#forkTurn(fork);
      } else if (this.#startsSubagent(turn, entry)) {
        callsLeft = Math.max(1, callsLeft);
        this.#subagentTurn();
      } else this.#turn(callsLeft === 0 ? 0 : this.#samplers.toolCalls());
      for (const event of entry?.atOnce ?? []) this.#writer.event(event(this.#at));
      this.#pending = entry?.beforeNext ?? [];
    }
    this.#flushEvents();
    const thread = this.#writer.thread(prefixTokens, CHARS_PER_TOKEN);
    const others = this.#subagents.map((child) =>
      child.fork === undefined ? child : { ...child, prefix: thread.prefix },
    );
    return { threads: [thread, ...others], endMs: this.#at };
  }

  #humanPrompt(): number {
    const drawn = this.#samplers.humanPromptChars();
    const said = this.#statements.chance(this.#shape.statementShare) ? this.#statements.pick(STATEMENTS) : '';
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

  #turn(toolCalls: number): void {
    const startMs = this.#at;
    const outputTokens = this.#samplers.outputTokens();
    const tools: ToolSampler[] = [];
    for (let i = 0; i < toolCalls; i++) tools.push(this.#samplers.tool());
    const { blocks, uses, endMs } = this.#respond(outputTokens, tools);
    this.#writer.call(this.#model, startMs, endMs, blocks);
    this.#at = endMs;
    for (const use of uses) {
      this.#at = Math.max(this.#at, endMs + use.tool.latencyMs());
      this.#result(use);
    }
  }

  /** A turn that starts several children at once: their results are there when the last has finished (AGT-2), or at once. */
  #forkTurn(fork: ForkSpec): void {
    const startMs = this.#at;
    const tools = Array.from({ length: fork.children }, () => this.#samplers.toolNamed(SUBAGENT_TOOL));
    const { blocks, uses, endMs } = this.#respond(this.#samplers.outputTokens(), tools);
    const { workload, seed, text } = this.#spec;
    const children = forkChildren(fork, {
      callId: this.#writer.call(this.#model, startMs, endMs, blocks),
      endMs,
      model: this.#model,
      origin: `${workload}/${seed}`,
      text: text ?? 'filler',
    });
    this.#subagents.push(...children.threads);
    this.#at = fork.parent === 'goes-on' ? endMs : children.endMs;
    for (const use of uses) this.#result(use);
  }

  /** A turn whose one tool call is a subagent: the result is there when the subagent has finished. */
  #subagentTurn(): void {
    const startMs = this.#at;
    const { blocks, uses, endMs } = this.#respond(this.#samplers.outputTokens(), [
      this.#samplers.toolNamed(SUBAGENT_TOOL),
    ]);
    this.#writer.call(this.#model, startMs, endMs, blocks);
    const { turns, model } = this.#spec.subagents!;
    const label = `agent-${this.#subagents.length + 1}`;
    const { workload, seed, text } = this.#spec;
    const child = new SessionGenerator(
      {
        workload,
        seed,
        turns,
        model: model ?? this.#model,
        prefixTokens: SUBAGENT_PREFIX_TOKENS,
        ...(text && { text }),
      },
      { ...this.#shape, callsPerPrompt: turns },
      this.#random.split(label),
      { id: label, parentId: 'main', label: 'subagent', startMs: endMs },
    ).generate();
    this.#subagents.push(...child.threads);
    this.#at = child.endMs;
    for (const use of uses) this.#result(use);
  }

  #respond(
    outputTokens: number,
    tools: readonly ToolSampler[],
  ): {
    readonly blocks: readonly Block[];
    readonly uses: readonly ToolUse[];
    readonly endMs: number;
  } {
    let left = outputTokens;
    const endMs = this.#at + Math.round(CALL_OVERHEAD_MS + left * MS_PER_OUTPUT_TOKEN);
    const blocks: Block[] = [];
    if (this.#samplers.thinks()) {
      const tokens = Math.floor(left / 2);
      left -= tokens;
      blocks.push(
        this.#writer.block({ kind: 'thinking', role: 'assistant', tokens, filler: this.#prose(tokens) }),
      );
    }
    const uses: ToolUse[] = [];
    for (let i = 0; i < tools.length; i++) {
      const rest = Math.floor(left / (tools.length - i));
      const use = this.#toolUse(tools[i]!, rest, i === tools.length - 1 ? SMALLEST_TEXT_TOKENS : 0);
      left -= use.block.tokens;
      uses.push(use);
    }
    if (left > 0) {
      blocks.push(
        this.#writer.block({ kind: 'text', role: 'assistant', tokens: left, filler: this.#prose(left) }),
      );
    }
    for (const use of uses) blocks.push(use.block);
    return { blocks, uses, endMs };
  }

  /** A tool call within a budget of output tokens; it takes all of it when less than `spare` would be left. */
  #toolUse(tool: ToolSampler, budget: number, spare: number): ToolUse {
    const { name, onFile } = tool.profile;
    const wantedChars = tool.inputChars();
    const sampledChars = tool.resultChars();
    const reads = name === 'Read';
    const file = !onFile ? null : reads ? this.#files.visit(sampledChars) : this.#files.edit(sampledChars);
    const { head, tail } = toolInputFrame(name, file?.path ?? null);
    const frame = head.length + tail.length;
    const charsPerToken = this.#samplers.charsPerToken(wantedChars);
    let tokens = Math.min(
      budget,
      Math.max(1, Math.round((reads ? frame : Math.max(frame, wantedChars)) / charsPerToken)),
    );
    if (budget - tokens < spare) tokens = budget;
    const chars = reads ? frame : Math.max(frame, Math.round(tokens * charsPerToken));
    const id = this.#writer.toolUseId();
    const block = this.#writer.block({
      kind: 'tool_use',
      role: 'assistant',
      tokens,
      tool: name,
      toolUseId: id,
      filler: { style: 'words', chars, head, tail },
      facts: file === null ? NO_FACTS : { path: file.path },
    });
    return { tool, id, file, resultChars: reads ? file!.chars : sampledChars, block };
  }

  #result(use: ToolUse): void {
    const { profile } = use.tool;
    const facts = resultFacts(profile, use.file, use.tool.fails());
    let tokens = this.#tokens(use.resultChars);
    for (let i = 0; i < profile.images; i++) tokens += this.#samplers.imageTokens();
    const block = this.#writer.block({
      kind: 'tool_result',
      role: 'user',
      tokens,
      tool: profile.name,
      toolUseId: use.id,
      facts,
      filler:
        profile.name === 'Read' && use.file !== null
          ? { style: profile.style, chars: use.resultChars, seed: use.file.contentSeed }
          : { style: profile.style, chars: use.resultChars },
    });
    this.#writer.message('tool', [block], this.#at);
  }

  #startsSubagent(turn: number, entry: AgendaEntry | undefined): boolean {
    const { subagents, turns } = this.#spec;
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

  #prose(tokens: number): { readonly style: 'prose'; readonly chars: number } {
    return {
      style: 'prose',
      chars: Math.round(tokens * this.#samplers.charsPerToken(tokens * CHARS_PER_TOKEN)),
    };
  }
}

function resultFacts(profile: ToolProfile, file: TreeFile | null, isError: boolean): BlockFacts {
  if (file === null && !isError && profile.images === 0) return NO_FACTS;
  const facts: { -readonly [key in keyof BlockFacts]: BlockFacts[key] } = {};
  if (file !== null) facts.path = file.path;
  if (isError) facts.isError = true;
  if (profile.images > 0) facts.images = profile.images;
  if (profile.name === 'Read' && file?.path.endsWith('.json') === true) facts.jsonLike = true;
  return facts;
}

/** Where a generated thread belongs. */
interface ThreadPlace {
  readonly id: string;
  readonly parentId: string | null;
  readonly label: string;
  readonly startMs: number;
}
