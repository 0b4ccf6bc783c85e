import { MS_PER_SECOND } from '../../core/base/clock.js';
import { CcbenchError } from '../../core/base/errors.js';
import type { Thread } from '../../core/model/transcript.js';
import { createAgenda, forkChildren } from './agenda.js';
import { DEFAULT_MODEL, type ForkSpec, type SteadySpec, type SyntheticSpec } from './spec.js';
import { FACTS } from './synthetic.generated.js';
import { type SessionSource, ThreadWriter } from './thread-writer.js';

/** Characters per token of steady sessions: a chars/4 counter then sees the true size. */
const STEADY_CHARS_PER_TOKEN = 4;

/** Tools and system of steady sessions unless given: the median first prompt (E6). */
const STEADY_PREFIX_TOKENS = 34_700;

const STEADY_PROMPT_TOKENS = 100;

/** Tokens of a call that starts a child, and of its result (assumed). */
const TASK_TOKENS = 150;

/** Generates equal turns: call k starts k gaps (and the idle times before it) after the first. */
export function generateSteady(spec: SyntheticSpec, steady: SteadySpec): Thread {
  return generateSteadyThreads(spec, steady)[0]!;
}

/** The same with the children that some turns start. */
export function generateSteadyThreads(spec: SyntheticSpec, steady: SteadySpec): readonly Thread[] {
  const children: Thread[] = [];
  const session = steadySession(spec, steady, children);
  const parts = session.write();
  while (parts.next().done !== true);
  const main = session.thread();
  return [main, ...children.map((child) => ({ ...child, prefix: main.prefix }))];
}

/** A session of equal turns that can be taken turn by turn; children are put where they are asked for. */
export function steadySession(
  spec: SyntheticSpec,
  steady: SteadySpec,
  children: Thread[] = [],
): SessionSource {
  const writer = new ThreadWriter({
    id: 'main',
    parentId: null,
    label: 'main',
    origin: `${spec.seed}`,
    text: spec.text ?? 'filler',
    ...(spec.prefixSeed === undefined ? {} : { prefixOrigin: `sessions/${spec.prefixSeed}` }),
  });
  return {
    write: () => writeTurns(writer, spec, steady, children),
    thread: () =>
      writer.thread(
        spec.prefixTokens ?? STEADY_PREFIX_TOKENS,
        steady.charsPerToken ?? STEADY_CHARS_PER_TOKEN,
      ),
    takeSteps: () => writer.takeSteps(),
  };
}

function* writeTurns(
  writer: ThreadWriter,
  spec: SyntheticSpec,
  steady: SteadySpec,
  children: Thread[],
): Generator<void, void, void> {
  const { outputTokens, resultTokens } = sizesOf(steady);
  const charsPerToken = steady.charsPerToken ?? STEADY_CHARS_PER_TOKEN;
  const chars = (tokens: number): number => Math.round(tokens * charsPerToken);
  const tool = steady.tool ?? 'Read';
  const gapMs = Math.round(steady.gapSeconds * MS_PER_SECOND);
  const agenda = createAgenda(spec);
  let model = spec.model ?? DEFAULT_MODEL;
  let at = 0;
  const prompt = steady.promptTokens ?? STEADY_PROMPT_TOKENS;
  writer.say('human', prompt, { style: 'prose', chars: chars(prompt) }, at);
  for (let turn = 1; turn <= spec.turns; turn++) {
    yield;
    const fork = spec.forks?.find(({ afterTurn }) => afterTurn === turn);
    const started = fork === undefined ? null : startChildren(writer, spec, fork, model, at, gapMs);
    if (started !== null) {
      children.push(...started.threads);
      at = started.endMs;
      continue;
    }
    const path = `/repo/src/file-${turn}.ts`;
    const use = { tool, toolUseId: writer.toolUseId(), facts: { path } };
    const head = `${tool}{"file_path":"${path}","note":"`;
    const input = { style: 'words', chars: chars(outputTokens), head, tail: '"}' } as const;
    writer.call(model, at, at + Math.floor(gapMs / 2), [writer.toolUse(use, outputTokens, input)]);
    at += gapMs;
    const result = { style: 'code', chars: chars(resultTokens) } as const;
    writer.message('tool', [writer.toolResult(use, resultTokens, result)], at);
    const entry = agenda.get(turn);
    for (const event of entry?.atOnce ?? []) writer.event(event(at));
    at += entry?.idleMs ?? 0;
    for (const planned of entry?.beforeNext ?? []) {
      const event = planned(at);
      if (event.kind === 'model-switch') model = event.model;
      writer.event(event);
    }
  }
}

/** A turn that starts children: one call for each, answered when the last has finished, or at once by a parent that goes on. */
function startChildren(
  writer: ThreadWriter,
  spec: SyntheticSpec,
  fork: ForkSpec,
  model: string,
  startMs: number,
  gapMs: number,
): { readonly threads: readonly Thread[]; readonly endMs: number } {
  const uses = Array.from({ length: fork.children }, () => ({
    tool: FACTS.subagentTool,
    toolUseId: writer.toolUseId(),
  }));
  const filler = { style: 'words', chars: TASK_TOKENS * STEADY_CHARS_PER_TOKEN } as const;
  const calls = uses.map((use) => writer.toolUse(use, TASK_TOKENS, filler));
  const endMs = startMs + Math.floor(gapMs / 2);
  const children = forkChildren(fork, {
    callId: writer.call(model, startMs, endMs, calls),
    endMs,
    model,
    origin: `${spec.seed}`,
    text: spec.text ?? 'filler',
  });
  const results = uses.map((use) => writer.toolResult(use, TASK_TOKENS, filler));
  const backMs = fork.parent === 'goes-on' ? endMs : children.endMs;
  writer.message('tool', results, backMs);
  return { threads: children.threads, endMs: Math.max(startMs + gapMs, backMs) };
}

function sizesOf(steady: SteadySpec): { readonly outputTokens: number; readonly resultTokens: number } {
  const total = steady.tokensPerTurn;
  const outputTokens = steady.outputTokens ?? (total ?? 0) - (steady.resultTokens ?? total ?? 0);
  const resultTokens = steady.resultTokens ?? (total ?? outputTokens) - outputTokens;
  const fits = total === undefined || outputTokens + resultTokens === total;
  for (const value of [outputTokens, resultTokens, steady.promptTokens ?? 0, steady.gapSeconds]) {
    if (!fits || !(value >= 0 && Number.isFinite(value))) {
      throw new CcbenchError('bad-value', 'the sizes of a steady session do not fit together', {
        hint: 'none may be negative, and outputTokens + resultTokens = tokensPerTurn',
      });
    }
  }
  return { outputTokens, resultTokens };
}
