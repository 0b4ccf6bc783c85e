import { transcriptSession } from '../../../analysis/lifetime/lifetime-curve.js';
import { quantile, ratio, sum } from '../../../core/base/stats.js';
import type { Message } from '../../../core/model/message.js';
import {
  callsIn,
  isSummaryFork,
  type RecordedCompaction,
  type Thread,
  type Transcript,
} from '../../../core/model/transcript.js';
import { promptTokens, type Usage } from '../../../core/model/usage.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import type { Warning } from '../../../core/run/warning.js';
import {
  type Breakdown,
  breakdown,
  type DuplicateRead,
  type ToolTokens,
} from '../../../core/tokens/breakdown.js';
import { recordedUsd, usd } from '../../../metrics/metric.js';
import { recordedBill } from '../../../provider/prices/recorded-bill.js';
import { billNotes } from '../../../report/text/as-recorded.js';
import { INFERRED } from '../../../transcripts/drafts/calibrate.js';
import { transcriptFindings } from '../../../transcripts/lines/findings.js';

const FIVE_MINUTES_MS = 300_000; // CCH-1
const ONE_HOUR_MS = 3_600_000; // CCH-1

/** Time between the starts of consecutive requests of a thread: what cache lifetimes are measured against. */
export interface GapFacts {
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
  readonly maxMs: number | null;
  readonly overFiveMinutes: number;
  readonly overOneHour: number;
}

/** What the API billed, as far as it is recorded. */
export interface BilledFacts extends Usage {
  readonly calls: number;
  /** Calls whose recorded output is a placeholder: it is estimated from the response. */
  readonly estimatedOutputs: number;
  readonly hitRate: number | null;
  /** At list prices, over the calls whose model is known; null if there is none. */
  readonly costUsd: number | null;
  readonly costByPartUsd: Readonly<Record<keyof Usage, number>>;
  readonly subagentsUsd: number;
  /** Of requests for summaries that are threads of their own, where there are any. */
  readonly summariesUsd?: number;
  readonly threads: readonly {
    readonly thread: string;
    readonly calls: number;
    readonly costUsd: number;
  }[];
  readonly unpricedCalls: number;
  readonly withoutUsage: number;
  /** What the cost leaves out, and what of it is estimated. */
  readonly notes: readonly string[];
}

/** A compaction the recording holds. */
export interface CompactionFact extends Pick<RecordedCompaction, 'trigger' | 'preTokens' | 'postTokens'> {
  readonly thread: string;
  readonly kind: 'compact' | 'microcompact';
  readonly atMs: number;
}

/** What is in a transcript. */
export interface TranscriptFacts {
  readonly file: string;
  readonly id: string;
  readonly format: string;
  readonly carries: readonly string[];
  readonly agentVersion: string | null;
  readonly models: Readonly<Record<string, number>>;
  readonly threads: number;
  readonly subagents: number;
  /** API calls of all threads. */
  readonly turns: number;
  readonly humanPrompts: number;
  /** Calls of the main thread for each human prompt. */
  readonly callsPerPrompt: number | null;
  readonly spanMs: number | null;
  readonly gaps: GapFacts | null;
  readonly firstPromptTokens: number | null;
  /** Of all threads, subagents too. */
  readonly maxPromptTokens: number | null;
  readonly content: ContentFacts;
  /** Null when the recording holds no usage. */
  readonly billed: BilledFacts | null;
  /** The client's own total, requests for summaries included, where the recording has one. */
  readonly clientCostUsd?: number;
  readonly compactions: readonly CompactionFact[];
  readonly resumes: number;
  readonly warnings: readonly Warning[];
}

function messagesOf(thread: Thread): readonly Message[] {
  return thread.steps.flatMap((step) =>
    step.kind === 'message' ? [step.message] : step.kind === 'call' ? [step.call.response] : [],
  );
}

/** Tokens of text that no line of the record shows. */
function unrecordedTokens(messages: readonly Message[]): number {
  const blocks = messages.flatMap((message) => message.blocks);
  return sum(blocks.map(({ facts, tokens }) => (INFERRED.has(facts.attachment) ? tokens : 0)));
}

