import { describe, expect, it } from 'vitest';
import { Ledger, MOST_CALLS } from '../../../../src/cli/commands/serve/ledger.js';
import { createPromptCache } from '../../../../src/provider/cache/prompt-cache.js';
import type { Conversation } from '../../../../src/provider/fake-api/conversations.js';
import { createFakeApi } from '../../../../src/provider/fake-api/fake-api.js';

const HEADERS = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };

/** A server whose time is moved by hand, its ledger, and the conversations it knows. */
function served() {
  const ledger = new Ledger(() => 0);
  const clock = { now: 0, advanceTo: () => undefined };
  const conversations: Conversation[] = [];
  const api = createFakeApi({
    clock,
    counter: { count: (text) => Math.ceil(text.length / 4) },
    cache: createPromptCache(),
    latencyScale: 0,
    onCall(call, answered) {
      ledger.add(call, answered);
      if (answered !== null) conversations.push(answered.place.conversation);
    },
  });
  const ask = async (first: string, minutes: number): Promise<void> => {
    clock.now = minutes * 60_000;
    const cache_control = { type: 'ephemeral' };
    const system = [{ type: 'text', text: 's'.repeat(12_000), cache_control }];
    const messages = [{ role: 'user', content: first }];
    const body = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 9, system, messages });
    await (
      await api.fetch('http://localhost/v1/messages', { method: 'POST', headers: HEADERS, body })
    ).text();
  };
  return { ledger, conversations, ask };
}

describe('the ledger of a server', () => {
  it('sums all calls and lists the latest', () => {
    const ledger = new Ledger(() => 0);
    const call = { api: 'messages', method: 'POST', path: '/', startMs: 0, usage: null, error: 'no' };
    for (let n = 0; n < 2.5 * MOST_CALLS; n++) ledger.add({ ...call, status: n % 5 === 0 ? 200 : 400 }, null);
    const { calls } = ledger;
    expect([calls.length, calls.at(-1)!.number]).toEqual([MOST_CALLS, 2.5 * MOST_CALLS]);
    expect(ledger.totals).toMatchObject({
      calls: 2.5 * MOST_CALLS,
      refused: 2 * MOST_CALLS, // four of five
    });
  });

  it('a conversation lets go of its prompt when nothing of it is in the cache, and is known when it comes again', async () => {
    const { ledger, conversations, ask } = served();
    await ask('first', 0);
    await ask('second', 6);
    // Lifetimes of five minutes may end up to two minutes late.
    expect(conversations[0]!.latest).not.toBeNull();
    await ask('third', 8);
    expect(conversations[0]!.latest).toBeNull();
    expect(conversations[1]!.latest).not.toBeNull();
    await ask('first', 30);
    expect(conversations[3]).toBe(conversations[0]);
    expect(ledger.totals).toMatchObject({ conversations: 3, breaks: { 'ttl-5m': 1 }, missedTokens: 3_000 });
  });
});
