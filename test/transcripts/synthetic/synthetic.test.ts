import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import { quantile } from '../../../src/core/base/stats.js';
import { messageTokens } from '../../../src/core/model/message.js';
import type { Thread, ThreadEvent, Transcript } from '../../../src/core/model/transcript.js';
import { compileDistribution } from '../../../src/transcripts/synthetic/distribution.js';
import { generateTranscript, WORKLOADS } from '../../../src/transcripts/synthetic/generate-transcript.js';
import type { SyntheticSpec } from '../../../src/transcripts/synthetic/spec.js';
import {
  FACTS,
  RECORDED_SHAPE,
  TOOL_PROFILES,
} from '../../../src/transcripts/synthetic/synthetic.generated.js';
import { TodoList } from '../../../src/transcripts/synthetic/tools/todo-list.js';
import { forAll } from '../../helpers/for-all.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

const calls = (thread: Thread) => thread.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
const messages = (thread: Thread) =>
  thread.steps.flatMap((step) => (step.kind === 'message' ? [step.message] : []));
const events = (thread: Thread): ThreadEvent[] =>
  thread.steps.flatMap((step) => (step.kind === 'event' ? [step.event] : []));
const blocks = (thread: Thread) =>
  thread.steps.flatMap((step) =>
    step.kind === 'message' ? step.message.blocks : step.kind === 'call' ? step.call.response.blocks : [],
  );
const main = (transcript: Transcript): Thread => transcript.threads[0]!;

/** Growth of the prompt from one call to the next. */
function growths(thread: Thread): number[] {
  const sizes: number[] = [];
  let pending = 0;
  for (const step of thread.steps) {
    if (step.kind === 'message') pending += messageTokens(step.message);
    if (step.kind !== 'call') continue;
    sizes.push(pending);
    pending = messageTokens(step.call.response);
  }
  return sizes.slice(1);
}

/** Seconds from the end of a response to the next human prompt. */
function idles(thread: Thread): number[] {
  const seconds: number[] = [];
  let endMs: number | null = null;
  for (const step of thread.steps) {
    if (step.kind === 'call') endMs = step.call.endMs;
    if (step.kind === 'message' && step.message.origin === 'human' && endMs !== null) {
      seconds.push((step.message.at - endMs) / 1_000);
    }
  }
  return seconds;
}

function expectSound(transcript: Transcript): void {
  for (const thread of transcript.threads) {
    const open = new Set<string>();
    const ids = new Set<string>();
    let now = 0;
    const move = (at: number): void => {
      expect(at).toBeGreaterThanOrEqual(now);
      now = at;
    };
    for (const step of thread.steps) {
      if (step.kind === 'event') {
        move(step.event.at);
        continue;
      }
      if (step.kind === 'call') {
        expect(open.size).toBe(0);
        move(step.call.startMs);
        move(step.call.endMs);
      } else move(step.message.at);
      const message = step.kind === 'call' ? step.call.response : step.message;
      expect(ids.has(message.id)).toBe(false);
      ids.add(message.id);
      for (const block of message.blocks) {
        expect(Number.isInteger(block.tokens) && block.tokens >= 0).toBe(true);
        if (block.kind === 'tool_use') open.add(block.toolUseId!);
        if (block.kind === 'tool_result') expect(open.delete(block.toolUseId!)).toBe(true);
      }
    }
    expect(open.size).toBe(0);
  }
}

describe('compileDistribution', () => {
  it('is exact at the given quantiles and log-linear between them', () => {
    const sample = compileDistribution('x', { p: [0, 0.5, 1], v: [1, 100, 10_000] });
    expect([0, 0.25, 0.5, 0.75, 1].map((u) => Math.round(sample(u)))).toEqual([1, 10, 100, 1_000, 10_000]);
    expect(compileDistribution('x', { p: [0, 1], v: [0, 10] })(0.5)).toBe(5);
    expect(compileDistribution('x', 7)(0.3)).toBe(7);
  });

  it('refuses tables that are no distribution', () => {
    for (const bad of [
      -1,
      { p: [0, 1], v: [1] },
      { p: [0, 0.5], v: [1, 2] },
      { p: [0, 1], v: [5, 2] },
      Number.NaN,
    ]) {
      expect(() => compileDistribution('x', bad)).toThrow(/"x" is malformed/);
    }
  });
});

