import { describe, expect, it } from 'vitest';
import { mainWindow, recordedWindow } from '../../../src/agent/client/window.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { Usage } from '../../../src/core/model/usage.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, ofType, type PlanInit } from '../../helpers/plan.js';

describe('the window a recording worked with', () => {
  const windowBy = (
    login: 'account' | 'key',
    model: string,
    largest: number,
    version: string | null,
    firedAt: number | null = null,
  ) => recordedWindow(model, { largest, firedAt }, { version, login });

  it.each([
    ['claude-opus-4-6', 180_000, '2.1.90', 200_000],
    ['claude-opus-4-6', 180_001, '2.1.90', 1_000_000],
    ['claude-opus-4-6', 170_000, '2.1.90', 200_000],
    ['claude-opus-4-6', 1_000, '2.1.91', 1_000_000],
    ['claude-opus-4-6', 180_001, '2.1.42', 1_000_000],
    ['claude-opus-4-7', 100_000, '2.1.104', 1_000_000],
    ['claude-sonnet-4-5', 180_000, '2.1.42', 200_000],
    ['claude-sonnet-4-6', 1_000, '2.1.90', 200_000],
    ['claude-sonnet-4-5', 1_000, '2.1.219', 200_000],
    ['claude-sonnet-4-5', 180_001, '2.0.76', 1_000_000],
    ['a-model-nobody-knows', 1_000, '2.1.100', 200_000],
  ])('WIN-1 %s, largest prompt %i, version %s: %i', (model, largest, version, window) => {
    expect(windowBy('account', model, largest, version)).toBe(window);
  });

  it('of the main thread is what the record tells, else what its client takes', () => {
    const session = (agentVersion: string, window?: number) => {
      const steps = [{ kind: 'call', call: { usage: null } }];
      const given = { source: 'claude-code', agentVersion, entrypoint: 'cli', threads: [{ steps }] };
      return { ...given, ...(window === undefined ? {} : { window }) } as unknown as Transcript;
    };
    expect(mainWindow(session('2.1.49'), 'claude-opus-4-6')).toBe(200_000);
    expect(mainWindow(session('2.1.91'), 'claude-opus-4-6')).toBe(1_000_000);
    expect(mainWindow(session('2.1.49', 258_400), 'claude-opus-4-6')).toBe(258_400);
  });

  it.each([
    ['claude-sonnet-4-6', '2.1.112', 200_000],
    ['claude-sonnet-4-6', '2.1.326', 200_000],
    ['claude-opus-4-6', '2.1.112', 200_000],
    ['claude-opus-4-6', '2.1.326', 200_000],
    ['claude-sonnet-4-6[1m]', '2.1.112', 1_000_000],
    ['claude-opus-4-7', '2.1.112', 200_000],
    ['claude-opus-4-7', '2.1.326', 1_000_000],
    ['claude-opus-5-5', '2.1.326', 1_000_000],
    ['claude-sonnet-5-5', '2.1.326', 1_000_000],
    ['claude-sonnet-4-5', '2.1.112', 200_000],
  ])('R1 with an API key: %s at %s has %i', (model, version, window) => {
    expect(windowBy('key', model, 100_000, version)).toBe(window);
  });

  it('R1 is what a recording proves before what its login has', () => {
    // A prompt above 180,000 proves the long one, a compaction within a short window the short one.
    expect(windowBy('key', 'claude-sonnet-4-6', 180_001, '2.1.326')).toBe(1_000_000);
    expect(windowBy('key', 'claude-sonnet-4-6', 100_000, '2.1.326', 967_100)).toBe(1_000_000);
    expect(windowBy('account', 'claude-opus-4-6', 167_000, '2.1.112', 167_300)).toBe(200_000);
    // Large results that wait to be sent are counted, not sent.
    expect(windowBy('account', 'claude-opus-4-6', 166_594, '2.1.112', 187_000)).toBe(200_000);
  });

  it('cannot be told without a version, but by prompts beyond the window of the model', () => {
    expect(windowBy('account', 'claude-opus-4-6', 170_000, null)).toBeNull();
    expect(windowBy('account', 'claude-opus-4-6', 500_000, null)).toBeNull();
    expect(windowBy('account', 'claude-sonnet-4-5', 200_000, null)).toBeNull();
    expect(windowBy('account', 'claude-sonnet-4-5', 200_001, null)).toBe(1_000_000);
    expect(windowBy('account', 'claude-sonnet-4-5', 1_200_000, null)).toBe(1_200_000);
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
  const windowOf = (
    largest: number,
    init: PlanInit,
    agentVersion: string | null,
    more: Partial<Transcript> = {},
  ) => {
    const talk = new Conversation({ model: 'claude-opus-4-6' })
      .human(100)
      .answer(10, { usage: usage(largest) });
    const entries = logFor(
      { policy: 'claude-code/2.1.112', ...init },
      talk.transcript({ source: 'claude-code', agentVersion, ...more }),
    );
    return ofType(entries, 'thread')[0]!.window;
  };

  it('has the window that its prompts prove, else that of its model at its version', () => {
    expect(windowOf(190_000, {}, '2.1.80')).toBe(1_000_000);
    expect(windowOf(100_000, {}, '2.1.80')).toBe(200_000);
    expect(windowOf(100_000, {}, '2.1.112')).toBe(1_000_000);
  });

  it('of another agent has the window that its record tells, else that of its model, whatever its version', () => {
    const other = { source: 'codex' };
    expect(windowOf(190_000, {}, '0.136.0', { ...other, window: 272_000 })).toBe(272_000);
    expect(windowOf(190_000, {}, '0.136.0', { ...other, window: 128_000 })).toBe(128_000);
    expect(windowOf(190_000, { model: 'claude-sonnet-4-5' }, '0.136.0', { ...other, window: 272_000 })).toBe(
      200_000,
    );
    // The row of this model says a million; version 2.1.80 of Claude Code took it for 200,000.
    expect(windowOf(100_000, {}, '2.1.80', other)).toBe(1_000_000);
  });

  it('tells its window to a run whose model is set to its own', () => {
    const told = { source: 'codex', window: 272_000 };
    expect(windowOf(190_000, { model: 'claude-opus-4-6' }, '0.136.0', told)).toBe(272_000);
    expect(windowOf(190_000, { model: 'claude-opus-4-5' }, '0.136.0', told)).toBe(200_000);
    // What it proves, and what its version believed, too.
    expect(windowOf(100_000, { model: 'claude-opus-4-6' }, '2.1.80')).toBe(200_000);
    expect(windowOf(190_000, { model: 'claude-opus-4-6' }, '2.1.80')).toBe(1_000_000);
  });

  it('under a policy file compacts by the window of a small model', () => {
    const talk = new Conversation({ model: 'gpt-5.3-codex-spark', toolsTokens: 1_000 }).human(100);
    for (let i = 0; i < 14; i++) talk.tools([{ tool: 'Bash', tokens: 9_000 }]);
    const entries = logFor({ policy: 'peers/codex-remote' }, talk.answer(10));
    // Nine tenths of 128,000, not of the 200,000 that Claude Code takes an unknown model for.
    const [compaction] = ofType(entries, 'layer');
    expect(compaction?.details.threshold).toBe(115_200);
    expect(ofType(entries, 'refused')).toEqual([]);
  });

  it('has the window of another model or the one that was asked for', () => {
    expect(windowOf(190_000, { model: 'claude-sonnet-4-5' }, '2.1.80')).toBe(200_000);
    expect(windowOf(190_000, { window: 120_000 }, '2.1.80')).toBe(120_000);
  });

  it('R1 of a headless session has the window of an API key, and says what it does not know', () => {
    const entrypoint = { entrypoint: 'sdk-cli' };
    expect(windowOf(100_000, {}, '2.1.112', entrypoint)).toBe(200_000);
    expect(windowOf(190_000, {}, '2.1.112', entrypoint)).toBe(1_000_000);
    const warned = (largest: number, set = {}, more: Partial<Transcript> = entrypoint) => {
      const talk = new Conversation({ model: 'claude-opus-4-6' })
        .human(100)
        .answer(10, { usage: usage(largest) });
      const transcript = talk.transcript({ source: 'claude-code', agentVersion: '2.1.112', ...more });
      const entries = logFor({ policy: 'claude-code/2.1.112', set }, transcript);
      return ofType(entries, 'warning')
        .filter(({ code }) => code === 'window-assumed')
        .map(({ message }) => message);
    };
    const said =
      'the window of claude-opus-4-6 is not recorded: 200000 tokens with an API key, as assumed, 1000000 with a subscription';
    expect(warned(150_000)).toEqual([said]);
    expect(warned(150_000, {}, {})).toHaveLength(1);
    expect(warned(50_000)).toEqual([]);
    expect(warned(50_000, { 'window.percent': 50 })).toEqual([said]);
    expect(warned(190_000)).toEqual([]);
    expect(warned(150_000, { 'window.explicit': 120_000 })).toEqual([]);
  });

  it('compacts where that window says so', () => {
    const compactions = (agentVersion: string) => {
      const talk = new Conversation({ model: 'claude-opus-4-6' }).human(100);
      for (let i = 0; i < 20; i++) talk.tools([{ tool: 'Bash', tokens: 9_000 }]);
      const set = { 'storage.enabled': false };
      const entries = logFor(
        { policy: 'claude-code/2.1.112', set },
        talk.answer(10).transcript({ source: 'claude-code', agentVersion }),
      );
      return ofType(entries, 'layer').filter(({ action }) => action === 'compact').length;
    };
    expect([compactions('2.1.90'), compactions('2.1.91')]).toEqual([1, 0]);
  });

  it('K23 has the short window from a compaction on that only the short one explains', () => {
    const compactions = (more: { readonly later: number; readonly firedAt: number }) => {
      const talk = new Conversation({ model: 'claude-opus-4-6' }).human(100);
      for (let i = 0; i < 21; i++) talk.tools([{ tool: 'Bash', tokens: 9_000 }]);
      talk.answer(10, { usage: usage(189_000) }).human(24_000);
      const unknown = { postTokens: null, durationMs: null, summary: null, keptIds: [] };
      talk.event((at) => ({
        kind: 'recorded-compaction',
        at,
        trigger: 'auto',
        preTokens: more.firedAt,
        ...unknown,
      }));
      talk.answer(10, { usage: usage(more.later) }).human(100);
      const entries = logFor(
        { policy: 'claude-code/2.1.112', set: { 'storage.enabled': false } },
        talk.answer(10).transcript({ source: 'claude-code', agentVersion: '2.1.226' }),
      );
      return ofType(entries, 'layer').filter(({ action }) => action === 'compact').length;
    };
    // Prompts up to 189,000 prove the long window; the client compacts by itself at 213,002 all the same (recorded at 2.1.226).
    expect(compactions({ firedAt: 213_002, later: 40_000 })).toBe(1);
    // Compactions of the long window, and later prompts beyond the short one, leave it as it is.
    expect(compactions({ firedAt: 967_100, later: 40_000 })).toBe(0);
    expect(compactions({ firedAt: 213_002, later: 190_000 })).toBe(0);
  });
});
