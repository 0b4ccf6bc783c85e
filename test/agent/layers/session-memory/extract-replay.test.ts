import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, ofType } from '../../../helpers/plan.js';
import { actionsOf } from '../../../helpers/recordings/sessions.js';

/** A session that grows by 9,000 tokens with three calls whose results no microcompaction touches, this many times. */
function talk(rounds: number): Conversation {
  const built = new Conversation().human(50, 'Teach the reader to skip comments.');
  for (let i = 0; i < rounds; i++) {
    const read = (n: number) => ({
      tool: 'mcp__db__query',
      tokens: 3_000,
      path: `/repo/src/part-${i}-${n}.ts`,
    });
    built.tools([read(1), read(2), read(3)]).wait(120);
  }
  return built.answer(20);
}

const set = { 'autoMemory.enabled': false, 'dreaming.enabled': false };

describe('extractions in a replay', () => {
  it('C31 edit the file: the output is what changed, then a short request with the results', () => {
    const entries = logFor({ policy: 'claude-code/2026', set }, talk(8));
    const requests = ofType(entries, 'request').filter((entry) => entry.purpose === 'session_memory');
    const extracts = actionsOf(entries, 'session-memory').filter((entry) => entry.action === 'extract');
    expect(extracts).toHaveLength(9);
    expect(requests).toHaveLength(2 * extracts.length);
    for (const [i, extract] of extracts.entries()) {
      const edits = requests[2 * i]!;
      const closing = requests[2 * i + 1]!;
      expect(closing.output).toBe(12);
      expect(closing.t).toBe(edits.t + edits.latencyMs);
      // Nine calls with their results of 30 tokens each follow what the first request sent, all of which is cached.
      expect(closing.prompt).toBe(edits.prompt + edits.output + (extract.details.edits as number) * 30);
      expect(closing.read).toBe(edits.prompt);
      // 1,500 tokens planned, nine sections, 45 tokens for each call; the first one is shorter and gives a title.
      if (i > 1) expect(Math.abs(edits.output - (1_500 + 9 * 45))).toBeLessThanOrEqual(5);
    }
    // The file grows by 0.88 × 1,500 tokens each time, as the current state is renewed: seven of them make 9,240. Written
    // as a whole each time, the file would have cost more than 40,000 tokens.
    const { notesTokens, notesOutputTokens } = metricValues(foldLog(entries));
    expect(notesTokens).toBeGreaterThan(9_240);
    expect(notesTokens).toBeLessThan(12_000);
    expect(notesOutputTokens).toBeLessThan(9 * 1_910);
  });

  it('C31 SES-4 in a long session the limits are reached and the notes are condensed', () => {
    const entries = logFor({ policy: 'claude-code/2026', set }, talk(30));
    const extracts = actionsOf(entries, 'session-memory').filter((entry) => entry.action === 'extract');
    const told = extracts.filter((entry) => (entry.details.condensed as string[]).length > 0);
    expect(told.length).toBeGreaterThan(0);
    expect(told.some((entry) => entry.details.urgent === true)).toBe(true);
    // Once condensed, all sections are below their limits again.
    for (const entry of told) expect(entry.details).toMatchObject({ sectionsOver: [], totalOver: false });
    expect(metricValues(foldLog(entries))).toMatchObject({
      notesUpdates: extracts.length,
      notesCondensed: told.length,
    });
  });
});
