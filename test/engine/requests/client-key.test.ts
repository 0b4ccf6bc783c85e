import { describe, expect, it } from 'vitest';
import { FIRST_KEY, saltsUnder } from '../../../src/engine/requests/thread-model.js';
import { levelSalts } from '../../../src/provider/cache/salts.js';
import { resolveModel } from '../../../src/provider/prices/models.js';

describe('the salts of a request under the key of its client', () => {
  const plain = levelSalts({ model: resolveModel('claude-sonnet-4-5') });
  const under = (change: Partial<typeof FIRST_KEY>) => saltsUnder({ ...FIRST_KEY, ...change }, plain);

  it('are its own while nothing began again', () => {
    expect(under({})).toEqual(plain);
  });

  it('are others for the messages alone, or for everything, each time they begin again', () => {
    const { tools, system } = plain;
    const messages = [1, 2].map((messagesTime) => under({ messagesTime }));
    for (const salts of messages) expect(salts).toMatchObject({ tools, system });
    const all = [1, 2].map((prefixTime) => under({ prefixTime }));
    const different = [plain, ...messages, ...all, under({ messagesTime: 1, prefixTime: 1 })];
    expect(new Set(different.map((salts) => salts.messages)).size).toBe(different.length);
    expect(new Set([plain, ...all].map((salts) => salts.tools)).size).toBe(3);
    expect(new Set([plain, ...all].map((salts) => salts.system)).size).toBe(3);
  });

  it('are those of one session alone where requests name theirs', () => {
    const both = ['a', 'b'].map((session) => under({ session }));
    for (const level of ['tools', 'system', 'messages'] as const)
      expect(new Set([plain, ...both].map((salts) => salts[level])).size).toBe(3);
    expect(under({ session: 'a' })).toEqual(both[0]);
  });
});