function gapFacts(transcript: Transcript): GapFacts | null {
  if (!transcript.carries.includes('timestamps')) return null;
  const gaps: number[] = [];
  for (const { startMs, length } of transcriptSession(transcript).threads) {
    for (let i = 1; i < length; i++) gaps.push(startMs[i]! - startMs[i - 1]!);
  }
  return {
    p50Ms: quantile(gaps, 0.5),
    p90Ms: quantile(gaps, 0.9),
    maxMs: quantile(gaps, 1),
    overFiveMinutes: gaps.filter((gap) => gap > FIVE_MINUTES_MS).length,
    overOneHour: gaps.filter((gap) => gap > ONE_HOUR_MS).length,
  };
}

function billedFacts(bill: RecordedBill, summaryThreads: ReadonlySet<string>): BilledFacts {
  const summaries = bill.threads.filter(({ thread }) => summaryThreads.has(thread));
  const summariesNano = sum(summaries.map(({ costNano: cost }) => cost.total));
  const { tokens, costNano, calls, estimatedOutputs, withoutUsage } = bill;
  return {
    calls,
    ...tokens,
    estimatedOutputs,
    hitRate: ratio(tokens.cacheRead, promptTokens(tokens)),
    costUsd: recordedUsd(bill),
    costByPartUsd: {
      input: usd(costNano.input),
      cacheRead: usd(costNano.cacheRead),
      cacheWrite5m: usd(costNano.cacheWrite5m),
      cacheWrite1h: usd(costNano.cacheWrite1h),
      output: usd(costNano.output),
    },
    subagentsUsd: usd(costNano.total - bill.mainCostNano - summariesNano),
    ...(summaries.length === 0 ? {} : { summariesUsd: usd(summariesNano) }),
    threads: bill.threads.map(({ thread, calls: own, costNano: cost }) => ({
      thread,
      calls: own,
      costUsd: usd(cost.total),
    })),
    unpricedCalls: sum(Object.values(bill.unpriced)),
    withoutUsage,
    notes: billNotes([bill]),
  };
}

function compactionFacts(transcript: Transcript): readonly CompactionFact[] {
  return transcript.threads.flatMap(({ id, steps }) =>
    steps.flatMap((step): CompactionFact[] => {
      if (step.kind !== 'event') return [];
      const { event } = step;
      if (event.kind === 'recorded-compaction') {
        const { at, trigger, preTokens, postTokens } = event;
        return [{ thread: id, kind: 'compact', atMs: at, trigger, preTokens, postTokens }];
      }
      if (event.kind !== 'recorded-microcompact') return [];
      const { at, trigger, preTokens, tokensSaved } = event;
      const postTokens = preTokens === null || tokensSaved === null ? null : preTokens - tokensSaved;
      return [{ thread: id, kind: 'microcompact', atMs: at, trigger, preTokens, postTokens }];
    }),
  );
}

