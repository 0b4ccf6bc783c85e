import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { above, COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';

/** 15,100 tokens and six rounds: the fifth request is the first with 20,000 tokens by usage and what is newer. */
const talk = () => {
  const built = new Conversation().human(100);
  for (let i = 0; i < 6; i++) built.tools([{ tool: 'Read', tokens: 1_000 }]);
  return built.answer(10).transcript();
};

const under = (ask: object, latencyScale = 1) => {
  const plan = planUnder(
    {
      rules: [{ when: { tokens: '>= 20k' }, select: { what: 'history', keep: { last: '1 round' } }, ask }],
    },
    {},
  );
  return runSent({ ...plan, llm: { ...plan.llm, fake: { ...plan.llm.fake, latencyScale } } }, talk());
};

const READ = { tool: 'Read', tokens: 30 };

const ofPurpose = (entries: readonly LogEntry[], purpose: string) =>
  ofType(entries, 'request').filter((entry) => entry.purpose === purpose);

describe('a request that shares the prefix of its thread', () => {
  it('AGT-1 holds the conversation and the instruction, and reads what the thread left, at every compaction', () => {
    const plan = planOf({
      policy: 'claude-code/2.1.112',
      set: { 'window.percent': 40, 'compact.ownBudget': [] },
    });
    const transcript = generateTranscript({
      workload: 'refactor',
      turns: 120,
      seed: 1,
      model: 'claude-sonnet-4-5',
    });
    const entries = runLog(plan, transcript);
    const before = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
    const asked = ofPurpose(entries, 'compact');
    expect(before.length).toBeGreaterThan(2);
    expect(asked).toHaveLength(before.length);
    const instructions = new Set(asked.map(({ prompt }, i) => prompt - before[i]!.trueBefore));
    expect(instructions.size).toBe(1);
    expect([...instructions][0]).toBeGreaterThan(0);
    for (const { t, prompt, read } of asked) {
      const last = mainRequests(entries).findLast((request) => request.t < t)!;
      if (t - last.t < 300_000) expect(read).toBe(last.prompt);
      expect(read).toBeLessThan(prompt);
    }
  });
});

describe('a request with a prefix of its own', () => {
  it('has the tools and the system prompt that it was given, and no tools where it was given none', () => {
    const prefixOf = (ask: object) =>
      sentFor(under({ shape: 'own', ...ask }).sent, 'compact')[0]!
        .blocks!.filter(({ role }) => role === 'tools' || role === 'system')
        .map(({ role, tokens }) => [role, tokens]);
    expect(prefixOf({ system: 70, tools: 500 })).toEqual([
      ['tools', 500],
      ['system', 70],
    ]);
    expect(prefixOf({ system: 70, tools: 1 })[0]).toEqual(['tools', 1]);
    expect(prefixOf({ system: 70 })).toEqual([['system', 70]]);
  });

  it('C11 shares nothing with its thread, so all of the conversation in it is paid for again, because of its system', () => {
    const { entries } = under({ shape: 'own', system: 70 });
    const [summary] = ofPurpose(entries, 'compact');
    expect(summary!.read).toBe(0);
    expect(summary!.cause).toBe('system');
    expect(summary!.rewritten).toBeGreaterThan(3_000);
    expect(summary!.rewritten).toBeLessThan(summary!.prompt - 70);
    // New are its prefix, its instruction and the latest round; the prompt and the other rounds were sent before.
    expect((summary!.rewritten - 100) % 1_020).toBe(0);
  });

  it('marks what it sends only where it is told to', () => {
    const marksOf = (ask: object) =>
      sentFor(under({ shape: 'own', ...ask }).sent, 'compact')[0]!.breakpoints.length;
    expect(marksOf({})).toBe(0);
    expect(marksOf({ marks: true })).toBeGreaterThan(0);
  });
});

describe('a request that goes on from the one of its thread', () => {
  it('AGT-1 reads the thread’s own and pays for what is added alone', () => {
    const { entries, sent } = under({ shape: 'extend' });
    const [summary] = ofPurpose(entries, 'compact');
    const before = mainRequests(entries).findLast(({ n }) => n < summary!.n)!;
    expect(summary!.read).toBe(before.prompt);
    expect(summary!.rewritten).toBe(0);
    expect(summary!.newTokens).toBe(summary!.prompt - before.prompt);
    const asked = sentFor(sent, 'compact')[0]!;
    const main = sentFor(sent, 'main').findLast(({ startMs }) => startMs < asked.startMs)!;
    expect(asked.prefixes.slice(0, main.prefixes.length)).toEqual(main.prefixes);
  });

  it('MIC-3 carries what the thread has deleted on the server, and sends it whole to another model', () => {
    const long = new Conversation().human(100);
    for (let i = 0; i < 14; i++) long.tools([{ tool: 'Read', tokens: 1_000 }]);
    long.answer(10);
    long.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));
    const transcript = long.turn(20, 10).transcript();
    const summaryWith = (set: Readonly<Record<string, unknown>>) => {
      const all = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true, ...set };
      const { entries, sent } = runSent(planOf({ policy: 'claude-code/2026', set: all }), transcript);
      return { asked: sentFor(sent, 'compact')[0]!, entry: ofPurpose(entries, 'compact')[0]! };
    };
    const own = summaryWith({});
    const other = summaryWith({ 'compact.model': 'claude-opus-4-5' });
    expect([own.asked.deletedTokens, other.asked.deletedTokens]).toEqual([7_000, 0]);
    expect(other.entry.prompt - own.entry.prompt).toBe(7_000);
    expect(other.entry.read).toBe(0);
  });

  const answered = () => new Conversation().turn(100, 10);
  it.each([
    ['a prompt', answered().human(40), [15_000, 15_110]],
    ['a result and a file', answered().human(40).tools([READ]).attach(9), [15_000, 15_110 + 40 + 20]],
    ['no response', new Conversation().human(100), [15_000]],
  ])('marks the response in front of all that is said last, or its end: behind %s', (_name, talk, marked) => {
    talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));
    const transcript = talk.turn(20, 10).transcript();
    const askedWith = (forkMark: string) => {
      const set = { ...COMPACTION_ONLY, 'compact.forkMark': forkMark };
      const plan = planOf({ policy: 'claude-code/2.1.112', set });
      const { sums, breakpoints } = sentFor(runSent(plan, transcript).sent, 'compact')[0]!;
      return { sum: sums.at(-1)!, marks: breakpoints.map(({ position }) => sums[position]) };
    };
    expect(askedWith('before-last').marks).toEqual(marked);
    const { sum, marks } = askedWith('last');
    expect(marks).toEqual([15_000, sum]);
  });

  it('is counted with its layer, and in the cost of the run', () => {
    const { entries } = under({ shape: 'extend' });
    const [summary] = ofPurpose(entries, 'compact');
    const [layer] = ofType(entries, 'layer');
    expect(layer).toMatchObject({ calls: 1, cost: summary!.cost });
    expect(ofType(entries, 'end')[0]!.cost).toBe(
      ofType(entries, 'request').reduce((sum, { cost }) => sum + cost, 0),
    );
  });
});

