import { describe, expect, it } from 'vitest';
import { Conversation } from '../../helpers/generators/conversation.js';
import { mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';

const PREFIX = 10_000;
const SUMMARY = 4_000;
const ROUND = 1_020;

/** Rounds of 1,020 tokens, ten seconds each, up to some 160,000 tokens; the answers between prompts end turns. */
function talk(prompts: number, rounds: number): Conversation {
  const said = new Conversation({ toolsTokens: PREFIX - 2_000, systemTokens: 2_000 });
  for (let p = 0; p < prompts; p++) {
    said.human(100);
    for (let i = 0; i < rounds; i++) said.tools([{ tool: 'Task', tokens: 1_000 }]).wait(10);
    said.answer(50).wait(10);
  }
  return said;
}

function run(policy: string, said: Conversation) {
  const plan = planOf({ policy: `peers/${policy}`, model: 'claude-opus-4-5', summaryTokens: SUMMARY });
  const entries = runLog(plan, said.transcript());
  const summary = ofType(entries, 'request').find(({ purpose }) => purpose === 'compact')!;
  const requests = mainRequests(entries);
  return {
    summary,
    before: requests.filter(({ t }) => t < summary.t).at(-1)!,
    after: requests.filter(({ t }) => t >= summary.t),
  };
}

describe('compaction by the Claude API', () => {
  it('in the background: the work goes on over the full history while the request runs', () => {
    const { summary, before, after } = run('claude-api-background', talk(1, 170));
    const arrivesMs = summary.t + summary.latencyMs;
    const meanwhile = after.filter(({ t }) => t < arrivesMs);
    expect(meanwhile.length).toBeGreaterThanOrEqual(3);
    for (const [i, { prompt }] of meanwhile.entries()) expect(prompt).toBe(before.prompt + ROUND * (i + 1));
  });

  it('in the background: the block takes the place of exactly the messages that were sent', () => {
    const { summary, before, after } = run('claude-api-background', talk(1, 170));
    const arrived = after.findIndex(({ t }) => t >= summary.t + summary.latencyMs);
    // The request held what the first of them sends; what came since stays: that many rounds and no more.
    const since = ROUND * arrived;
    expect(after[0]!.prompt).toBe(before.prompt + ROUND);
    expect(after[arrived]!.prompt - PREFIX - since).toBeGreaterThanOrEqual(SUMMARY);
    expect(after[arrived]!.prompt - PREFIX - since).toBeLessThan(SUMMARY + 200);
  });

  it('on demand: between turns, and everything that was said goes', () => {
    // 150,000 are passed at the 137th round, the 27th of the third turn: nothing happens before its end at 178,000.
    const { summary, before, after } = run('claude-api-on-demand', talk(4, 55));
    expect(before.prompt).toBeGreaterThan(150_000 + 25 * ROUND);
    expect(summary.t).toBeGreaterThanOrEqual(before.t + before.latencyMs);
    // The next prompt follows the block; the latest one stays where the API summarised it too.
    expect(after[0]!.prompt).toBeLessThan(PREFIX + SUMMARY + 400);
  });

  it('with a kept tail: the last two rounds are not sent to be summarised and follow the block', () => {
    const { summary, before, after } = run('claude-api-keep-tail', talk(1, 170));
    const due = before.prompt + ROUND;
    expect(due - summary.prompt).toBeGreaterThanOrEqual(2 * ROUND - 200);
    expect(after[0]!.prompt - PREFIX - 2 * ROUND).toBeGreaterThanOrEqual(SUMMARY);
    expect(after[0]!.prompt - PREFIX - 2 * ROUND).toBeLessThan(SUMMARY + 200);
  });
});

it('compaction by the Claude API on demand: a turn that nearly fills the window does not wait for its end', () => {
  const { before } = run('claude-api-on-demand', talk(1, 190));
  // It learns of the size from the response to the first prompt that is as long.
  expect(before.prompt).toBeGreaterThanOrEqual(180_000);
  expect(before.prompt).toBeLessThan(180_000 + ROUND);
});
