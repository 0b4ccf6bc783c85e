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

/** A call that was billed, as the raw lines say it; the prompt holds what was read and written. */
export interface RawCall {
  readonly model: string;
  readonly prompt: number;
  readonly cached: number;
  readonly written: number;
  readonly written1h: number;
  readonly output: number;
}

interface RolloutSums {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_input_tokens?: number;
  readonly output_tokens: number;
}

interface RolloutLine {
  readonly type: string;
  readonly payload: {
    readonly type?: string;
    readonly model?: string;
    readonly info?: {
      readonly total_token_usage: RolloutSums;
      readonly last_token_usage: RolloutSums;
    } | null;
  };
}

/** The calls of a Codex rollout: one wherever the sums are others than before. */
export function* rolloutCalls(path: string): Generator<RawCall, void, void> {
  let before = '';
  let model = '';
  for (const { type, payload } of rawLines<RolloutLine>(path)) {
    if (type === 'turn_context') model = payload.model ?? model;
    if (payload.type !== 'token_count' || payload.info == null) continue;
    const sums = JSON.stringify(payload.info.total_token_usage);
    if (sums === before) continue;
    before = sums;
    const last = payload.info.last_token_usage;
    yield {
      model,
      prompt: last.input_tokens,
      cached: last.cached_input_tokens,
      written: last.cache_write_input_tokens ?? 0,
      written1h: 0,
      output: last.output_tokens,
    };
  }
}

interface ClaudeUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens: number };
  readonly output_tokens: number;
  readonly iterations?: readonly ClaudeUsage[];
}

interface ClaudeLine {
  readonly type: string;
  readonly isApiErrorMessage?: boolean;
  readonly message?: { readonly id: string; readonly model: string; readonly usage?: ClaudeUsage };
  readonly data?: { readonly type: string; readonly message?: ClaudeLine };
}

/** The calls of Claude Code sessions: usage once per message id, whatever file it stands in. */
export function* claudeCalls(paths: readonly string[]): Generator<RawCall, void, void> {
  const last = new Map<string, { readonly model: string; readonly usage: ClaudeUsage }>();
  for (const path of paths)
    for (const outer of rawLines<ClaudeLine>(path)) {
      const line = outer.data?.type === 'agent_progress' ? outer.data.message! : outer;
      if (line.type !== 'assistant' || line.isApiErrorMessage === true) continue;
      const { id, model, usage } = line.message!;
      if (model !== '<synthetic>' && usage !== undefined) last.set(id, { model, usage });
    }
  for (const { model, usage: whole } of last.values()) {
    // A response that a compaction kept is written again behind it with its counts set to 0: its iterations have them (K24).
    const usage = whole.iterations?.length === 1 && whole.output_tokens === 0 ? whole.iterations[0]! : whole;
    const { cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage;
    const prompt = usage.input_tokens + cached + written;
    if (prompt === 0) continue;
    yield {
      model,
      prompt,
      cached,
      written,
      written1h: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
      output: usage.output_tokens,
    };
  }
}

interface PiLine {
  readonly type: string;
  readonly message?: {
    readonly role: string;
    readonly model?: string;
    readonly usage?: Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;
  };
}

/** The calls of a pi session: one for each response with a prompt. */
export function* piCalls(path: string): Generator<RawCall, void, void> {
  for (const { message } of rawLines<PiLine>(path)) {
    const usage = message?.role === 'assistant' ? message.usage : undefined;
    if (usage === undefined) continue;
    const { input, output, cacheRead: cached, cacheWrite: written } = usage;
    const prompt = input + cached + written;
    if (prompt > 0) yield { model: message!.model ?? '', prompt, cached, written, written1h: 0, output };
  }
}

/** The calls of a Gemini CLI chat that is one JSON document: every message that was billed. */
export function* geminiCalls(text: string): Generator<RawCall, void, void> {
  const { messages } = JSON.parse(text) as {
    readonly messages: readonly {
      readonly model?: string;
      readonly tokens?: Readonly<Record<'input' | 'cached' | 'output' | 'thoughts' | 'total', number>>;
    }[];
  };
  for (const { model = '', tokens } of messages) {
    if (tokens === undefined || tokens.total === 0) continue;
    const { input: prompt, cached, output, thoughts } = tokens;
    yield { model, prompt, cached, written: 0, written1h: 0, output: output + thoughts };
  }
}

/** Sums of calls. */
export function countCalls(calls: Iterable<RawCall>): Omit<RawCount, 'compactions'> & { written: number } {
  const count = { calls: 0, prompt: 0, cached: 0, written: 0, output: 0 };
  for (const { prompt, cached, written, output } of calls) {
    count.calls++;
    count.prompt += prompt;
    count.cached += cached;
    count.written += written;
    count.output += output;
  }
  return count;
}

/** The sums of a recording with a line for each compaction. */
function countWithCompactions(path: string, calls: Iterable<RawCall>, type: string): RawCount {
  const { written: _, ...count } = countCalls(calls);
  return {
    ...count,
    compactions: rawLines<{ type: string }>(path).filter((line) => line.type === type).length,
  };
}

/** Counts a Codex rollout from its raw lines. */
export function countRollout(path: string): RawCount {
  return countWithCompactions(path, rolloutCalls(path), 'compacted');
}

/** Counts a pi session from its raw lines. */
export function countPi(path: string): RawCount {
  return countWithCompactions(path, piCalls(path), 'compaction');
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
