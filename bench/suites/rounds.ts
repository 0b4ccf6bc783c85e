import { benchPlan } from '../../src/cli/commands/bench/plan.js';
import type { BenchResult, SuiteOptions } from '../../src/cli/commands/bench/result.js';
import type { Step, Transcript } from '../../src/core/model/transcript.js';
import type { RequestEntry } from '../../src/core/run/log-entries.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { replay } from '../../src/engine/run/replay.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { validatedFile } from '../recording-file.js';

/** A generated session with the usage of its requests in a run. */
export function withUsage(transcript: Transcript, requests: readonly RequestEntry[]): Transcript {
  const [main, ...others] = transcript.threads;
  let n = 0;
  const steps = main!.steps.map((step): Step => {
    if (step.kind !== 'call') return step;
    const { input, read, write5m, write1h, output } = requests[n++]!;
    const usage = { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h, output };
    return { kind: 'call', call: { ...step.call, usage } };
  });
  return { ...transcript, threads: [{ ...main!, steps }, ...others] };
}

const STARTED_MS = Date.UTC(2026, 2, 1);

/** The calls of a session as TraceLab's rows: sizes and times, no content. */
export function roundsOf(
  { threads }: Transcript,
  agent: 'claude' | 'codex',
  seed: number,
): readonly object[] {
  const time = (ms: number): string => new Date(STARTED_MS + seed * 3_600_000 + ms).toISOString();
  const rounds: object[] = [];
  let said: object[] = [];
  for (const step of threads[0]!.steps) {
    if (step.kind === 'message') {
      const { origin, blocks, at } = step.message;
      const chars = blocks.reduce((sum, block) => sum + block.chars, 0);
      if (origin === 'human')
        said.push({ event_type: 'user_message', timestamp: time(at), content_chars: chars });
      if (origin === 'tool')
        for (const { toolUseId, tool, chars: own } of blocks)
          said.push({
            event_type: 'tool_result',
            timestamp: time(at),
            tool_call_id: toolUseId,
            tool_name: tool,
            is_error: false,
            result_chars: own,
          });
    }
    if (step.kind !== 'call') continue;
    const { id, model, usage, response, endMs } = step.call;
    const { input, cacheRead, cacheWrite5m, output } = usage!;
    const isClaude = agent === 'claude';
    const tools = response.blocks.filter(({ kind }) => kind === 'tool_use');
    rounds.push({
      provider: agent,
      project: 'generated',
      session_id: `${agent}-${seed}`,
      session_file: `${agent}-${seed}.jsonl`,
      round_index: rounds.length,
      round_id: id,
      model,
      input_tokens_total: input + cacheRead + cacheWrite5m,
      prefix_tokens: cacheRead,
      newly_append_tokens: input + cacheWrite5m,
      claude_uncached_input_tokens: isClaude ? input : null,
      claude_cache_creation_input_tokens: isClaude ? cacheWrite5m : null,
      claude_cache_read_input_tokens: isClaude ? cacheRead : null,
      output_tokens: output,
      reasoning_output_tokens: null,
      timing_events: [
        ...said,
        { event_type: 'text', timestamp: time(endMs), content_chars: 40 },
        ...tools.map(({ toolUseId, tool }) => ({
          event_type: 'tool_call',
          timestamp: time(endMs),
          tool_call_id: toolUseId,
          tool_name: tool,
        })),
      ],
      tools: tools.map(({ toolUseId, tool, chars }) => ({
        tool_name: tool,
        tool_call_id: toolUseId,
        input_chars: chars,
      })),
    });
    said = [];
  }
  return rounds;
}

/** Sessions that are generated; others are the same ones under other names. */
const DISTINCT_SESSIONS = 20;
/** Rounds of a session: those of TraceLab have 83 in the mean. */
const TURNS = 83;

/** The lines of a TraceLab file of this many rows, session after session. */
export function* roundLines(rows: number): Generator<string, void, void> {
  const plan = benchPlan('unbounded');
  const made = Array.from({ length: DISTINCT_SESSIONS }, (_, i) => {
    const agent = i % 3 === 0 ? 'codex' : 'claude';
    const model = agent === 'claude' ? 'claude-sonnet-4-5' : 'gpt-5.4';
    const transcript = generateTranscript({ workload: 'bugfix', turns: TURNS, seed: i, model, text: 'none' });
    const requests: RequestEntry[] = [];
    replay(plan, transcript, {
      write(entry: LogEntry) {
        if (entry.type === 'request' && entry.purpose === 'main') requests.push(entry);
      },
    });
    return roundsOf(withUsage(transcript, requests), agent, i).map((round) => `${JSON.stringify(round)}\n`);
  });
  let left = rows;
  for (let session = 0; left > 0; session++)
    for (const line of made[session % DISTINCT_SESSIONS]!.slice(0, left)) {
      left--;
      yield line
        .replace(/"session_id":"[^"]*"/, `"session_id":"session-${session}"`)
        .replace(/"round_id":"/, `"round_id":"${session}-`);
    }
}

/** Rows of the published file, and what reading and validating them may take. */
const ALL_ROWS = 665_000;
const SECONDS = 60;
const MEMORY_LIMIT_MB = 400;
const MEGABYTE = 1_000_000;

/** `validate` over a file of TraceLab rows: time by the row, and memory. */
export async function roundsSuite(options: SuiteOptions): Promise<Partial<BenchResult>> {
  const rows = options.quick ? 500 : ALL_ROWS / 10;
  options.onProgress(`${rows} rows`);
  const found = await validatedFile(roundLines(rows));
  if (found === null) return { notes: ['rounds: needs Linux and the built program'] };
  const { seconds, bytes } = found;
  const all = (seconds * ALL_ROWS) / rows;
  return {
    ratios: [
      {
        name: 'rounds',
        ratio: SECONDS / all,
        promised: 1,
        detail: `${SECONDS} s against ${all.toFixed(0)} s of processor time that validate takes for ${ALL_ROWS} rows, by ${rows} of them`,
      },
      {
        name: 'rounds-memory',
        ratio: MEMORY_LIMIT_MB / (bytes / MEGABYTE),
        promised: 1,
        detail: `${MEMORY_LIMIT_MB} MB against the ${(bytes / MEGABYTE).toFixed(0)} MB of a process that validates ${rows} rows`,
      },
    ],
  };
}
