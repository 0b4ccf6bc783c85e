import { describe, expect, it } from 'vitest';
import { shownPrefixTokens, withShownPrefix } from '../../../src/agent/client/shown-prefix.js';
import type { Thread, Transcript } from '../../../src/core/model/transcript.js';
import type { Usage } from '../../../src/core/model/usage.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { mainRequests, planOf, runLog } from '../../helpers/plan.js';

const usage = (cacheRead: number, cacheWrite5m: number): Usage => ({
  input: 0,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h: 0,
  output: 10,
});

/** A recording whose first request is cold, with a compaction behind which so much was read after so many minutes. */
function recording(readBehind: number, minutes = 1): Transcript {
  const talk = new Conversation({ toolsTokens: 12_000, systemTokens: 3_877 })
    .human(8_882)
    .answer(10, { usage: usage(0, 24_759) })
    .compaction('auto', 200)
    .wait(minutes * 60)
    .human(100)
    .answer(10, { usage: usage(readBehind, 2_000) });
  return talk.transcript({ source: 'claude-code', agentVersion: '2.1.112' });
}

const main = ({ threads }: Transcript): Thread => threads[0]!;
const prefixOf = (transcript: Transcript) =>
  main(transcript).prefix.reduce((sum, { tokens }) => sum + tokens, 0);

describe('R18 system and tools', () => {
  it('are what the first request behind a recorded compaction read: 24,659, not 15,877', () => {
    expect(prefixOf(recording(24_659))).toBe(15_877);
    expect(shownPrefixTokens(main(recording(24_659)))).toBe(24_659);
    expect(prefixOf(withShownPrefix(recording(24_659)))).toBe(24_659);
  });

  it('are as assumed where that request was not warm, or read more than the first prompt held', () => {
    expect(shownPrefixTokens(main(recording(0)))).toBeNull();
    expect(shownPrefixTokens(main(recording(24_659, 6)))).toBeNull();
    expect(shownPrefixTokens(main(recording(30_000)))).toBeNull();
    const same = recording(0);
    expect(withShownPrefix(same)).toBe(same);
  });

  it('are what two requests fell back to where results were cleared without a line: 17,594, not 14,488', () => {
    const talk = new Conversation({ toolsTokens: 11_000, systemTokens: 3_488 }).human(4_000);
    const reads = [0, 18_000, 20_000, 17_594, 19_000];
    for (const read of reads) talk.answer(10, { usage: usage(read, read === 0 ? 18_500 : 1_000) }).human(10);
    expect(shownPrefixTokens(talk.thread())).toBeNull();
    talk.answer(10, { usage: usage(17_594, 1_000) });
    expect(shownPrefixTokens(talk.thread())).toBe(17_594);
  });

  it('of a smaller size leave reminders in front, so that the first prompt stays as it was', () => {
    const shown = withShownPrefix(recording(14_000));
    const [first] = main(shown).steps;
    expect(first).toMatchObject({
      kind: 'message',
      message: { origin: 'context', blocks: [{ tokens: 1_877 }] },
    });
  });

  it('are those of a what-if, not of a prediction, which does not look', () => {
    const first = (mode: 'predict' | undefined) => {
      const { mode: _, ...rest } = planOf({ policy: 'claude-code/2.1.112' });
      const plan: RunPlan = mode === undefined ? rest : { ...rest, mode };
      const log = runLog(plan, recording(24_659));
      const thread = log.find((entry) => entry.type === 'thread');
      return { prefix: thread!.prefixTokens, prompt: mainRequests(log)[0]!.prompt };
    };
    expect(first('predict').prefix).toBe(15_877);
    expect(first(undefined)).toEqual({ prefix: 24_659, prompt: 24_759 });
  });
});
