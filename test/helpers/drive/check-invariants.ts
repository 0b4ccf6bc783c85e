import { expect } from 'vitest';
import type { Block } from '../../../src/core/model/block.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { LayerEntry } from '../../../src/core/run/log-entries.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { foldLog } from '../../../src/metrics/fold.js';
import type { CapturedRun, Sent } from '../capture.js';
import { must } from '../must.js';
import { ofType } from '../plan.js';
import { checkSummaries } from './check-summaries.js';

/** A run to be checked: its log, and every request as it left the agent. */
export interface CheckedRun extends CapturedRun {
  readonly plan: RunPlan;
  readonly transcript: Transcript;
}

/** INV-1: the user speaks first and last, every call is answered by the next message and nothing else is. */
function checkShapes({ sent }: CheckedRun): void {
  for (const request of sent) {
    if (request.blocks === null) continue;
    const blocks = withoutAnswer(request).slice(request.systemEnd);
    const say = (what: string) => () =>
      `INV-1 ${request.purpose} ${request.thread} turn ${request.turn}: ${what}`;
    must(blocks[0]?.role === 'user', say('does not begin with the user'));
    must(blocks.at(-1)?.role === 'user', say('does not end with the user'));
    const open = new Set<string>();
    let answering = false;
    for (const block of blocks) {
      if (block.role === 'assistant') {
        if (answering) must(open.size === 0, say(`${[...open].join()} has no result`));
        answering = false;
        if (block.kind === 'tool_use') open.add(block.toolUseId!);
      } else {
        answering = true;
        if (block.kind === 'tool_result')
          must(open.delete(block.toolUseId!), say(`${block.toolUseId} answers nothing`));
      }
    }
    must(open.size === 0, say(`${[...open].join()} has no result`));
  }
}

/** Of a request for a suggestion the blocks before the answer: the words that ask for it are not counted. */
function withoutAnswer({ purpose, blocks }: Sent): readonly Block[] {
  if (purpose !== 'suggestion') return blocks!;
  return blocks!.slice(0, blocks!.findLastIndex((block) => block.role === 'user') + 1);
}

/** INV-2: what is longer than the window is refused, the log says so, and every recorded call is answered or told as lost. */
function checkWindows({ sent, entries, transcript }: CheckedRun): void {
  for (const { answered, windowTokens, tokens, thread, turn } of sent) {
    must(
      !answered || windowTokens === null || tokens <= windowTokens,
      () => `INV-2 ${thread} turn ${turn}: ${tokens} answered in ${windowTokens}`,
    );
  }
  expect(ofType(entries, 'refused').length).toBe(sent.filter(({ answered }) => !answered).length);
  const lost = ofType(entries, 'lost').reduce((sum, { calls }) => sum + calls, 0);
  const answered = ofType(entries, 'request').filter(
    ({ purpose }) => purpose === 'main' || purpose === 'subagent',
  ).length;
  const ended = ofType(entries, 'ended').reduce((sum, { calls }) => sum + calls, 0);
  expect(answered + lost + ended, 'INV-2 calls answered, lost or ended').toBe(countCalls(transcript));
}

function countCalls({ threads }: Transcript): number {
  return threads.reduce((sum, { steps }) => sum + steps.filter(({ kind }) => kind === 'call').length, 0);
}

/** INV-3: clearing never adds tokens and touches results of tools that may be cleared alone. */
function checkClearing({ entries, sent, plan }: CheckedRun): void {
  for (const entry of ofType(entries, 'layer')) {
    if (entry.layer !== 'microcompact' || entry.outcome !== 'done') continue;
    must(
      entry.trueAfter <= entry.trueBefore && entry.saved >= 0,
      () => `INV-3 turn ${entry.turn} adds tokens`,
    );
  }
  // A policy file says itself which tools it is about.
  if (plan.policy.name.startsWith('baselines/') || plan.policy.rules !== undefined) return;
  for (const { blocks, thread, turn } of sent) {
    for (const block of blocks ?? []) {
      if (block.kind !== 'tool_result' || block.facts.replaces !== 'cleared') continue;
      must(
        !/^(?:mcp__|Task|Todo|AskUser|Notebook|Skill)/.test(block.tool ?? ''),
        () => `INV-3 ${thread} turn ${turn}: a result of ${block.tool} is cleared`,
      );
    }
  }
}

