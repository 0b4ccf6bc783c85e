import { CcbenchError } from '../../../core/base/errors.js';
import type { Block } from '../../../core/model/block.js';
import type { SessionInfo, Thread, Transcript } from '../../../core/model/transcript.js';
import { CAPABILITIES } from '../../../core/run/capability.js';
import { createWarnings, type WarningList } from '../../../core/run/warning.js';
import type { DraftCall } from '../../drafts/draft.js';
import { carriesOf, finishThreads, type UnfinishedThread } from '../../drafts/finish-recording.js';
import type { PrefixShape } from '../../drafts/prefix-shape.js';
import { type ReadObject, streamJsonLines, unpackBytes } from '../../lines/json-lines.js';
import { type Chain, splitChains } from './chains.js';
import { type Line, LineParser } from './lines/lines.js';
import { SessionLineReader } from './lines/session-line-reader.js';
import { FileTexts, memorySource, type TextPlace, type TextSource } from './recorded-text.js';
import { groupSteps } from './responses.js';

const AGENT_TOOLS = new Set<string | null>(['Task', 'Agent']);
/** How a result names the agent who gave it, or who was started (transcripts.md 6). */
const NAMED = /agentId: ([\w-]+) \(/g;

/** The agent that a result names; the last one, as an answer may quote another. */
function agentOf({ kind, tool, text, facts }: Block): string | null {
  if (kind !== 'tool_result' || !AGENT_TOOLS.has(tool) || facts.isError === true || text === null)
    return null;
  return [...text.read().matchAll(NAMED)].at(-1)?.[1] ?? null;
}

/** Says of how many agents the results of a conversation tell whose requests are in no file that was read. */
function warnOfMissingAgents(
  threads: readonly Thread[],
  known: ReadonlySet<string | null>,
  warnings: WarningList,
): void {
  const missing = new Set<string>();
  for (const { steps } of threads) {
    for (const step of steps) {
      if (step.kind !== 'message') continue;
      for (const block of step.message.blocks) {
        const agent = agentOf(block);
        if (agent !== null && !known.has(agent)) missing.add(agent);
      }
    }
  }
  warnings.add(
    'agents-missing',
    'requests of agents that were started are in no file: their cost is not included',
    'put their agent-*.jsonl files into <session>/subagents beside the session file',
    missing.size,
  );
}

/** A session file as it lies on disk. */
export interface SessionFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A session file that is read in chunks, as often as they are asked for. */
export interface SessionStream {
  readonly name: string;
  readonly chunks: Iterable<Uint8Array>;
  /** Where texts are read again; null keeps them in memory. */
  readonly source: TextSource | null;
  /** Where texts are until somebody reads them; by default in the source. */
  readonly texts?: TextPlace;
}

const AGENT_FILE = /^agent-.*\.jsonl(?:\.gz)?$/;

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The lines of all files of a session. */
interface SessionLines {
  readonly own: Line[];
  /** Lines of subagents that stand in the file of their parent. */
  readonly fromParents: Line[];
  /** What the file of the session itself tells of its requests (R13). */
  shape: PrefixShape | null;
  clientCostUsd: number | null;
}

function readLines(stream: SessionStream, warnings: WarningList, lines: SessionLines): LineParser {
  const { name, chunks, source, texts } = stream;
  const parser = new LineParser(source === null ? null : new FileTexts(name, source, texts));
  const reader = new SessionLineReader((head) => parser.isIdle(head));
  const read: ReadObject = (buffer, start, end) => reader.read(buffer, start, end);
  for (const json of streamJsonLines(chunks, { name, warnings, read })) {
    const line = parser.parse(json, reader.head);
    if (line !== null) (parser.isFromParent ? lines.fromParents : lines.own).push(line);
  }
  return parser;
}

function streamOf(file: SessionFile | SessionStream, warnings: WarningList): SessionStream {
  if ('chunks' in file) return file;
  const plain = unpackBytes(file.bytes, { name: file.name, warnings });
  return { name: file.name, chunks: [plain], source: memorySource(plain) };
}

function firstVersion(lines: readonly Line[]): string | null {
  return lines.find((line) => line.version !== null)?.version ?? null;
}

/** The subagents that are known from the file of their parent alone (K15). */
function chainsFromParents({ own, fromParents }: SessionLines, warnings: WarningList): readonly Chain[] {
  if (fromParents.length === 0) return [];
  const known = new Set(own.map((line) => line.agentId));
  const chains = splitChains(
    fromParents.filter((line) => !known.has(line.agentId)),
    warnings,
  );
  warnings.add(
    'agents-told',
    'subagents are known only from their parent’s progress lines, which omit their last answer',
    'put their agent-*.jsonl files into <session>/subagents beside the session file',
    chains.length,
  );
  return chains;
}

/** The sessions of clients that wrote one file in turns; null for one client. */
function sessionsOf(chains: readonly Chain[], originMs: number): readonly SessionInfo[] | null {
  const mains = chains.filter((chain) => chain.isMain);
  if (mains.length < 2) return null;
  return mains.map(({ id, lines, shared }) => {
    const firstMs = lines.slice(shared).find((line) => line.timeMs !== null)?.timeMs ?? originMs;
    const startMs = Math.max(0, firstMs - originMs);
    return { name: id, startMs, resumes: shared === 0 ? null : mains[0]!.id, ending: 'clean' };
  });
}

/** What advisors of a conversation were asked, each time as a conversation of its own: nothing but its size is known (K22). */
function advisorsOf(asking: UnfinishedThread, calls: readonly DraftCall[]): readonly UnfinishedThread[] {
  return calls.map((call) => ({
    ...asking,
    id: call.id,
    parentId: asking.id,
    label: 'advisor',
    steps: [{ kind: 'call', call }],
  }));
}

function build(read: SessionLines, id: string, warnings: WarningList): Transcript {
  const lines = read.own;
  const whole = splitChains(lines, warnings).filter((chain) =>
    chain.lines.some((line) => line.type === 'user' || line.type === 'assistant'),
  );
  const chains = [...whole, ...chainsFromParents(read, warnings)];
  if (chains.length === 0) {
    throw new CcbenchError('bad-transcript', `${id}: the file holds no message of a Claude Code session`, {
      hint: 'pass the session file itself, as found below ~/.claude/projects',
    });
  }
  const owners = new Map<string, string>();
  const drafts = chains.map((chain) => groupSteps(chain, { warnings, owners }));
  const startedAtMs = chains[0]!.lines.find((line) => line.timeMs !== null)?.timeMs ?? null;
  const mainId = chains[0]!.isMain ? chains[0]!.id : null;
  const sessions = sessionsOf(chains, startedAtMs ?? 0);
  const unfinished = chains.map((chain, i) => ({
    id: chain.id,
    parentId: chain.isMain ? null : mainId,
    label: chain.label,
    steps: drafts[i]!.steps,
    version: firstVersion(chain.lines),
    shape: chain.isMain ? read.shape : null,
    ...(sessions === null ? {} : { session: chain.isMain ? chain.id : mainId! }),
  }));
  const advisors = unfinished.flatMap((asking, i) => advisorsOf(asking, drafts[i]!.advisors));
  const threads = finishThreads([...unfinished, ...advisors], {
    source: 'claude-code',
    startedAtMs,
    warnings,
  });
  warnOfMissingAgents(
    threads,
    new Set([...lines, ...read.fromParents].map((line) => line.agentId)),
    warnings,
  );
  const isTimed = chains.some((chain) => chain.lines.some((line) => line.timeMs !== null));
  const entrypoint = lines.find((line) => line.entrypoint !== null)?.entrypoint ?? null;
  const carries = carriesOf(CAPABILITIES, threads, { times: isTimed ? 'known' : 'unknown', warnings });
  return {
    id,
    source: 'claude-code',
    carries,
    agentVersion: firstVersion(lines) ?? firstVersion(read.fromParents),
    startedAtMs,
    threads,
    ...(entrypoint === null ? {} : { entrypoint }),
    ...(read.clientCostUsd === null ? {} : { clientCostUsd: read.clientCostUsd }),
    ...(sessions === null ? {} : { sessions }),
    warnings: warnings.list(),
  };
}

/** Reads one session file of Claude Code, plain or gzip. */
export function readClaudeCode(bytes: Uint8Array, options: { readonly id: string }): Transcript {
  return readClaudeCodeFiles([{ name: options.id, bytes }], options);
}

/** Reads a session file together with its `agent-*.jsonl` files as threads of one transcript. */
export function readClaudeCodeFiles(
  files: readonly (SessionFile | SessionStream)[],
  options: { readonly id: string },
): Transcript {
  const warnings = createWarnings();
  const isAgent = (file: SessionFile | SessionStream): boolean => AGENT_FILE.test(baseName(file.name));
  const mains = files.length === 1 ? files : files.filter((file) => !isAgent(file));
  if (mains.length > 1) {
    const names = mains.map((file) => file.name).join(', ');
    throw new CcbenchError('bad-input', `${mains.length} session files were given as one: ${names}`, {
      hint: 'pass one session file and the agent-*.jsonl files that belong to it',
    });
  }
  const agents = files.length === 1 ? [] : files.filter(isAgent);
  const lines: SessionLines = { own: [], fromParents: [], shape: null, clientCostUsd: null };
  for (const file of [...mains, ...agents]) {
    const { shape, clientCostUsd } = readLines(streamOf(file, warnings), warnings, lines);
    if (agents.includes(file)) continue;
    lines.shape = shape;
    lines.clientCostUsd = clientCostUsd;
  }
  return build(lines, options.id, warnings);
}
