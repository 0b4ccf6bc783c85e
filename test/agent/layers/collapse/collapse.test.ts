import { describe, expect, it } from 'vitest';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { LAYERS_OFF } from '../../../helpers/drive/above-threshold.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { mainRequests, ofType, planOf, runLog } from '../../../helpers/plan.js';
import { actionsOf } from '../../../helpers/recordings/sessions.js';

const COLLAPSE = {
  ...LAYERS_OFF,
  'autoCompact.enabled': false,
  'collapse.enabled': true,
  'collapse.aboveTokens': 40_000,
  'collapse.downToTokens': 20_000,
} as const;

const plan = (set: Readonly<Record<string, unknown>> = {}) =>
  planOf({ policy: 'claude-code/2026', set: { ...COLLAPSE, ...set } });

/** A prompt of 200 tokens, two rounds of 20 + 5,000 and an answer of 50: 10,290 tokens in three calls and six messages. */
function prompts(words: readonly string[], talk = new Conversation()): Conversation {
  for (const text of words) {
    talk.human(200, text);
    talk
      .tools([{ tool: 'Bash', tokens: 5_000 }])
      .tools([{ tool: 'Bash', tokens: 5_000 }])
      .answer(50);
  }
  return talk;
}

const lineOf = (words: string, id: string) =>
  `[Done: "${words}" in 3 responses, kept in /folds/main/${id}.json]`;
const tokensOf = (text: string) => Math.ceil(text.length / 2.75);

const FIRST = lineOf('Fix the parser', 'human1');
const SECOND = lineOf('Add a test', 'human7');

describe('context collapse', () => {
  it('FLG-1 folds finished prompts into a line each, the latest of them stays', () => {
    const talk = prompts(['Fix the parser', 'Add a test', 'Write the docs', 'Release it']);
    const { entries, sent } = runSent(plan(), talk.transcript());
    // Before the second call of the third prompt: 15,000 + 2 × 10,290 + 220 and its result, padded to 6,667, are 42,467.
    expect(actionsOf(entries, 'collapse')).toMatchObject([
      {
        turn: 8,
        estimatedBefore: 42_467,
        saved: 10_290 - tokensOf(FIRST),
        calls: 0,
        details: { prompts: 1 },
      },
      { turn: 11, saved: 10_290 - tokensOf(SECOND), details: { prompts: 1, rounds: 3 } },
    ]);
    const texts = sentFor(sent, 'main')
      .at(-1)!
      .blocks!.map((block) => block.text?.read() ?? '');
    expect(texts.slice(2, 5)).toEqual([FIRST, SECOND, 'Write the docs']);
    expect(mainRequests(entries)[7]!.prompt).toBe(15_000 + 10_290 + 220 + 5_000 + tokensOf(FIRST));
  });

  it('BRD-3 FLG-1 announces the break it makes', () => {
    const entries = runLog(plan(), prompts(['Fix the parser', 'Add a test', 'Write the docs']).transcript());
    expect(ofType(entries, 'break')).toMatchObject([{ cause: 'collapse', expected: true }]);
  });

  it('FLG-1 a long prompt is quoted by head and tail', () => {
    const long = `start ${'x'.repeat(400)} end`;
    const talk = prompts([long, 'Add a test', 'Write the docs']);
    const { sent } = runSent(plan({ 'collapse.quoteChars': 10 }), talk.transcript());
    const [line] = sentFor(sent, 'main').at(-1)!.blocks!.slice(2);
    expect(line!.text!.read()).toBe(lineOf('start […] x end', 'human1'));
  });

  it('FLG-1 the file holds the fold whole: who goes back into it finds the prompt as it was', () => {
    const talk = prompts(['Fix the parser', 'Add a test', 'Write the docs'])
      .event((at) => ({ kind: 'rewind', at, lastId: 'response6' }))
      .turn(30, 10);
    const { entries, sent } = runSent(plan(), talk.transcript());
    expect(ofType(entries, 'notice').filter(({ what }) => what === 'unfold')).toMatchObject([
      { details: { path: '/folds/main/human1.json', messages: 6 } },
    ]);
    const main = sentFor(sent, 'main');
    const last = main.at(-1)!;
    // The bytes are those that the second prompt began with: prefix, prompt, two rounds, answer.
    const before = main[3]!;
    expect(last.prefixes.slice(0, -1)).toEqual(before.prefixes.slice(0, -1));
    expect(last.tokens).toBe(15_000 + 10_290 + 30);
  });

  it('FLG-1 who goes back behind the folds leaves them folded', () => {
    const talk = prompts(['Fix the parser', 'Add a test', 'Write the docs'])
      .event((at) => ({ kind: 'rewind', at, lastId: 'response12' }))
      .turn(30, 10);
    const entries = runLog(plan(), talk.transcript());
    expect(mainRequests(entries).at(-1)!.prompt).toBe(15_000 + tokensOf(FIRST) + 10_290 + 30);
  });

  it('FLG-1 lives in memory: a new process reads the record back, folds again, and sends the same lines', () => {
    const talk = prompts(['Fix the parser', 'Add a test', 'Write the docs']).event((at) => ({
      kind: 'resume',
      at,
      reason: 'restart',
    }));
    const { entries, sent } = runSent(plan(), prompts(['Release it'], talk).transcript());
    expect(ofType(entries, 'returned')).toMatchObject([
      { layer: 'collapse', tokens: 10_290 - tokensOf(FIRST), why: 'resume' },
    ]);
    const main = sentFor(sent, 'main');
    expect(main[9]!.tokens).toBe(15_000 + 3 * 10_290 + 200);
    const texts = main.at(-1)!.blocks!.map((block) => block.text?.read() ?? '');
    expect(texts.slice(2, 4)).toEqual([FIRST, SECOND]);
  });

  it('FLG-1 a prompt that its line would not make smaller stays as it is', () => {
    const talk = new Conversation({ toolsTokens: 45_000 });
    for (let i = 0; i < 4; i++) talk.human(2, 'ok').answer(2);
    expect(actionsOf(runLog(plan(), talk.transcript()), 'collapse')).toEqual([]);
  });
});