/** INV-4: once stored, a result is sent with the same bytes, or cleared, never whole again. */
function checkStored({ sent }: CheckedRun): void {
  const stored = new Map<string, number>();
  for (const { blocks, thread } of sent) {
    for (const block of blocks ?? []) {
      // A result without a tool stands for one that a rewind took away.
      if (block.kind !== 'tool_result' || block.tool === null) continue;
      const key = `${thread} ${block.toolUseId}`;
      const known = stored.get(key);
      must(
        known === undefined || block.facts.replaces === 'cleared' || block.digest === known,
        () => `INV-4 ${key} is not what was stored`,
      );
      if (block.facts.replaces === 'stored') stored.set(key, block.digest);
    }
  }
}

/** INV-5: tokens and money add up. */
function checkSums({ entries }: CheckedRun): void {
  const requests = ofType(entries, 'request');
  for (const entry of requests) {
    must(
      entry.prompt === entry.read + entry.write5m + entry.write1h + entry.input,
      () => `INV-5 request ${entry.n}: tokens do not add up`,
    );
    must(
      entry.cost === entry.readCost + entry.writeCost + entry.inputCost + entry.outputCost,
      () => `INV-5 request ${entry.n}: costs do not add up`,
    );
  }
  const { cost } = foldLog(entries);
  const total = requests.reduce((sum, entry) => sum + entry.cost, 0);
  const sum = (parts: Readonly<Record<string, number>>) => Object.values(parts).reduce((a, b) => a + b, 0);
  expect(cost.total).toBe(total);
  expect(sum(cost.byCause)).toBe(total);
  expect(sum(cost.byLayer)).toBe(total);
  const byLayers = ofType(entries, 'layer').reduce((all, entry) => all + entry.cost, 0);
  const beside = requests.reduce(
    (all, { purpose, cost: one }) =>
      purpose === 'main' || purpose === 'subagent' || purpose === 'suggestion' ? all : all + one,
    0,
  );
  must(byLayers <= beside, () => `INV-5 layers report ${byLayers} of ${beside}`);
}

const HOUR_MS = 3_600_000;

/** INV-6: what is read was sent before, byte for byte, and lately enough to live. */
function checkReads({ entries, sent, plan }: CheckedRun): void {
  const lifetimeMs = plan.cache.ttl === '5m' && plan.cache.subagentTtl === '5m' ? 300_000 : HOUR_MS;
  const answered = sent.filter((request) => request.answered);
  const requests = ofType(entries, 'request');
  expect(requests.length).toBe(answered.length);
  const pairs = requests.map((entry, i) => ({ entry, request: answered[i]! }));
  const touched = new Map<number, number>();
  for (const { entry, request } of pairs) {
    if (entry.read > 0 && request.deletedTokens === 0) {
      // Blocks without tokens end where the block before them ends.
      const ends = request.sums.flatMap((sum, i) => (sum === entry.read ? [request.prefixes[i]!] : []));
      must(ends.length > 0, () => `INV-6 request ${entry.n} reads ${entry.read}, which ends nowhere`);
      const last = ends.map((prefix) => touched.get(prefix)).findLast((endMs) => endMs !== undefined);
      must(last !== undefined, () => `INV-6 request ${entry.n} reads bytes that nobody sent`);
      must(
        request.startMs - last! <= lifetimeMs + 1,
        () => `INV-6 request ${entry.n} reads bytes of ${request.startMs - last!} ms ago`,
      );
    }
    // In the order of the log: a step of one thread may reach beyond the next of another.
    const endMs = request.startMs + entry.latencyMs;
    for (const prefix of request.prefixes) touched.set(prefix, Math.max(endMs, touched.get(prefix) ?? endMs));
  }
}

/** INV-7: never another attempt after the breaker opened, until a success, a new process or a new prompt. */
function checkBreaker({ entries, plan, transcript }: CheckedRun): void {
  const max = breakerOf(plan.policy);
  if (max === null) return;
  const chances = transcript.threads
    .flatMap(({ steps }) => steps)
    .filter((step) => step.kind === 'message' && step.message.origin === 'human').length;
  // A summary that was asked for beside the work before the breaker opened may still come, and fail.
  const underway = plan.policy.rules?.rules.some(({ ask }) => ask?.run.kind === 'background') ? 1 : 0;
  let failed = 0;
  const inRow = new Map<string, number>();
  for (const entry of entries) {
    if (entry.type === 'notice' && entry.what === 'resume') inRow.set(entry.thread, 0);
    if (entry.type !== 'layer' || entry.action !== 'compact') continue;
    if (entry.outcome === 'done') inRow.set(entry.thread, 0);
    else if (isCounted(entry)) {
      const count = (inRow.get(entry.thread) ?? 0) + 1;
      inRow.set(entry.thread, count);
      failed++;
      if (max.per === 'session')
        must(
          count <= max.after + underway,
          () => `INV-7 ${count} failures in a row where ${max.after} trip the breaker`,
        );
    }
  }
  const others = ofType(entries, 'layer').filter(({ outcome }) => outcome === 'done').length;
  const most = max.after * (1 + chances + others + ofType(entries, 'notice').length);
  must(failed <= most, () => `INV-7 ${failed} failures where at most ${most} are possible`);
}

