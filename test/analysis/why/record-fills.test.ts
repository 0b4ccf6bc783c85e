import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FillRecorder } from '../../../src/analysis/why/record-fills.js';
import { sum } from '../../../src/core/base/stats.js';
import type { SourceName } from '../../../src/core/model/source-kind.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { NO_TIMING } from '../../../src/engine/requests/run-env.js';
import { replay } from '../../../src/engine/run/replay.js';
import { forAll } from '../../helpers/for-all.js';
import { planFor, transcriptOf, worlds } from '../../helpers/generators/arbitrary-world.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { type PlanInit, planOf } from '../../helpers/plan.js';

interface Filled {
  readonly entry: RequestEntry;
  /** Null for a request with a prompt of its own. */
  readonly tokens: readonly number[] | null;
}

function filledRun(plan: RunPlan, transcript: Transcript) {
  const recorder = new FillRecorder(transcript);
  const requests: Filled[] = [];
  const sink = {
    write(entry: LogEntry) {
      if (entry.type === 'request') requests.push({ entry, tokens: recorder.take(entry) });
      else if (entry.type === 'refused') recorder.take(entry);
    },
  };
  replay(plan, transcript, sink, NO_TIMING, { onRequest: recorder.onRequest });
  return { columns: recorder.columns, requests };
}

/** Tokens by the words of a column, without those that are empty, and of the whole prompt. */
function named(
  columns: readonly SourceName[],
  tokens: readonly number[],
  prompt: number,
): Partial<Record<string, number>> {
  const entries = columns.map(({ kind, name }, i) => [name ?? kind, tokens[i]!] as const);
  return Object.fromEntries([['prompt', prompt], ...entries.filter(([, own]) => own > 0)]);
}

describe('what fills the prompts of a run', () => {
  const start = () => new Conversation({ toolsTokens: 9_000, systemTokens: 3_000 }).human(100);
  const front = { definitions: 9_000, system: 3_000, user: 100 };
  const main = (init: PlanInit, talk: Conversation) => {
    const { columns, requests } = filledRun(planOf(init), talk.transcript());
    return requests
      .filter(({ entry }) => entry.purpose === 'main')
      .map(({ entry, tokens }) => named(columns, tokens!, entry.prompt));
  };

  it('is every block by where it comes from, tools by their name', () => {
    const talk = start()
      .tools([{ tool: 'Read', tokens: 5_000, callTokens: 20 }], { thinking: 30 })
      .attach(400)
      .tools([
        { tool: 'Bash', tokens: 700, callTokens: 20 },
        { tool: 'mcp__shop__list', tokens: 60, callTokens: 20 },
      ])
      .answer(50);
    expect(main({}, talk)).toEqual([
      { prompt: 12_100, ...front },
      { prompt: 17_550, ...front, model: 30, Read: 5_020, file: 400 },
      { prompt: 18_350, ...front, model: 30, Read: 5_020, file: 400, Bash: 720, mcp: 80 },
    ]);
  });

  it('loses what a compaction takes out, and what the server deletes where that is not billed', () => {
    const talk = start();
    for (let i = 0; i < 13; i++) talk.tools([{ tool: 'Read', tokens: 1_000, callTokens: 20 }]);
    const set = { 'sessionMemory.enabled': false };
    const read = (billDeleted: string) =>
      main(
        { policy: 'claude-code/2026', set: { ...set, 'microcompact.cached.billDeleted': billDeleted } },
        talk,
      ).at(-1)!.Read;
    // The last of 13 requests holds 12 results; 7 of them are deleted before it.
    expect(read('free')).toBe(12 * 1_020 - 7 * 1_000);
    expect(read('read')).toBe(12 * 1_020);
    const compacted = start()
      .tools([{ tool: 'Read', tokens: 1_000 }])
      .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }))
      .turn(40, 10);
    const [, last] = main({ policy: 'claude-code/2.1.112', set: { 'restore.enabled': false } }, compacted);
    // The summary has 4,000 tokens and a few words around it.
    const summary = last!.summary!;
    expect(summary).toBeGreaterThanOrEqual(4_000);
    expect(last).toEqual({
      prompt: 12_040 + summary,
      definitions: 9_000,
      system: 3_000,
      user: 40,
      summary,
    });
  });

  it('adds up to the prompt of every request, under every layer, with refusals, forks and deletions', () => {
    let own = 0;
    forAll({ numRuns: propertyRuns(60) }, worlds, (world) => {
      const plan = planFor(world);
      fc.pre(plan !== null);
      const { columns, requests } = filledRun(plan!, transcriptOf(world.story));
      for (const { entry, tokens } of requests) {
        const isLoop = entry.purpose === 'main' || entry.purpose === 'subagent';
        if (isLoop) expect(tokens, `request ${entry.n}`).not.toBeNull();
        if (tokens === null) continue;
        own++;
        expect(tokens).toHaveLength(columns.length);
        expect(tokens.every((held) => held >= 0)).toBe(true);
        expect(sum(tokens), `request ${entry.n} (${entry.purpose})`).toBe(entry.prompt);
      }
    });
    expect(own).toBeGreaterThan(0);
  });
});
