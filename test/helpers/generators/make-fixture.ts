import type { Step, Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/run-log.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { writeClaudeCode } from '../../../src/transcripts/write-claude-code.js';
import { mainRequests, planOf, runLog } from '../plan.js';

/** A recording the project makes itself: a generated session, billed under the bare API, written as Claude Code writes it. */
export function fixtureText(spec: {
  readonly workload: string;
  readonly turns: number;
  readonly seed: number;
}): string {
  const transcript = generateTranscript({ ...spec, model: 'claude-sonnet-4-5', text: 'filler' });
  const plan = planOf({ policy: 'unbounded', set: { 'client.use': 'none' }, cache: { ttl: '5m' } });
  const requests = mainRequests(runLog(plan, transcript));
  const [file] = writeClaudeCode(withUsage(transcript, requests)).files;
  return file!.text;
}

function withUsage(transcript: Transcript, requests: readonly RequestEntry[]): Transcript {
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

/** Sessions the project makes itself as TraceLab writes them: a row for each call, with sizes and times and no content. */
export function roundsText(
  specs: readonly { readonly agent: 'claude' | 'codex'; readonly seed: number }[],
): string {
  const rounds = specs.flatMap(({ agent, seed }) => {
    const model = agent === 'claude' ? 'claude-sonnet-4-5' : 'gpt-5.4';
    const transcript = generateTranscript({ workload: 'bugfix', turns: 6, seed, model, text: 'none' });
    const plan = planOf({ model, policy: 'unbounded', set: { 'client.use': 'none' } });
    return roundsOf(withUsage(transcript, mainRequests(runLog(plan, transcript))), agent, seed);
  });
  return rounds.map((round) => `${JSON.stringify(round)}\n`).join('');
}

const STARTED_MS = Date.UTC(2026, 2, 1);

function roundsOf({ threads }: Transcript, agent: 'claude' | 'codex', seed: number): readonly object[] {
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