/** A failure that breakers count. The rules of a file count what they asked for in vain. */
function isCounted({ layer, outcome, trigger, failure }: LayerEntry): boolean {
  if (outcome !== 'failed' || trigger !== 'auto') return false;
  return layer === 'full-compact' || (layer === 'rules' && !failure?.startsWith('nothing-to'));
}

/** Failures in a row that end automatic compaction, until it succeeds or the user speaks again; null without a breaker. */
function breakerOf({
  params,
  rules: parts,
}: CheckedRun['plan']['policy']): { readonly after: number; readonly per: 'session' | 'prompt' } | null {
  if (parts !== undefined) {
    const breaker = parts.guards.breaker;
    if (breaker === null || typeof breaker.until === 'object' || breaker.scope === 'rule') return null;
    return { after: breaker.after, per: breaker.until === 'prompt' ? 'prompt' : 'session' };
  }
  const max = params['breaker.maxFailures'];
  if (typeof max !== 'number') return null;
  return { after: max, per: params['breaker.scope'] === 'session' ? 'session' : 'prompt' };
}

/** INV-9: requests of one compaction that are refused get shorter, those with the main prefix and those without apart. */
function checkRetries({ sent, entries, plan }: CheckedRun): void {
  if (plan.policy.params['compact.resendWithoutStreaming'] === true) return;
  const refused = sent.filter(({ answered }) => !answered);
  const before = new Map<string, readonly number[]>();
  const shapes = Math.max(
    1,
    ...(plan.policy.rules?.rules ?? []).map(
      ({ ask }) => ask?.shapes.filter((shape) => shape === 'own' || shape === 'text').length ?? 0,
    ),
  );
  let next = 0;
  for (const entry of entries) {
    if (entry.type === 'layer' && entry.action === 'compact') before.clear();
    // A restart forgets a summary that is waited for: the next one begins again.
    if (entry.type === 'notice' && entry.what === 'resume') before.clear();
    if (entry.type !== 'refused') continue;
    const { purpose, tokens, prefixes, thread, turn } = refused[next++]!;
    if (purpose !== 'compact' || !entry.message.includes('too long')) continue;
    const key = `${thread} ${prefixes[0]}`;
    const earlier = before.get(key) ?? [];
    // A rule may send the same in several shapes before it shortens anything.
    const last = earlier.at(-shapes);
    must(last === undefined || tokens < last, () => `INV-9 ${thread} turn ${turn}: ${last} then ${tokens}`);
    before.set(key, [...earlier, tokens]);
  }
}

/** INV-10: what is put back and what is loaded stays within its budget. */
function checkBudgets({ entries, plan }: CheckedRun): void {
  const { params, rules: parts } = plan.policy;
  const files =
    parts === undefined
      ? params['restore.files']
      : Math.max(0, ...parts.rules.map(({ select }) => select.keep.recentFiles?.n ?? 0));
  const within = (value: unknown, limit: unknown, what: string): void => {
    if (typeof value !== 'number' || typeof limit !== 'number') return;
    must(value <= limit, () => `INV-10 ${what}: ${value} of ${limit}`);
  };
  for (const { details, action } of ofType(entries, 'layer')) {
    if (action === 'compact') within(details.restoredFiles, files, 'restored files');
  }
  for (const { details, what } of ofType(entries, 'notice')) {
    if (what !== 'memory-index') continue;
    within(details.shownLines, params['autoMemory.indexLines'], 'lines of the index');
  }
}