describe('generateTranscript', () => {
  it('pairs tool calls and never goes back in time, in every workload', () => {
    for (const workload of WORKLOADS.names) {
      const transcript = generateTranscript({
        workload,
        turns: 300,
        seed: 5,
        subagents: { everyTurns: 40, turns: 6 },
        idle: [{ afterTurn: 20, minutes: 75 }],
        compactAt: [{ afterTurn: 50 }],
        overrides: { thinkingShare: 0.4 },
      });
      expectSound(transcript);
      expect(calls(main(transcript))).toHaveLength(300);
    }
  });

  it('holds for any spec', () => {
    const spec = fc.record({
      workload: fc.constantFrom(...WORKLOADS.names),
      turns: fc.integer({ min: 1, max: 60 }),
      seed: fc.nat(),
      text: fc.constantFrom('none' as const, 'filler' as const),
      subagents: fc.record({
        everyTurns: fc.integer({ min: 1, max: 9 }),
        turns: fc.integer({ min: 1, max: 5 }),
      }),
    });
    forAll({ numRuns: propertyRuns(40) }, spec, (value) => {
      const transcript = generateTranscript(value);
      expectSound(transcript);
      expect(calls(main(transcript))).toHaveLength(value.turns);
    });
  });

  it('gives the same transcript for the same seed, read or unread, and another for another', () => {
    const spec: SyntheticSpec = {
      workload: 'refactor',
      turns: 80,
      seed: 3,
      subagents: { everyTurns: 9, turns: 3 },
    };
    const one = generateTranscript(spec);
    for (const block of blocks(main(one))) block.text?.read();
    expect(generateTranscript(spec)).toEqual(one);
    expect(main(generateTranscript({ ...spec, seed: 4 })).steps).not.toEqual(main(one).steps);
    const texts = (transcript: Transcript) => blocks(main(transcript)).map((block) => block.text?.read());
    expect(texts(generateTranscript(spec))).toEqual(texts(one));
  });

  it('writes texts of exactly the length announced, with the name and valid JSON in tool calls', () => {
    const transcript = generateTranscript({ workload: 'image-heavy', turns: 400, seed: 8 });
    for (const block of blocks(main(transcript))) {
      if (block.kind === 'image') expect(block.text).toBeNull();
      else expect(block.text!.read()).toHaveLength(block.chars);
      if (block.kind !== 'tool_use') continue;
      const text = block.text!.read();
      expect(text.startsWith(block.tool!)).toBe(true);
      expect(() => JSON.parse(text.slice(block.tool!.length)) as unknown).not.toThrow();
    }
    const opaque = bugfixSession(20);
    expect(blocks(main(opaque)).every((block) => block.text === null)).toBe(true);
    expect(opaque.carries).not.toContain('text');
  });

  it('changes nothing but idle times when only they are changed', () => {
    const spec: SyntheticSpec = { workload: 'bugfix', turns: 200, seed: 11 };
    const slow = generateTranscript({ ...spec, overrides: { humanIdleSeconds: 5_000 } });
    const sizes = (transcript: Transcript) =>
      blocks(main(transcript)).map((block) => [block.kind, block.tokens]);
    expect(sizes(slow)).toEqual(sizes(generateTranscript(spec)));
    expect(new Set(idles(main(slow)))).toEqual(new Set([5_000]));
  });

  it('reads a file again with the same content until it is edited', () => {
    const thread = main(generateTranscript({ workload: 'research', turns: 600, seed: 2 }));
    const contents = new Map<string, Set<string>>();
    for (const block of blocks(thread)) {
      if (block.kind !== 'tool_result' || block.tool !== 'Read') continue;
      const seen = contents.get(block.facts.path!) ?? new Set();
      contents.set(block.facts.path!, seen.add(block.text!.read()));
    }
    const reads = blocks(thread).filter(
      (block) => block.kind === 'tool_result' && block.tool === 'Read',
    ).length;
    expect(contents.size).toBeLessThan(reads);
    expect([...contents.values()].filter((texts) => texts.size === 1).length).toBeGreaterThan(
      contents.size / 2,
    );
  });

  it('carries out what the spec asks for after a turn', () => {
    const thread = main(
      generateTranscript({
        workload: 'bugfix',
        turns: 40,
        seed: 1,
        model: 'first',
        idle: [{ afterTurn: 10, minutes: 61 }],
        compactAt: [{ afterTurn: 15, instructions: 'keep the plan' }],
        modelAt: [{ afterTurn: 20, model: 'second' }],
        resumeAt: [{ afterTurn: 25 }],
        prefixChangeAt: [{ afterTurn: 30, what: 'tools' }],
      }),
    );
    const list = calls(thread);
    expect(list[10]!.startMs - list[9]!.endMs).toBe(61 * 60_000);
    expect(events(thread).map((event) => event.kind)).toEqual([
      'manual-compact',
      'model-switch',
      'resume',
      'prefix-change',
    ]);
    expect([list[19]!.model, list[20]!.model]).toEqual(['first', 'second']);
    const place = thread.steps.findIndex(
      (step) => step.kind === 'event' && step.event.kind === 'manual-compact',
    );
    expect(thread.steps.slice(0, place).filter((step) => step.kind === 'call')).toHaveLength(15);
  });

  it('starts subagents with a thread, a model and a shared prefix of their own', () => {
    const transcript = generateTranscript({
      workload: 'bugfix',
      turns: 31,
      seed: 1,
      subagents: { everyTurns: 10, turns: 4, model: 'small' },
    });
    const agents = transcript.threads.slice(1);
    expect(agents.map((thread) => [thread.parentId, calls(thread).length])).toEqual([
      ['main', 4],
      ['main', 4],
      ['main', 4],
    ]);
    expect(agents[1]!.prefix.map((block) => block.digest)).toEqual(
      agents[0]!.prefix.map((block) => block.digest),
    );
    expect(calls(agents[0]!)[0]!.model).toBe('small');
    const results = messages(main(transcript)).filter(
      ({ blocks: [block] }) => block!.tool === 'Task' && block!.facts.effect === undefined,
    );
    expect(results.map((message) => message.at)).toEqual(agents.map((thread) => calls(thread).at(-1)!.endMs));
  });

  it('refuses workloads nobody knows', () => {
    const spec: SyntheticSpec = { workload: 'bugfix', turns: 10, seed: 1 };
    expect(() => generateTranscript({ ...spec, workload: 'bugfx' })).toThrow(/unknown workload "bugfx"/);
  });
});

