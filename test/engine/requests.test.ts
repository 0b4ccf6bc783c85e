import { describe, expect, it } from 'vitest';
import { Context } from '../../src/engine/context/context.js';
import { CountedThread } from '../../src/engine/context/counted-thread.js';
import { createBlock } from '../../src/model/block.js';
import { generateTranscript } from '../../src/transcript/synthetic/generate-transcript.js';
import { runSent, type Sent } from '../helpers/capture.js';
import { Conversation } from '../helpers/conversation.js';
import { mainRequests, ofType, planOf, runLog } from '../helpers/plan.js';
import { planUnder } from '../helpers/plan-under.js';

describe('breakpoints of a fork', () => {
  const generated = generateTranscript({
    workload: 'bugfix',
    turns: 6,
    seed: 1,
    text: 'none',
    forks: [{ afterTurn: 5, children: 2, turns: 1 }],
  });
  // Two blocks of the system prompt have marks of their own.
  const rules = createBlock({ kind: 'system', role: 'system', tokens: 50, text: 'rules' });
  const session = {
    ...generated,
    threads: generated.threads.map((thread) => ({ ...thread, prefix: [...thread.prefix, rules] })),
  };
  const marked = (mark: string, breakpoints: string): readonly Sent[] =>
    runSent(
      planOf({
        policy: 'claude-code/2026',
        set: { 'agents.mark': mark, 'client.breakpoints': breakpoints, 'sessionMemory.enabled': false },
      }),
      session,
    ).sent.filter(({ thread, turn }) => thread.startsWith('fork-') && turn === 1);
  const placesOf = ({ breakpoints }: Sent): readonly number[] => breakpoints.map(({ position }) => position);
  /** Last position that two requests have in common. */
  const sharedEnd = ([one, two]: readonly Sent[]): number =>
    one!.prefixes.findIndex((digest, i) => digest !== two!.prefixes[i]) - 1;

  it.each(['system+last', 'system+last-two'])(
    '%s: the end of what siblings share is marked too where the client does so, with four marks at most',
    (layout) => {
      const plain = marked('none', layout);
      const both = marked('shared-end', layout);
      const end = sharedEnd(both);
      expect(end).toBeGreaterThan(0);
      for (const [i, each] of both.entries()) {
        const places = placesOf(each);
        expect(places).toContain(end);
        expect(places.length).toBeLessThanOrEqual(4);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places.at(-1)).toBe(each.prefixes.length - 1);
        expect(placesOf(plain[i]!)).not.toContain(end);
      }
    },
  );
});

describe('what a request needed to be taken', () => {
  it('a prompt is put between two responses, and told of', () => {
    const talk = new Conversation().human(100).answer(10).answer(10).human(20).answer(10);
    const entries = runLog(planOf(), talk.transcript());
    const told = ofType(entries, 'notice').filter(({ what }) => what === 'repaired');
    expect(told.map(({ details }) => details)).toEqual([
      { orphanResults: 0, missingResults: 0, leadingMarkers: 0, addedPrompts: 1 },
    ]);
    expect(told[0]!.message).toBe('1 short prompts were put in where nothing asks for a response');
    expect(ofType(entries, 'warning').map(({ code }) => code)).toContain('unprompted-request');
  });

  it('nothing is told of a request that was well', () => {
    const entries = runLog(
      planOf(),
      new Conversation().human(100).answer(10).human(20).answer(10).transcript(),
    );
    expect(ofType(entries, 'notice').filter(({ what }) => what === 'repaired')).toEqual([]);
    expect(ofType(entries, 'warning').map(({ code }) => code)).not.toContain('unprompted-request');
  });
});

describe('a main request that is refused as too long', () => {
  it.each([
    [false, 1],
    [true, 2],
  ])('is sent once more without streaming: %s', (resends, refused) => {
    const talk = new Conversation().human(100).answer(10);
    const { sent } = runSent(
      planOf({
        policy: 'claude-code/2.1.112',
        set: { 'client.resendWithoutStreaming': resends },
        faults: [{ call: 'main', error: 'prompt_too_long', from: 1, to: 9 }],
      }),
      talk.transcript(),
    );
    expect(
      sent
        .filter(({ purpose }) => purpose === 'main')
        .slice(0, 2)
        .map(({ answered }) => answered),
    ).toEqual(Array(refused).fill(false));
  });
});

describe('tools and system prompt by an estimate', () => {
  const tools = createBlock({ kind: 'tools', role: 'tools', tokens: 9, text: 'x'.repeat(400) });
  const system = createBlock({ kind: 'text', role: 'system', tokens: 9, text: 'x'.repeat(80) });
  const model = { row: { thinking: 'keep-last' } } as unknown as ConstructorParameters<
    typeof CountedThread
  >[1];

  it('are counted apart, and anew when they change', () => {
    const context = new Context([tools, system]);
    const counted = new CountedThread(context, model, { dropsThinking: true });
    const of = (...parts: readonly ('system' | 'tools' | 'reasoning')[]) => counted.prefixRough(parts);
    expect([of(), of('system'), of('tools'), of('tools', 'system'), of('reasoning')]).toEqual([
      0, 20, 100, 120, 0,
    ]);
    context.replacePrefix([tools]);
    expect([of('system'), of('tools')]).toEqual([0, 100]);
    expect(counted.trueTokens).toBe(9);
  });
});

describe('a session whose recording changes the model', () => {
  it('asks the model that was recorded, unless the plan names one', () => {
    const first = new Conversation({ model: 'claude-opus-4-6' }).human(100).answer(10).transcript();
    const models = (model: string | null) =>
      mainRequests(runLog(planOf({ model }), first)).map((entry) => entry.model);
    expect(models(null)).toEqual(['claude-opus-4-6']);
    expect(models('claude-sonnet-4-5')).toEqual(['claude-sonnet-4-5']);
  });
});

describe('a request that is there for the cache alone', () => {
  it('keeps the entry alive as far as the client knows: another follows it', () => {
    const talk = new Conversation().human(100).answer(10).wait(1_000).human(10).answer(10);
    const plan = planUnder(
      'cache: { keepAlive: { every: 4min, times: 3 } }\nrules: [{ when: { tokens: ">= 190k" }, ask: { shape: own } }]',
      {},
    );
    const requests = ofType(runLog(plan, talk.transcript()), 'request');
    const next = requests.findLast(({ purpose }) => purpose === 'main')!;
    const pings = requests.filter(({ purpose, t }) => purpose === 'keep_alive' && t < next.t);
    expect(pings.map(({ read }) => read > 15_000)).toEqual([true, true, true]);
    // The entry lives until five minutes after the third, 720 seconds after the answer.
    expect(next.read).toBeGreaterThan(15_000);
  });
});
