import { describe, expect, it } from 'vitest';
import { recordedWindow } from '../../src/client/window.js';
import type { Usage } from '../../src/model/usage.js';
import { Conversation } from '../helpers/conversation.js';
import { ofType, type PlanInit, planOf, runLog } from '../helpers/plan.js';

describe('the window a recording worked with', () => {
  it.each([
    ['claude-opus-4-6', 180_000, '2.1.90', 200_000],
    ['claude-opus-4-6', 180_001, '2.1.90', 1_000_000],
    ['claude-opus-4-6', 1_000, '2.1.91', 1_000_000],
    ['claude-sonnet-4-6', 1_000, '2.1.90', 200_000],
    ['claude-sonnet-4-5', 1_000, '2.1.219', 200_000],
    ['claude-sonnet-4-5', 180_001, '2.0.76', 1_000_000],
    ['a-model-nobody-knows', 1_000, '2.1.100', 200_000],
  ])('%s, largest prompt %i, version %s: %i', (model, largest, version, window) => {
    expect(recordedWindow(model, largest, version)).toBe(window);
  });

  it('cannot be told without a version', () => {
    expect(recordedWindow('claude-opus-4-6', 500_000, null)).toBeNull();
  });
});

describe('a run over a recording', () => {
  const usage = (cacheRead: number): Usage => ({
    input: 0,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: 1,
  });
  const windowOf = (largest: number, init: PlanInit, agentVersion: string | null) => {
    const talk = new Conversation({ model: 'claude-opus-4-6' })
      .human(100)
      .answer(10, { usage: usage(largest) });
    const entries = runLog(
      planOf({ policy: 'claude-code/2.1.112', ...init }),
      talk.transcript({ agentVersion }),
    );
    return ofType(entries, 'thread')[0]!.window;
  };

  it('has the window that its prompts prove, else that of its model at its version', () => {
    expect(windowOf(190_000, {}, '2.1.80')).toBe(1_000_000);
    expect(windowOf(100_000, {}, '2.1.80')).toBe(200_000);
    expect(windowOf(100_000, {}, '2.1.112')).toBe(1_000_000);
  });

  it('has the window of another model or the one that was asked for', () => {
    expect(windowOf(190_000, { model: 'claude-sonnet-4-5' }, '2.1.80')).toBe(200_000);
    expect(windowOf(190_000, { window: 120_000 }, '2.1.80')).toBe(120_000);
  });

  it('compacts where that window says so', () => {
    const compactions = (agentVersion: string) => {
      const talk = new Conversation({ model: 'claude-opus-4-6' }).human(100);
      for (let i = 0; i < 20; i++) talk.tools([{ tool: 'Bash', tokens: 9_000 }]);
      const set = { 'storage.enabled': false };
      const entries = runLog(
        planOf({ policy: 'claude-code/2.1.112', set }),
        talk.answer(10).transcript({ agentVersion }),
      );
      return ofType(entries, 'layer').filter(({ action }) => action === 'compact').length;
    };
    expect([compactions('2.1.90'), compactions('2.1.91')]).toEqual([1, 0]);
  });
});
