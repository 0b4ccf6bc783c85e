import { digestParts } from '../../base/digest.js';
import { CcbenchError } from '../../base/errors.js';
import { type Block, createBlock } from '../../model/block.js';
import type { Capability, Step, Thread, Transcript } from '../../model/transcript.js';
import { createWarnings, type WarningList } from '../../model/warning.js';
import { readJsonLines } from '../json-lines.js';
import { calibrateThread, learnRatio, type PrefixSize } from './calibrate.js';
import { splitChains } from './chains.js';
import { type Line, parseLine } from './lines.js';
import { groupSteps } from './responses.js';
import { finishSteps } from './timeline.js';

/** A session file as it lies on disk. */
export interface SessionFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What a Claude Code session can tell at its best; a recording that lacks something says so itself. */
export const claudeCodeCarries: readonly Capability[] = [
  'text',
  'timestamps',
  'usage',
  'lifetimes',
  'tools',
  'subagents',
  'boundaries',
  'output-tokens',
  'latency',
];

const AGENT_FILE = /^agent-.*\.jsonl(?:\.gz)?$/;

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function readLines(file: SessionFile, warnings: WarningList): Line[] {
  const lines: Line[] = [];
  for (const json of readJsonLines(file.bytes, { name: file.name, warnings })) {
    const line = parseLine(json);
    if (line !== null) lines.push(line);
  }
  return lines;
}

function prefixBlocks(size: PrefixSize, version: string | null): readonly Block[] {
  return (['tools', 'system'] as const).map((role) => {
    const tokens = role === 'tools' ? size.shared : size.own;
    return createBlock({
      kind: role,
      role,
      tokens,
      digest: digestParts(['claude-code', version ?? '', role, tokens]),
    });
  });
}

function carriesOf(lines: readonly Line[], steps: readonly Step[]): readonly Capability[] {
  const calls = steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
  const missing = new Set<Capability>();
  if (calls.every((call) => call.usage === null))
    for (const each of ['usage', 'lifetimes'] as const) missing.add(each);
  if (calls.every((call) => call.usage === null || call.outputIsPlaceholder)) missing.add('output-tokens');
  if (lines.every((line) => line.timeMs === null))
    for (const each of ['timestamps', 'latency'] as const) missing.add(each);
  return claudeCodeCarries.filter((capability) => !missing.has(capability));
}

function build(lines: readonly Line[], id: string, warnings: WarningList): Transcript {
  const chains = splitChains(lines, warnings).filter((chain) =>
    chain.lines.some((line) => line.type === 'user' || line.type === 'assistant'),
  );
  if (chains.length === 0) {
    throw new CcbenchError('bad-transcript', `${id}: the file holds no message of a Claude Code session`, {
      hint: 'pass the session file itself, as found below ~/.claude/projects',
    });
  }
  const owners = new Map<string, string>();
  const drafts = chains.map((chain) => groupSteps(chain, { warnings, owners }));
  const charsPerToken = learnRatio(drafts);
  const startedAtMs = chains[0]!.lines.find((line) => line.timeMs !== null)?.timeMs ?? null;
  const mainId = chains[0]!.isMain ? chains[0]!.id : null;
  const threads = chains.map((chain, i): Thread => {
    const version = chain.lines.find((line) => line.version !== null)?.version ?? null;
    const { steps, prefix } = calibrateThread(drafts[i]!, { charsPerToken, warnings });
    return {
      id: chain.id,
      parentId: chain.id === mainId ? null : mainId,
      label: chain.label,
      prefix: prefixBlocks(prefix, version),
      steps: finishSteps(steps, startedAtMs ?? 0),
    };
  });
  const steps = threads.flatMap((thread) => thread.steps);
  const bare = steps.filter((step) => step.kind === 'call' && step.call.usage === null).length;
  if (bare > 0) {
    warnings.add('no-usage', 'responses carry no usable usage', 'their prompts are sized by estimate', bare);
  }
  return {
    id,
    source: 'claude-code',
    carries: carriesOf(lines, steps),
    agentVersion: lines.find((line) => line.version !== null)?.version ?? null,
    startedAtMs,
    threads,
    warnings: warnings.list(),
  };
}

/** Reads one session file of Claude Code, plain or gzip. */
export function readClaudeCode(bytes: Uint8Array, options: { readonly id: string }): Transcript {
  const warnings = createWarnings();
  return build(readLines({ name: options.id, bytes }, warnings), options.id, warnings);
}

/** Reads a session file together with its `agent-*.jsonl` files as threads of one transcript. */
export function readClaudeCodeFiles(
  files: readonly SessionFile[],
  options: { readonly id: string },
): Transcript {
  const warnings = createWarnings();
  const isAgent = (file: SessionFile): boolean => AGENT_FILE.test(baseName(file.name));
  const mains = files.filter((file) => !isAgent(file));
  if (mains.length > 1) {
    const names = mains.map((file) => file.name).join(', ');
    throw new CcbenchError('bad-input', `${mains.length} session files were given as one: ${names}`, {
      hint: 'pass one session file and the agent-*.jsonl files that belong to it',
    });
  }
  const lines = [...mains, ...files.filter(isAgent)].flatMap((file) => readLines(file, warnings));
  return build(lines, options.id, warnings);
}