/** INV-11: children of one call are the same up to their directive. */
function checkSiblings({ sent, transcript, plan }: CheckedRun): void {
  if (plan.policy.params['agents.layout'] !== 'shared') return;
  const groups = new Map<string, { readonly startMs: number; readonly shared: number }[]>();
  for (const { id, parentId, fork, steps } of transcript.threads) {
    if (fork === undefined) continue;
    const first = sent.find(({ thread, turn }) => thread === id && turn === 1);
    const directive = steps.find((step) => step.kind === 'message');
    if (first?.blocks == null || !first.answered || directive?.kind !== 'message') continue;
    const at = first.blocks.findLastIndex(({ digest }) => digest === directive.message.blocks[0]!.digest);
    if (at < 1) continue; // it compacted before its first request
    const key = `${parentId} ${fork.callId}`;
    const child = { startMs: first.startMs, shared: first.prefixes[at - 1]! };
    groups.set(key, [...(groups.get(key) ?? []), child]);
  }
  for (const [key, [eldest, ...others]] of groups) {
    for (const { startMs, shared } of others) {
      if (Math.abs(startMs - eldest!.startMs) > 60_000) continue;
      must(shared === eldest!.shared, () => `INV-11 children of ${key} differ before their directive`);
    }
  }
}

/**
 * INV-12: one dream at a time, in the order in which things happen in the run: a step of a thread is one piece of time, so the
 * times of two processes may overlap by the length of a step.
 */
function checkDreams({ entries }: CheckedRun): void {
  let dreaming: string | null = null;
  for (const { layer, action, thread, t } of ofType(entries, 'layer')) {
    if (layer !== 'dreaming') continue;
    if (action === 'turn') {
      must(
        dreaming === null || dreaming === thread,
        () => `INV-12 ${thread} dreams at ${t} while ${dreaming} does`,
      );
      dreaming = thread;
    } else if (action === 'dream' && dreaming === thread) dreaming = null;
  }
}

/** INV-15: calls of a child are lost only where its own start, the API or a guard explains it. */
function checkChildren({ entries, transcript }: CheckedRun): void {
  const forks = new Set(transcript.threads.filter(({ fork }) => fork !== undefined).map(({ id }) => id));
  const lostForks = new Set(
    ofType(entries, 'notice').flatMap(({ what, thread }) => (what === 'fork-lost' ? [thread] : [])),
  );
  const stopped = new Set([
    ...ofType(entries, 'refused').map(({ thread }) => thread),
    ...ofType(entries, 'notice').flatMap(({ what, thread }) =>
      ['blocked', 'prompt-ended', 'run-ended'].includes(what) ? [thread] : [],
    ),
  ]);
  for (const { thread, calls } of ofType(entries, 'lost')) {
    if (!forks.has(thread)) continue;
    must(
      lostForks.has(thread) || stopped.has(thread),
      () => `INV-15 ${calls} calls of ${thread} are lost for nothing`,
    );
  }
}

const USER_ACTS = ['resume', 'clear', 'rewind', 'model-switch', 'prefix-change'] as const;

/** INV-16: what the user did happens: it is told, an emptied conversation is empty, a model is the one that was chosen. */
function checkUserActs({ entries, transcript, replaced }: CheckedRun): void {
  const cleared = ofType(entries, 'notice').filter(({ what }) => what === 'clear').length;
  const emptied = replaced.filter(({ after }) => after.every(({ origin }) => origin === 'context')).length;
  must(emptied >= cleared, () => `INV-16 ${cleared} times cleared, ${emptied} times empty`);
  checkModels(entries);
  for (const kind of USER_ACTS) {
    const recorded = transcript.threads.reduce(
      (sum, { steps }) =>
        sum + steps.filter((step) => step.kind === 'event' && step.event.kind === kind).length,
      0,
    );
    const happened = ofType(entries, 'notice').filter(({ what }) => what === kind).length;
    must(happened >= recorded, () => `INV-16 ${recorded} times ${kind}, ${happened} times in the run`);
  }
}

function checkModels(entries: CheckedRun['entries']): void {
  const chosen = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === 'notice' && entry.what === 'model-switch')
      chosen.set(entry.thread, entry.message.slice(entry.message.lastIndexOf(' ') + 1));
    if (entry.type !== 'request' || (entry.purpose !== 'main' && entry.purpose !== 'subagent')) continue;
    const model = chosen.get(entry.thread) ?? entry.model;
    must(entry.model === model, () => `INV-16 request ${entry.n} goes to ${entry.model}, not ${model}`);
  }
}

/** Every invariant that one run can show. */
export const INVARIANT_CHECKS: Readonly<Record<string, (run: CheckedRun) => void>> = {
  'INV-1': checkShapes,
  'INV-2': checkWindows,
  'INV-3': checkClearing,
  'INV-4': checkStored,
  'INV-5': checkSums,
  'INV-6': checkReads,
  'INV-7': checkBreaker,
  'INV-9': checkRetries,
  'INV-10': checkBudgets,
  'INV-11': checkSiblings,
  'INV-12': checkDreams,
  'INV-14': checkSummaries,
  'INV-15': checkChildren,
  'INV-16': checkUserActs,
};
