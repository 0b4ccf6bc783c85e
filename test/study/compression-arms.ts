import { quantile } from '../../src/core/base/stats.js';
import { metricValues } from '../../src/metrics/registry.js';
import { replayAll } from '../agent/layers/baselines/replay-baseline.js';

/** A task of the published benchmark under one arm. */
export interface TaskRow {
  readonly instance: string;
  readonly arm: string;
  readonly calls: number;
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  readonly costUsd: number;
}

/** Reads the table of the benchmark: daseinlabs/code-compression-bench, results/2026-07-04/paired.csv. */
export function readTasks(csv: string): readonly TaskRow[] {
  const [head, ...lines] = csv.trim().split('\n');
  const columns = head!.trim().split(',');
  return lines.map((line) => {
    const fields = line.trim().split(',');
    const of = (name: string): string => fields[columns.indexOf(name)]!;
    return {
      instance: of('instance'),
      arm: of('arm'),
      calls: Number(of('calls')),
      input: Number(of('input_tokens')),
      read: Number(of('cache_read')),
      written: Number(of('cache_write')),
      output: Number(of('output_tokens')),
      costUsd: Number(of('cost_usd')),
    };
  });
}

/** What an arm does to a session, as far as it is published; factors on what the baseline has. */
export interface Arm {
  /** Of tool results when they enter the context. */
  readonly results?: number;
  /** Of what the model writes. */
  readonly output?: number;
  /** Of tools, system prompt and first message; tokens on top of them. */
  readonly prefix?: number;
  readonly added?: number;
  /** Of tool results once four messages follow them. */
  readonly oldResults?: number;
  /** They are shortened when this many of them may be; each one by itself unless given. */
  readonly every?: number;
  /** Of calls. */
  readonly calls?: number;
}

/** Dollars for a token of output on claude-sonnet-4-6. */
const OUTPUT_USD = 15e-6;
/** Characters for a token of a steady session. */
const CHARS = 4;

/** Short sessions, in which what was written is what the prompts grew by. */
const SHORT_SESSIONS = 20;

/** The first prompt, from baseline rows alone: the mean prompt less half the growth, in the median of the shortest sessions. */
export function firstPromptOf(rows: readonly TaskRow[]): number {
  const firsts = [...rows]
    .sort((a, b) => a.calls - b.calls)
    .slice(0, SHORT_SESSIONS)
    .map(({ calls, input, written }) => input / calls - (((calls - 1) / 2) * written) / calls);
  return Math.round(quantile(firsts, 0.5)!);
}

/** What a session of equal turns with the calls, the mean prompt and the output of a baseline row costs under an arm. */
export function predictUsd(row: TaskRow, firstPrompt: number, arm: Arm = {}): number {
  const { calls, input, output } = row;
  const growth = Math.max(0, (2 * (input / calls - firstPrompt)) / Math.max(1, calls - 1));
  const written = output / calls;
  // What is thought is billed and does not stay: no more stays than the prompts grow by.
  const kept = Math.min(written, growth);
  const spoken = Math.round(kept * (arm.output ?? 1));
  const result = Math.round((growth - kept) * (arm.results ?? 1));
  const turns = Math.max(1, Math.round(calls * (arm.calls ?? 1)));
  const prefix = Math.round(firstPrompt * (arm.prefix ?? 1) + (arm.added ?? 0));
  const head = Math.round(result * (arm.oldResults ?? 1) * CHARS);
  const rules =
    arm.oldResults === undefined || head === 0
      ? 'policy: none'
      : `policy:
  rules:
    - name: shorten
      when: { toolResults: '>= 1' }
      select: { what: tool-results, keep: { last: 4 messages } }
      replace: { with: preview, head: ${head}, tail: 0 }
      until: { every: ${arm.every ?? 1} }`;
  const text = `name: task
model: claude-sonnet-4-6
transcript:
  synthetic:
    turns: ${turns}
    prefixTokens: ${prefix}
    text: none
    steady: { gapSeconds: 10, outputTokens: ${spoken}, resultTokens: ${result}, promptTokens: 0 }
${rules}
cache: { ttl: 5m }
`;
  const [run] = replayAll(text);
  const { costUsd } = metricValues(run!.facts);
  return costUsd! + turns * (written - kept) * (arm.output ?? 1) * OUTPUT_USD;
}
