import type { Block } from '../../../src/core/model/block.js';
import { textStart } from '../../../src/core/model/text.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { SessionShape } from '../../../src/transcripts/synthetic/synthetic.generated.js';

/** How often sessions think, plan, keep lists and so on: shares of responses, reads or tool calls. */
export type WorkloadShares = Pick<
  SessionShape,
  | 'thinkingShare'
  | 'partialReadShare'
  | 'skillShare'
  | 'todoShare'
  | 'mcpShare'
  | 'backgroundShare'
  | 'memoryWriteShare'
>;

const LIST_TOOLS = new Set<string | null>(['TodoWrite', 'TaskCreate', 'TaskUpdate']);
const MEMORY = /\.claude[\\/]+projects[\\/]+[^\\/]+[\\/]+memory[\\/]/;
const STARTED = /^(?:Async agent launched|Command running in background)/;
const PART = /"(?:offset|limit)":/;
/** Characters in which a call tells which part it reads, and a result that something was started. */
const TELLING_CHARS = 1_000;

function isServerTool(tool: string | null): boolean {
  return tool === 'ToolSearch' || tool?.startsWith('mcp__') === true;
}

function says({ text }: Block, what: RegExp): boolean {
  return text !== null && what.test(textStart(text, TELLING_CHARS));
}

function isStart(block: Block): boolean {
  return block.facts.effect?.kind === 'background-news'
    ? block.facts.effect.state === 'running'
    : says(block, STARTED);
}

function isPart(block: Block): boolean {
  return block.facts.effect?.kind === 'read-part' || says(block, PART);
}

/** Counts what sessions do, recorded or generated; calls of subagents are left out. */
export function sampleShares(transcripts: readonly Transcript[]): WorkloadShares {
  const count = { responses: 0, thinking: 0, calls: 0, reads: 0, parts: 0 };
  const calls = { skill: 0, todo: 0, mcp: 0, background: 0, memory: 0 };
  const note = (block: Block): void => {
    const { kind, tool, facts } = block;
    if (kind === 'tool_result' && isStart(block)) calls.background++;
    if (kind !== 'tool_use') return;
    count.calls++;
    if (tool === 'Read') {
      count.reads++;
      if (isPart(block)) count.parts++;
    } else if (tool === 'Skill') calls.skill++;
    else if (LIST_TOOLS.has(tool)) calls.todo++;
    else if (isServerTool(tool)) calls.mcp++;
    else if (facts.path !== undefined && MEMORY.test(facts.path)) calls.memory++;
  };
  for (const { threads } of transcripts) {
    for (const { parentId, steps } of threads) {
      if (parentId !== null) continue;
      for (const step of steps) {
        if (step.kind === 'event') continue;
        const message = step.kind === 'call' ? step.call.response : step.message;
        if (step.kind === 'call') {
          count.responses++;
          if (message.blocks.some(({ kind }) => kind === 'thinking')) count.thinking++;
        }
        for (const block of message.blocks) note(block);
      }
    }
  }
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  return {
    thinkingShare: share(count.thinking, count.responses),
    partialReadShare: share(count.parts, count.reads),
    skillShare: share(calls.skill, count.calls),
    todoShare: share(calls.todo, count.calls),
    mcpShare: share(calls.mcp, count.calls),
    backgroundShare: share(calls.background, count.calls),
    memoryWriteShare: share(calls.memory, count.calls),
  };
}
