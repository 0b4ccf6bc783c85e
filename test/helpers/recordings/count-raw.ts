import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { promptTokens } from '../../../src/core/model/usage.js';

/** What is counted of a recording, by a reader or without it. */
export interface RawCount {
  readonly calls: number;
  readonly prompt: number;
  readonly cached: number;
  readonly output: number;
  readonly compactions: number;
}

/** The lines of a raw file as objects, taken at their word. */
function rawLines<Line>(path: string): readonly Line[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as Line]));
}

interface RolloutSums {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
}

interface RolloutLine {
  readonly type: string;
  readonly payload: {
    readonly type?: string;
    readonly info?: {
      readonly total_token_usage: RolloutSums;
      readonly last_token_usage: RolloutSums;
    } | null;
  };
}

/** Counts a Codex rollout from its raw lines: a call wherever the sums are others than before. */
export function countRollout(path: string): RawCount {
  const count = { calls: 0, prompt: 0, cached: 0, output: 0, compactions: 0 };
  let before = '';
  for (const { type, payload } of rawLines<RolloutLine>(path)) {
    if (type === 'compacted') count.compactions++;
    if (payload.type !== 'token_count' || payload.info == null) continue;
    const sums = JSON.stringify(payload.info.total_token_usage);
    if (sums === before) continue;
    before = sums;
    const last = payload.info.last_token_usage;
    count.calls++;
    count.prompt += last.input_tokens;
    count.cached += last.cached_input_tokens;
    count.output += last.output_tokens;
  }
  return count;
}

interface ClaudeLine {
  readonly type: string;
  readonly subtype?: string;
  readonly isApiErrorMessage?: boolean;
  readonly message?: {
    readonly id: string;
    readonly model: string;
    readonly usage?: Readonly<
      Record<
        'input_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens' | 'output_tokens',
        number
      >
    >;
  };
  readonly data?: { readonly type: string; readonly message?: ClaudeLine };
}

/** Counts Claude Code sessions from their raw lines: usage once per message id, whatever file it stands in. */
export function countClaudeCode(paths: readonly string[]): RawCount & { readonly written: number } {
  const count = { calls: 0, prompt: 0, cached: 0, output: 0, compactions: 0, written: 0 };
  const last = new Map<string, NonNullable<NonNullable<ClaudeLine['message']>['usage']>>();
  for (const path of paths)
    for (const outer of rawLines<ClaudeLine>(path)) {
      const line = outer.data?.type === 'agent_progress' ? outer.data.message! : outer;
      if (line.type !== 'assistant' || line.isApiErrorMessage === true) continue;
      const { id, model, usage } = line.message!;
      if (model !== '<synthetic>' && usage !== undefined) last.set(id, usage);
    }
  for (const usage of last.values()) {
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
    count.calls++;
    count.prompt += input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
    count.cached += cache_read_input_tokens;
    count.written += cache_creation_input_tokens;
    count.output += output_tokens;
  }
  return count;
}

interface PiLine {
  readonly type: string;
  readonly message?: {
    readonly role: string;
    readonly usage?: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;
  };
}

/** Counts a pi session from its raw lines: a call for each response with a prompt. */
export function countPi(path: string): RawCount {
  const count = { calls: 0, prompt: 0, cached: 0, output: 0, compactions: 0 };
  for (const { type, message } of rawLines<PiLine>(path)) {
    if (type === 'compaction') count.compactions++;
    const usage = message?.role === 'assistant' ? message.usage : undefined;
    if (usage === undefined || usage.input + usage.cacheRead + usage.cacheWrite === 0) continue;
    count.calls++;
    count.prompt += usage.input + usage.cacheRead + usage.cacheWrite;
    count.cached += usage.cacheRead;
    count.output += usage.output;
  }
  return count;
}

/** What a reader made of a recording: the calls with usage. */
export function countTranscript({ threads }: Transcript): RawCount {
  const count = { calls: 0, prompt: 0, cached: 0, output: 0, compactions: 0 };
  for (const step of threads.flatMap(({ steps }) => steps)) {
    if (step.kind === 'event' && step.event.kind === 'recorded-compaction') count.compactions++;
    if (step.kind !== 'call' || step.call.usage === null) continue;
    count.calls++;
    count.prompt += promptTokens(step.call.usage);
    count.cached += step.call.usage.cacheRead;
    count.output += step.call.usage.output;
  }
  return count;
}