function modelCounts(transcript: Transcript): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { model } of callsIn(transcript.threads)) counts.set(model, (counts.get(model) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Looks through a transcript without replaying it. */
export function inspectTranscript(
  transcript: Transcript,
  source: { readonly file: string; readonly format: string },
): TranscriptFacts {
  const session = transcriptSession(transcript);
  const bill = recordedBill(transcript);
  const steps = transcript.threads.flatMap((thread) => thread.steps);
  const mains = transcript.threads.filter((thread) => thread.parentId === null);
  const summaryThreads = new Set(transcript.threads.filter(isSummaryFork).map(({ id }) => id));
  const mainSteps = mains.flatMap((thread) => thread.steps);
  const humanPrompts = new Set(
    mainSteps.flatMap((step) =>
      step.kind === 'message' && step.message.origin === 'human' ? [step.message.id] : [],
    ),
  ).size;
  const calls = callsIn(transcript.threads);
  let maxPrompt: number | null = null;
  for (const thread of session.threads) {
    for (const tokens of thread.promptTokens)
      if (maxPrompt === null || tokens > maxPrompt) maxPrompt = tokens;
  }
  return {
    file: source.file,
    id: transcript.id,
    format: source.format,
    carries: transcript.carries,
    agentVersion: transcript.agentVersion,
    models: modelCounts(transcript),
    threads: transcript.threads.length,
    subagents: transcript.threads.length - mains.length - summaryThreads.size,
    turns: calls.length,
    humanPrompts,
    callsPerPrompt: ratio(callsIn(mains).length, humanPrompts),
    spanMs: transcript.carries.includes('timestamps')
      ? calls.reduce((last, { endMs }) => Math.max(last, endMs), 0)
      : null,
    gaps: gapFacts(transcript),
    firstPromptTokens: session.threads[0]?.promptTokens[0] ?? null,
    maxPromptTokens: maxPrompt,
    content: mergeBreakdowns(
      transcript.threads.map((thread) => {
        const messages = messagesOf(thread);
        return {
          thread: thread.id,
          breakdown: breakdown(messages, 'true'),
          unrecorded: unrecordedTokens(messages),
        };
      }),
    ),
    billed: bill === null ? null : billedFacts(bill, summaryThreads),
    ...(transcript.clientCostUsd === undefined ? {} : { clientCostUsd: transcript.clientCostUsd }),
    compactions: compactionFacts(transcript),
    resumes: steps.filter((step) => step.kind === 'event' && step.event.kind === 'resume').length,
    warnings: transcriptFindings(transcript),
  };
}

/** Tokens of a transcript by kind and tool, over all threads. */
interface ContentFacts extends Breakdown {
  /** Text that no line of the record shows, known from the size of prompts: system, tools, reminders, what went before. */
  readonly unrecorded: number;
  /** Files read more than once in one thread. */
  readonly duplicateReads: readonly (DuplicateRead & { readonly thread: string })[];
}

/** The breakdown of one thread. */
interface ThreadBreakdown {
  readonly thread: string;
  readonly breakdown: Breakdown;
  /** Of what the breakdown takes for human text: tokens that no line shows. */
  readonly unrecorded: number;
}

function byName<T extends object>(
  lists: readonly (readonly T[])[],
  name: (item: T) => string,
  add: (a: T, b: T) => T,
  size: (item: T) => number,
): readonly T[] {
  const merged = new Map<string, T>();
  for (const item of lists.flat()) {
    const known = merged.get(name(item));
    merged.set(name(item), known === undefined ? item : add(known, item));
  }
  return [...merged.values()].sort((a, b) => size(b) - size(a) || (name(a) < name(b) ? -1 : 1));
}

function tools(lists: readonly (readonly ToolTokens[])[]): readonly ToolTokens[] {
  return byName(
    lists,
    (item) => item.tool,
    (a, b) => ({ tool: a.tool, tokens: a.tokens + b.tokens, count: a.count + b.count }),
    (item) => item.tokens,
  );
}

/** Adds up the breakdowns of threads; a file read in two threads is not read twice by either. @internal */
export function mergeBreakdowns(parts: readonly ThreadBreakdown[]): ContentFacts {
  const all = parts.map((part) => part.breakdown);
  const total = (pick: (item: Breakdown) => number): number => all.reduce((sum, item) => sum + pick(item), 0);
  const duplicates = parts.flatMap(({ thread, breakdown }) =>
    breakdown.duplicateReads.map((read) => ({ ...read, thread })),
  );
  const tokens = total((item) => item.total);
  const wasted = total((item) => item.duplicateReadTokens);
  const unrecorded = parts.reduce((sum, part) => sum + part.unrecorded, 0);
  return {
    total: tokens,
    human: total((item) => item.human) - unrecorded,
    unrecorded,
    assistant: total((item) => item.assistant),
    localCommandOutput: total((item) => item.localCommandOutput),
    other: total((item) => item.other),
    toolRequests: tools(all.map((item) => item.toolRequests)),
    toolResults: tools(all.map((item) => item.toolResults)),
    attachments: byName(
      all.map((item) => item.attachments),
      (item) => item.type,
      (a, b) => ({ type: a.type, count: a.count + b.count }),
      (item) => item.count,
    ),
    duplicateReads: duplicates.sort((a, b) => b.waste - a.waste),
    duplicateReadTokens: wasted,
    duplicateReadShare: ratio(wasted, tokens),
  };
}