describe('what a layer asks', () => {
  it('FUL-10 decides what is answered: other instructions give another summary, the same ones the same', () => {
    const digestAfter = (instructions: string) => {
      const asked = new Conversation().turn(100, 10);
      asked.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions, partial: null } }));
      const plan = planOf({ policy: 'claude-code/2026', set: COMPACTION_ONLY });
      return sentFor(runSent(plan, asked.turn(20, 10).transcript()).sent, 'main').at(-1)!.digest;
    };
    expect(digestAfter('Keep the plan.')).toBe(digestAfter('Keep the plan.'));
    expect(digestAfter('Keep the plan.')).not.toBe(digestAfter('Keep the diff.'));
  });
});

describe('how much notes are written', () => {
  const PREFIXES = { none: [], both: new Conversation().thread().prefix };
  /** Tokens of an update of the notes behind a conversation of 6,010 tokens, where this many are planned. */
  const written = (planned: number, prefix: keyof typeof PREFIXES): number => {
    const read = { tool: 'Read', tokens: 1_960 };
    const short = new Conversation().human(60).tools([read, read, read]);
    const thread = { ...short.answer(10).thread(), prefix: PREFIXES[prefix] };
    const set = {
      ...COMPACTION_ONLY,
      'sessionMemory.enabled': true,
      'sessionMemory.initialTokens': 3_000 + thread.prefix.reduce((sum, { tokens }) => sum + tokens, 0),
    };
    const plan = planOf({ policy: 'claude-code/2026', set });
    const fake = { ...plan.llm.fake, notesTokens: { fixed: planned } };
    const entries = runLog({ ...plan, llm: { ...plan.llm, fake } }, short.transcript({ threads: [thread] }));
    return ofPurpose(entries, 'session_memory')[0]!.output;
  };

  it.each(['none', 'both'] as const)(
    'is at most a fifth of the conversation, without tools, system and what is asked: prefix %s',
    (prefix) => {
      // 60 tokens, three calls of 20 with results of 1,960 and an answer of 10: 6,010, of which a fifth is 1,202.
      const most = written(1_202, prefix);
      expect(written(100_000, prefix)).toBe(most);
      expect(written(1_190, prefix)).toBeLessThan(most);
    },
  );
});

