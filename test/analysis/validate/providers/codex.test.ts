import { describe, expect, it } from 'vitest';
import { runForward } from '../../../../src/analysis/validate/forward.js';
import { providerRequests } from '../../../../src/analysis/validate/providers/provider-requests.js';
import { fidelityReport } from '../../../../src/analysis/validate/report.js';
import { checkCodexTriggers } from '../../../../src/analysis/validate/triggers.js';
import { recordedTruth } from '../../../../src/analysis/validate/truth.js';
import { validateTranscript } from '../../../../src/analysis/validate/validate.js';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import {
  call,
  count,
  event,
  item,
  line,
  meta,
  read,
  result,
  say,
  turn,
} from '../../../helpers/recordings/rollout.js';

/** Nine tenths of the window of 272,000 tokens. */
const LIMIT = 244_800;
const REASONING = 20_000;

interface Shape {
  readonly model?: string;
  /** What the reasoning of the first turn is sealed as. */
  readonly seal?: string;
  /** Prompts behind the second one, each of a call with a tool; the compaction follows the last. */
  readonly prompts: readonly number[];
}

/** A turn that reasons at length, then one that grows until it is compacted. */
function rollout({ model = 'gpt-5.4', seal = 'xxxx', prompts }: Shape): Transcript {
  let sum = 150_000;
  const lines = [
    meta(0),
    turn(0, model),
    say(1, 'user', 'think'),
    item(2, 'reasoning', { summary: [], encrypted_content: seal }),
    say(3, 'assistant', 'done'),
    count(3, sum, { input: 150_000, output: REASONING + 10, reasoning: REASONING }),
    event(4, 'task_complete'),
    event(5, 'task_started'),
    say(6, 'user', 'go on'),
  ];
  prompts.forEach((input, i) => {
    const at = 10 + i * 10;
    sum += input;
    lines.push(call(at, `c${i}`), result(at + 1, `c${i}`, 'ok'), count(at + 1, sum, { input, output: 10 }));
  });
  const end = 10 + prompts.length * 10;
  lines.push(line(end, 'compacted', { message: '', replacement_history: [] }));
  sum += 20_000;
  lines.push(
    call(end + 5, 'last'),
    result(end + 6, 'last'),
    count(end + 6, sum, { input: 20_000, output: 10 }),
  );
  return read(lines);
}

const checksOf = (transcript: Transcript) => checkCodexTriggers(transcript, recordedTruth(transcript));

describe('what Codex counts before it compacts', () => {
  it('is the latest usage, what is newer, and sealed reasoning of earlier turns at 1.26 tokens each', () => {
    // 219,700 + 10 + 1.26 · 20,000 = 244,910, and the result of the last call.
    const { checks, unrecorded } = checksOf(rollout({ prompts: [151_000, 200_000, 218_500, 219_700] }));
    expect(checks).toMatchObject([
      { verdict: 'matched', reach: 'count', threshold: LIMIT, index: 5, profile: 'peers/codex-remote' },
    ]);
    expect(checks[0]!.seenTokens).toBeGreaterThanOrEqual(244_910);
    expect(checks[0]!.seenTokens).toBeLessThan(245_000);
    expect(unrecorded).toEqual([]);
  });

  it('goes by the length of a seal where the record holds one', () => {
    // ⌊40,604 · 3 / 4⌋ = 30,453 bytes, less 650, at four a token: 7,451.
    const seal = `gAAAA${'x'.repeat(40_599)}`;
    const { checks } = checksOf(rollout({ seal, prompts: [151_000, 236_000, 237_500] }));
    expect(checks).toMatchObject([{ verdict: 'matched', reach: 'count' }]);
    expect(checks[0]!.seenTokens - 237_510).toBeGreaterThanOrEqual(7_451);
    expect(checks[0]!.seenTokens - 237_510).toBeLessThan(7_460);
  });

  it('counts reasoning of GPT-5.6 beside the usage too, at 1.46 tokens each, although prompts still carry it', () => {
    // 215,700 + 10 + 1.46 · 20,000 = 244,910, and the result of the last call.
    const model = 'gpt-5.6-sol';
    const { checks } = checksOf(rollout({ model, prompts: [171_000, 200_000, 214_500, 215_700] }));
    expect(checks).toMatchObject([{ verdict: 'matched', reach: 'count', threshold: LIMIT, index: 5 }]);
    expect(checks[0]!.seenTokens).toBeGreaterThanOrEqual(244_910);
    expect(checks[0]!.seenTokens).toBeLessThan(245_000);
  });

  it('has the recording run forward under the policy and window of Codex', () => {
    const transcript = rollout({ prompts: [151_000, 200_000, 218_500, 219_700] });
    const outcome = runForward(transcript, recordedTruth(transcript), 'test');
    expect(outcome).toMatchObject({
      kind: 'ran',
      session: {
        profile: 'peers/codex-remote',
        compactedAt: {
          predicted: [{ thread: 'main', request: 5 }],
          recorded: [{ thread: 'main', request: 5 }],
        },
      },
    });
  });
});