describe('steady sessions', () => {
  it('E2 grow by exactly the same at exactly the same distance', () => {
    const steady = { tokensPerTurn: 3_000, outputTokens: 0, gapSeconds: 60, promptTokens: 500 };
    const thread = main(
      generateTranscript({ workload: 'bugfix', turns: 50, seed: 1, prefixTokens: 30_000, steady }),
    );
    expect(new Set(growths(thread))).toEqual(new Set([3_000]));
    expect(calls(thread).map((call) => call.startMs)).toEqual(
      Array.from({ length: 50 }, (_, i) => i * 60_000),
    );
    expect(thread.prefix.reduce((total, block) => total + block.tokens, 0)).toBe(30_000);
    expect(blocks(thread).every((block) => block.rough === block.tokens)).toBe(true);
  });

  it('answer for the first half of the distance, so that nobody works for the other half', () => {
    const steady = { outputTokens: 100, resultTokens: 200, gapSeconds: 400 };
    const made = calls(main(generateTranscript({ workload: 'bugfix', turns: 5, seed: 1, steady })));
    expect(made.map(({ startMs, endMs }) => (endMs! - startMs) / 1_000)).toEqual([200, 200, 200, 200, 200]);
    expect(made.slice(1).map(({ startMs }, i) => (startMs - made[i]!.endMs!) / 1_000)).toEqual([
      200, 200, 200, 200,
    ]);
  });

  it('follow the agenda and refuse sizes that contradict each other', () => {
    const spec: SyntheticSpec = { workload: 'bugfix', turns: 5, seed: 1 };
    const steady = { outputTokens: 100, resultTokens: 200, gapSeconds: 10 };
    const thread = main(generateTranscript({ ...spec, steady, idle: [{ afterTurn: 2, minutes: 6 }] }));
    expect(calls(thread).map((call) => call.startMs)).toEqual([0, 10_000, 380_000, 390_000, 400_000]);
    expect(() => generateTranscript({ ...spec, steady: { ...steady, tokensPerTurn: 250 } })).toThrow(
      /fit together/,
    );
  });
});

