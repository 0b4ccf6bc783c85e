import { quantile } from '../../../src/core/base/stats.js';
import { messageTokens } from '../../../src/core/model/message.js';
import type { Thread, Transcript } from '../../../src/core/model/transcript.js';
import { promptTokens } from '../../../src/core/model/usage.js';
import type { QuantileTable } from '../../../src/transcripts/synthetic/distribution.js';
import { RECORDED_SHAPE, type SessionShape } from '../../../src/transcripts/synthetic/synthetic.generated.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { sampleShares, type WorkloadShares } from './workload-shares.js';

/** What sessions are measured by when a generated one is to resemble them. */
export interface WorkloadSamples {
  /** Tokens a request adds to the prompt. */
  readonly growthTokens: readonly number[];
  /** Seconds between the starts of requests. */
  readonly gapSeconds: readonly number[];
  /** Characters of what the human says. */
  readonly promptChars: readonly number[];
  /** Prompt of the first request of a main thread. */
  readonly firstPromptTokens: readonly number[];
  /** How often they think, plan, keep lists and so on. */
  readonly shares: WorkloadShares;
}

interface OpenSamples {
  growthTokens: number[];
  gapSeconds: number[];
  promptChars: number[];
  firstPromptTokens: number[];
}

function sampleThread(thread: Thread, into: OpenSamples): void {
  let counted = 0;
  for (const block of thread.prefix) counted += block.tokens;
  let before: { readonly startMs: number; readonly prompt: number } | null = null;
  let rebuilt = false;
  for (const step of thread.steps) {
    if (step.kind === 'message') {
      counted += messageTokens(step.message);
      if (step.message.origin === 'human')
        into.promptChars.push(step.message.blocks.reduce((sum, block) => sum + block.chars, 0));
    } else if (step.kind === 'event') {
      const { kind } = step.event;
      if (kind === 'recorded-compaction' || kind === 'recorded-microcompact' || kind === 'resume')
        rebuilt = true;
    } else {
      const { call } = step;
      const prompt = call.usage === null ? counted : promptTokens(call.usage);
      if (before === null) {
        if (thread.parentId === null) into.firstPromptTokens.push(prompt);
      } else {
        into.gapSeconds.push((call.startMs - before.startMs) / 1_000);
        if (!rebuilt && prompt > before.prompt) into.growthTokens.push(prompt - before.prompt);
      }
      before = { startMs: call.startMs, prompt };
      rebuilt = false;
      counted += messageTokens(call.response);
    }
  }
}

/** In order: quantiles of what is in order are quick to find. */
function inOrder(values: readonly number[]): readonly number[] {
  return [...Float64Array.from(values).sort()];
}

/** Measures sessions, recorded or generated. */
export function sampleWorkload(transcripts: readonly Transcript[]): WorkloadSamples {
  const samples: OpenSamples = { growthTokens: [], gapSeconds: [], promptChars: [], firstPromptTokens: [] };
  for (const transcript of transcripts)
    for (const thread of transcript.threads) sampleThread(thread, samples);
  return {
    growthTokens: inOrder(samples.growthTokens),
    gapSeconds: inOrder(samples.gapSeconds),
    promptChars: inOrder(samples.promptChars),
    firstPromptTokens: inOrder(samples.firstPromptTokens),
    shares: sampleShares(transcripts),
  };
}

/** Shares at which fitted tables hold the recorded values. */
const SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1] as const;

function tableOf(values: readonly number[], least: number): QuantileTable {
  return { p: SHARES, v: SHARES.map((share) => Math.max(least, quantile(values, share)!)) };
}

/** Calls of each session that a round of a fit generates. */
const FIT_TURNS = 8_000;
const FIT_SEEDS = ['fit 0', 'fit 1'] as const;
const FIT_ROUNDS = 9;
/** Shares at which a fit looks. */
const FITTED: readonly number[] = [0.5, 0.9, 0.99];

function scaled(table: QuantileTable, factor: number, from: number): QuantileTable {
  const v = table.v.map((value, i) => (table.p[i]! >= from ? value * factor : value));
  for (let i = 1; i < v.length; i++) v[i] = Math.max(v[i]!, v[i - 1]!);
  return { p: table.p, v };
}

/** How far the quantiles of recorded values are from those of generated ones, at each share of `FITTED`. */
function factorsOf(recorded: readonly number[], generated: readonly number[]): (share: number) => number {
  const factors = new Map(
    FITTED.map((share) => [share, quantile(recorded, share)! / quantile(generated, share)!]),
  );
  return (share) => factors.get(share)!;
}

/**
 * The shape whose generated sessions grow, pause and begin like the recorded ones: sizes of prompts and shares are taken over,
 * and the shape of E6 is adjusted in rounds. Outputs follow the middle and the end of the growth, results its tail; the share of slow
 * tools follows the median gap, the calls per human prompt how often a long one comes, the human's absence
 * and what runs in the background how long it is.
 */
export function fitShape(recorded: WorkloadSamples): Partial<SessionShape> {
  let shape = {
    ...recorded.shares,
    humanPromptChars: tableOf(recorded.promptChars, 1),
    firstPromptTokens: tableOf(recorded.firstPromptTokens, 1),
    outputTokens: RECORDED_SHAPE.outputTokens as QuantileTable,
    callsPerPrompt: RECORDED_SHAPE.callsPerPrompt as QuantileTable,
    humanIdleSeconds: RECORDED_SHAPE.humanIdleSeconds as QuantileTable,
    backgroundSeconds: RECORDED_SHAPE.backgroundSeconds as QuantileTable,
    resultScale: 1,
    toolWeights: { Bash: 1 },
  };
  for (let round = 0; round < FIT_ROUNDS; round++) {
    const generated = sampleWorkload(
      FIT_SEEDS.map((seed) => bugfixSession(FIT_TURNS, { seed, overrides: shape })),
    );
    const growth = factorsOf(recorded.growthTokens, generated.growthTokens);
    const gap = factorsOf(recorded.gapSeconds, generated.gapSeconds);
    shape = {
      ...shape,
      outputTokens: scaled(
        scaled(
          scaled(shape.outputTokens, Math.sqrt(growth(0.5)), 0),
          Math.sqrt(growth(0.9) / growth(0.5)),
          0.75,
        ),
        Math.sqrt(growth(0.99) / growth(0.9)),
        0.99,
      ),
      resultScale: shape.resultScale * growth(0.9) ** 0.5,
      callsPerPrompt: scaled(shape.callsPerPrompt, Math.max(0.5, Math.min(2, gap(0.9) ** -0.8)), 0.3),
      humanIdleSeconds: scaled(shape.humanIdleSeconds, gap(0.99) ** 1.3, 0.75),
      backgroundSeconds: scaled(shape.backgroundSeconds, gap(0.99) ** 1.3, 0.75),
      toolWeights: { Bash: shape.toolWeights.Bash * gap(0.5) ** 2 },
    };
  }
  return shape;
}