describe('a rollout that tells no writes', () => {
  const lines = (model: string, written: number) => [
    meta(0),
    turn(0, model),
    say(1, 'user', 'look'),
    call(3, 'a'),
    result(4, 'a'),
    count(4, 22_000, { input: 22_000, written, output: 10 }),
    call(8, 'b'),
    result(9, 'b'),
    count(9, 45_000, { input: 23_000, cached: 21_248, written: 0, output: 10 }),
  ];
  const forwardOf = (model: string, written = 0) => {
    const transcript = read(lines(model, written));
    const outcome = runForward(transcript, recordedTruth(transcript), 'test');
    if (outcome.kind !== 'ran') throw new Error(outcome.kind);
    return outcome.session;
  };

  it('is priced beside its run as if what was not read had been written, where writes are billed', () => {
    const { cost, recordedWrites } = forwardOf('gpt-5.6-sol');
    // Per token before the cut of August 2026: input 5,000 nano-dollars, writes 6,250, reads 500. Steps of 1,024 from 768 on end at 21,248 and 22,272.
    const first = 21_248 * 6_250 + (22_000 - 21_248) * 5_000;
    const second = 21_248 * 500 + (22_272 - 21_248) * 6_250 + (23_000 - 22_272) * 5_000;
    expect(cost).toEqual({ predicted: first + second, recorded: first + second });
    expect(recordedWrites).toBe('assumed');
  });

  it('is taken at its word where it tells some, and where writes cost what input costs', () => {
    expect(forwardOf('gpt-5.6-sol', 1_000)).toMatchObject({
      recordedWrites: 'told',
      cost: { recorded: 1_000 * 6_250 + 21_000 * 5_000 + 21_248 * 500 + 1_752 * 5_000 },
    });
    expect(forwardOf('gpt-5.4').recordedWrites).toBe('told');
  });

  it('names the policy of Codex in what validate says, and no profile of Claude Code', () => {
    const file = validateTranscript(read(lines('gpt-5.6-sol', 0)), 'a.jsonl');
    expect(file.profile).toMatchObject({ name: 'peers/codex-remote' });
    expect(fidelityReport([file], null, 1).files).toMatchObject([{ profile: 'peers/codex-remote' }]);
  });
});

describe('a fork', () => {
  /** Three calls with a compaction before the third, all copied at once, then two calls of its own and a compaction. */
  const lines = [
    meta(0, { forked_from_id: 'p' }),
    meta(0, { id: 'p' }),
    turn(0, 'gpt-5.5'),
    say(0, 'user', 'go'),
    ...[100_000, 243_000].flatMap((input, i) => [
      call(0, `p${i}`),
      result(0, `p${i}`, 'ok'),
      count(0, 100_000 + i * 243_000, { input }),
    ]),
    line(0, 'compacted', { message: '', replacement_history: [] }),
    ...[call(0, 'p2'), result(0, 'p2', 'ok'), count(0, 363_000, { input: 20_000 })],
    event(60, 'task_started'),
    say(60, 'user', 'go on'),
    ...[call(61, 'o0'), result(61, 'o0', 'ok'), count(62, 384_000, { input: 21_000 })],
    ...[call(63, 'o1'), result(63, 'o1', 'ok'), count(64, 629_000, { input: 245_000 })],
    line(70, 'compacted', { message: '', replacement_history: [] }),
    ...[call(71, 'o2'), result(71, 'o2', 'ok'), count(72, 649_000, { input: 20_000 })],
  ];
  const transcript = read(lines);
  const truth = recordedTruth(transcript);

  it('has neither the compactions nor the requests that it copied', () => {
    expect(truth.copied).toBe(3);
    expect(truth.compactedAt).toEqual([{ thread: 'main', request: 5 }]);
    expect(checksOf(transcript).checks).toMatchObject([{ index: 5, verdict: 'matched' }]);
    const missing = transcript.warnings.find(({ code }) => code === 'compaction-calls-missing');
    expect(missing).toMatchObject({ count: 1 });
  });

  it('is run forward over its copy, and costs what is its own', () => {
    const outcome = runForward(transcript, truth, 'fork');
    // 21,000 + 245,000 + 20,000 tokens at 5 dollars.
    expect(outcome).toMatchObject({
      kind: 'ran',
      session: { requests: 3, compactions: { recorded: 1 }, cost: { recorded: 286_000 * 5_000 } },
    });
  });

  it('shows no compaction where a prompt is shorter than the one before without a line that says so', () => {
    const bare = read(lines.filter((text) => !text.includes('"compacted"')));
    expect(recordedTruth(bare).compactedAt).toEqual([]);
    expect(checksOf(bare).checks).toEqual([]);
  });
});

describe('a model without a price', () => {
  it('is named, counted and left out of sums aloud', () => {
    const transcript = rollout({ model: 'codex-auto-review', prompts: [151_000, 200_000] });
    const { leftOut } = recordedTruth(transcript);
    expect(leftOut).toContainEqual({
      what: 'requests of models without a price (codex-auto-review)',
      why: 'their reads are compared, but dollar totals leave them out',
      count: 4,
    });
    const priced = recordedTruth(rollout({ prompts: [151_000, 200_000] })).leftOut;
    expect(priced.filter(({ what }) => what.includes('price'))).toEqual([]);
    expect(runForward(transcript, recordedTruth(transcript), 'a')).toEqual({ kind: 'empty' });
  });
});

describe('what a request could read', () => {
  it('ends where reasoning left the prompt: behind an answer of GPT-5.4, not of GPT-5.6', () => {
    const reachable = (model: string, prompt: number): number => {
      const transcript = rollout({ model, prompts: [prompt, 200_000] });
      return providerRequests(transcript, recordedTruth(transcript), 'openai')[0]!.reachable;
    };
    // The prompt of the request that reasoned first, on steps of 128.
    expect(reachable('gpt-5.4', 151_000)).toBe(149_888);
    // All of the prompt and its answer, which this provider stores.
    expect(reachable('gpt-5.6-sol', 171_000)).toBe(169_984);
  });
});