describe('fit to recorded sessions', () => {
  const thread = main(bugfixSession(60_000, { seed: 20 }));
  const expectQuantiles = (
    values: readonly number[],
    wanted: readonly (readonly [q: number, value: number])[],
  ): void => {
    for (const [q, value] of wanted) expect(Math.abs(quantile(values, q)! / value - 1)).toBeLessThan(0.1);
  };

  it('E6 prompt growth per call has p50 599, p90 2,840, p99 13,277 tokens', () => {
    expectQuantiles(growths(thread), [
      [0.5, 599],
      [0.9, 2_840],
      [0.99, 13_277],
    ]);
  });

  it('E6 output per call has p50 291, p90 1,522 tokens', () => {
    const outputs = calls(thread).map((call) => messageTokens(call.response));
    expectQuantiles(outputs, [
      [0.5, 291],
      [0.9, 1_522],
    ]);
  });

  it('E6 human idle has p50 116 s, p75 343 s, p90 1,223 s', () => {
    expectQuantiles(idles(thread), [
      [0.5, 116],
      [0.75, 343],
      [0.9, 1_223],
    ]);
    const busy = main(bugfixSession(60_000, { overrides: { callsPerPrompt: 1 } }));
    expectQuantiles(idles(busy), [
      [0.95, 2_842],
      [0.99, 36_000],
    ]);
  });

  it('E6 a prompt leads to 6 calls in the median, 30 at p90', () => {
    const perPrompt: number[] = [];
    for (const step of thread.steps) {
      if (step.kind === 'message' && step.message.origin === 'human') perPrompt.push(0);
      if (step.kind === 'call') perPrompt.push(perPrompt.pop()! + 1);
    }
    const table = compileDistribution('calls', RECORDED_SHAPE.callsPerPrompt);
    expect([table(0.5), table(0.9)].map(Math.round)).toEqual([6, 30]);
    expect(Math.abs(quantile(perPrompt, 0.5)! - 6)).toBeLessThanOrEqual(1);
    expect(Math.abs(quantile(perPrompt, 0.9)! - 30)).toBeLessThanOrEqual(6);
  });

  it('E6 responses use 1, 2, 3 or more tools in 88.8, 7.4, 2.3 and 1.5 %, each tool as often as recorded', () => {
    const counts = calls(thread)
      .map((call) => call.response.blocks.filter((block) => block.kind === 'tool_use').length)
      .filter((count) => count > 0);
    const share = (test: (count: number) => boolean): number => counts.filter(test).length / counts.length;
    expect(Math.abs(share((count) => count === 1) - 0.888)).toBeLessThan(0.005);
    expect(Math.abs(share((count) => count === 2) - 0.074)).toBeLessThan(0.005);
    expect(Math.abs(share((count) => count > 3) - 0.015)).toBeLessThan(0.005);
    const used = blocks(thread).filter((block) => block.kind === 'tool_use');
    const known = TOOL_PROFILES.filter(
      (profile) => !['Task', 'mcp__playwright__browser_take_screenshot'].includes(profile.name),
    );
    const total = known.reduce((sum, profile) => sum + profile.share, 0);
    for (const profile of known.slice(0, 4)) {
      const found = used.filter((block) => block.tool === profile.name).length / used.length;
      expect(Math.abs(found / (profile.share / total) - 1)).toBeLessThan(0.1);
    }
  });

  it('E6 first prompts have p25 27.0 K, p50 34.7 K, p75 42.4 K tokens', () => {
    const firsts = Array.from({ length: 1_500 }, (_, seed) => {
      const short = main(bugfixSession(1, { seed }));
      const firstCall = short.steps.findIndex((step) => step.kind === 'call');
      const opening = { ...short, steps: short.steps.slice(0, firstCall) };
      return [...short.prefix, ...blocks(opening)].reduce((sum, block) => sum + block.tokens, 0);
    });
    expectQuantiles(firsts, [
      [0.25, 27_000],
      [0.5, 34_700],
      [0.75, 42_400],
    ]);
  });
});

it('a list of tasks stays short: what was finished first is deleted from a full one', () => {
  const lists = Array.from({ length: 20 }, (_, seed) => new TodoList(createRandom(seed)));
  const byTask = lists.filter(({ reminder }) => reminder === 'task_reminder');
  expect(byTask.length).toBeGreaterThan(0);
  for (const list of byTask) {
    let length = 0;
    for (let i = 0; i < 500; i++) {
      const effect = list.next().effect(0);
      if (effect.kind === 'task-create') length++;
      if (effect.kind === 'task-update' && effect.status === 'deleted') length--;
      expect(length).toBeLessThanOrEqual(FACTS.mostTasks + 1);
    }
  }
});

it('only JSON that was read counts as JSON', () => {
  const read = blocks(main(generateTranscript({ workload: 'refactor', turns: 60, seed: 4 }))).filter(
    ({ kind, facts }) => kind === 'tool_result' && facts.path !== undefined,
  );
  const isJson = read.map(({ tool, facts }) => tool === 'Read' && facts.path!.endsWith('.json'));
  expect(read.map(({ facts }) => facts.jsonLike === true)).toEqual(isJson);
  expect(new Set(isJson).size).toBe(2);
});
