import { describe, expect, it } from 'vitest';
import { inspectBlocks } from '../../../../src/cli/commands/inspect/inspect-document.js';
import { inspectTranscript } from '../../../../src/cli/commands/inspect/inspect-facts.js';
import { documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';
import { assistant, type Fields, readSession, say, stamp, usage, user } from '../../../helpers/session.js';

/** System prompt of 20,000 characters, and two tools of as many each, as JSON. */
const tool = (name: string): Fields => ({ name, description: 'd'.repeat(20_000 - 28 - name.length) });
const SHAPE: Fields = {
  type: 'api-request-shape',
  sessionId: 's1',
  timestamp: stamp(0),
  shape: { system: [{ type: 'text', text: 's'.repeat(20_000) }], tools: [tool('Read'), tool('Bash')] },
};
const COST: Fields = { type: 'cost-state', sessionId: 's1', totalCostUSD: 1.25 };

/** A first prompt of 16,000 tokens, of which 4,000 characters are the user's. */
function lines(read: number): readonly Fields[] {
  const used = usage(0, read, 16_000 - read, 5);
  const fields = { version: '2.1.326' };
  return [
    user('u1', 0, 'x'.repeat(4_000), fields),
    { ...assistant('a1', 1, 'm1', say('done'), { usage: used, stop_reason: 'end_turn' }), ...fields },
  ];
}

const prefixOf = (all: readonly Fields[]): readonly (readonly [string, number])[] =>
  readSession(all).threads[0]!.prefix.map(({ kind, tokens }) => [kind, tokens] as const);

describe('R13 what Claude Code 2.1.326 tells of its requests', () => {
  it('sizes system and tools by their part of the characters', () => {
    // 60,000 of 64,000 characters, a third of them system.
    expect(prefixOf([SHAPE, ...lines(0)])).toEqual([
      ['tools', 10_000],
      ['system', 5_000],
    ]);
    expect(prefixOf(lines(0))).not.toEqual(prefixOf([SHAPE, ...lines(0)]));
  });

  it('goes by what a first request read, where it read something', () => {
    expect(prefixOf([SHAPE, ...lines(12_000)])).toEqual([
      ['tools', 8_000],
      ['system', 4_000],
    ]);
  });

  it('leaves what the characters cannot be to what no line shows', () => {
    const large = usage(0, 0, 50_000, 5);
    const [said, done] = lines(0);
    const message = { ...(done!.message as Fields), usage: large };
    const [tools, system] = prefixOf([SHAPE, said!, { ...done!, message }]);
    expect(tools![1] + system![1]).toBe(Math.round(60_000 / 3.4));
  });

  it('shows the total of the client beside ours', () => {
    const transcript = readSession([...lines(0), { ...COST, totalCostUSD: 1 }, COST]);
    expect(transcript.clientCostUsd).toBe(1.25);
    const facts = inspectTranscript(transcript, { file: 'a.jsonl', format: 'claude-code' });
    expect(documentText(inspectBlocks(facts), { width: 140, style: plainStyle })).toMatch(
      /by the client itself\s+\$1\.25, with its requests for summaries/,
    );
    expect(readSession(lines(0))).not.toHaveProperty('clientCostUsd');
  });
});