describe('a request beside a tool that is still at work', () => {
  it('FLT-4 answers its call in the request, and leaves the conversation waiting for the result', () => {
    const plan = planUnder(
      {
        cache: { keepAlive: { every: '4min', times: 1 } },
        rules: [{ when: { tokens: '>= 190k' }, ask: { shape: 'own' } }],
      },
      {},
    );
    const slow = new Conversation()
      .human(100)
      .tools([{ tool: 'Bash', tokens: 50 }])
      .wait(900)
      .answer(10);
    const { entries, sent } = runSent(plan, slow.transcript());
    const [ping] = sentFor(sent, 'keep_alive');
    const idsOf = (kind: string) =>
      ping!.blocks!.filter((block) => block.kind === kind).map(({ toolUseId }) => toolUseId);
    expect(idsOf('tool_use')).toHaveLength(1);
    expect(idsOf('tool_result')).toEqual(idsOf('tool_use'));
    // The result itself comes later, in the place of the answer.
    expect(sentFor(sent, 'main')[1]!.tokens).toBe(15_000 + 100 + 20 + 50);
    expect(ofType(entries, 'notice').filter(({ what }) => what === 'repaired')).toEqual([]);
  });
});

describe('a call that holds the thread up', () => {
  it.each([1, 10, 40])('FUL-5 sends a sign of life every thirty seconds: latency times %i', (scale) => {
    const { entries } = under({ shape: 'own' }, scale);
    const [summary] = ofPurpose(entries, 'compact');
    const signs = Math.floor(summary!.latencyMs / 30_000);
    expect(ofType(entries, 'layer')[0]!.details.keepAlives ?? 0).toBe(signs);
    const next = mainRequests(entries).find(({ n }) => n > summary!.n)!;
    expect(next.t).toBe(summary!.t + summary!.latencyMs);
  });
});

describe('a call that fails', () => {
  const run = (init: PlanInit) => {
    const { set = {}, ...rest } = init;
    const entries = logFor(
      { policy: 'claude-code/2026', ...rest, set: { ...COMPACTION_ONLY, ...set } },
      above({ from: 168_000, rounds: 3 }),
    );
    return {
      refused: ofType(entries, 'refused').filter(({ purpose }) => purpose === 'compact'),
      answered: ofPurpose(entries, 'compact'),
      layer: ofType(entries, 'layer').find(({ action }) => action === 'compact')!,
    };
  };
  const faults = [{ call: 'compact', error: 'overloaded', to: 2, retryAfterSeconds: 7 }] as const;

  it('is made again as often as the client tries, after the time the server asks for', () => {
    const { refused, answered, layer } = run({ faults });
    expect(refused).toHaveLength(2);
    expect(answered).toHaveLength(1);
    expect(layer).toMatchObject({ outcome: 'done', calls: 3, cost: answered[0]!.cost });
    const starts = [...refused, ...answered].map(({ t }) => t);
    for (let i = 1; i < 3; i++) {
      expect(starts[i]! - starts[i - 1]!).toBeGreaterThanOrEqual(7_000);
      expect(starts[i]! - starts[i - 1]!).toBeLessThan(20_000);
    }
  });

  it('fails where the tries are used up, and where another try is of no use', () => {
    const failing = (error: 'overloaded' | 'invalid_request') => {
      const plan = planUnder(
        { rules: [{ when: { tokens: '>= 20k' }, select: { what: 'history' }, ask: { shape: 'own' } }] },
        { faults: [{ call: 'compact', error }] },
      );
      const entries = runLog(plan, talk());
      const [layer] = ofType(entries, 'layer');
      const refused = ofType(entries, 'refused').filter(({ turn }) => turn === layer!.turn);
      const next = mainRequests(entries).find(({ turn }) => turn === layer!.turn)!;
      return { layer, refused, next, retries: plan.policy.params['client.retries'] as number };
    };
    const { layer, refused, next, retries } = failing('overloaded');
    expect(retries).toBeGreaterThan(0);
    expect(layer).toMatchObject({ outcome: 'failed', calls: 1 + retries });
    // The thread has waited for all of them.
    const last = refused.at(-1)!;
    expect(next.t).toBeGreaterThan(last.t);
    expect(next.t - refused[0]!.t).toBeGreaterThan(retries * 400);
    expect(failing('invalid_request').layer).toMatchObject({ outcome: 'failed', calls: 1 });
  });
});
