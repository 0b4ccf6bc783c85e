import { ofType } from '../plan.js';
import {
  type ActedRun,
  amount,
  breaks,
  compactions,
  detailSum,
  entriesOf,
  layers,
  type Mechanism,
  mechanisms,
  messages,
  notices,
  requests,
  where,
} from './mechanism.js';

const done = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'done';

/** Layers that acted at all, each once. */
function layersAtWork({ entries }: ActedRun): number {
  return new Set(ofType(entries, 'layer').map(({ layer }) => layer)).size;
}

/** Switches of layers that are off. */
function switchedOff({ plan }: ActedRun): number {
  return Object.entries(plan.policy.params).filter(
    ([path, value]) => path.endsWith('.enabled') && value === false,
  ).length;
}

/** Compactions that never came: crossings that were avoided, without those made later (C52). */
function prevented({ entries }: ActedRun): number {
  const crossings = ofType(entries, 'crossing');
  const made = crossings.filter(({ state }) => state === 'made').length;
  return crossings.length - 2 * made;
}

/** Threads that start as copies of another. */
const forks = entriesOf('thread', (entry) => entry.type === 'thread' && entry.sharedTokens !== undefined);

/** FLT, NES, AUT, DRM, AGT, CCH, BRD, LOP and FLG: requests, long-term memory, agents, the cache, the loop. */
export const AROUND_THE_SESSION: readonly Mechanism[] = mechanisms([
  [
    'FLT-1',
    'Attachments move next to the message they belong to.',
    'src/engine/context/repairs.ts',
    'analysis',
    'attachments placed',
    messages(({ origin }) => origin === 'attachment'),
  ],
  [
    'FLT-2',
    'Messages of one speaker in a row are one message of the request.',
    'src/engine/context/context.ts',
    'analysis',
    'messages merged',
    merged,
  ],
  [
    'FLT-3',
    'Tool inputs are put in the form of their schema; a last message of thinking alone is left out.',
    'src/transcripts/readers/claude-code/lines/part-text.ts',
    'analysis',
    'calls of a recording, read',
    recordedCalls,
  ],
  [
    'FLT-4',
    'Every call has its result and the user speaks first; what does not fit is repaired and counted.',
    'src/engine/context/repairs.ts',
    'analysis',
    'requests repaired',
    notices('repaired'),
  ],
  [
    'FLT-5',
    'Memory files and other context go first.',
    'src/engine/thread/thread-start.ts',
    'analysis',
    'conversations that begin so',
    where({ 'context.memoryFiles': (value) => amount(value) > 0 }, entriesOf('thread')),
  ],
  [
    'NES-1',
    'Memory files on the way to a touched path are attached once.',
    'src/agent/layers/nested-memory/nested-memory.ts',
    'analysis',
    'files attached',
    detailSum('nested-memory', 'files'),
  ],
  [
    'AUT-1',
    'When a loop ends, a fork keeps what will matter later.',
    'src/agent/layers/auto-memory/auto-memory.ts',
    'analysis',
    'extractions',
    layers('auto-memory', 'extract', done),
  ],
  [
    'AUT-2',
    'Four types of memory, a file each; what is known elsewhere is not kept.',
    'src/agent/layers/auto-memory/memory-store.ts',
    'analysis',
    'memories written',
    detailSum('auto-memory', 'written', 'write'),
  ],
  [
    'AUT-3',
    'An index of one line each stands in the system prompt, within limits.',
    'src/agent/layers/auto-memory/memory-index.ts',
    'analysis',
    'prompts with the index',
    notices('memory-index'),
  ],
  [
    'AUT-4',
    'First all reads, then all writes.',
    'src/agent/layers/auto-memory/fork-turns.ts',
    'analysis',
    'extractions in two turns',
    layers('auto-memory', 'read', done),
  ],
  [
    'DRM-1',
    'A dream must pass five gates, the cheapest first.',
    'src/agent/layers/dreaming/dreaming.ts',
    'analysis',
    'checks of the gates',
    detailSum('dreaming', 'checks', 'gates'),
  ],
  [
    'DRM-2',
    'A lock file records who dreams and when the last dream ended; a stale one is taken over.',
    'src/agent/layers/dreaming/lock.ts',
    'analysis',
    'stale locks taken over',
    layers('dreaming', 'dream', ({ details }) => details.reclaimed === true),
  ],
  [
    'DRM-3',
    'A dream looks around, searches, merges and prunes.',
    'src/agent/layers/dreaming/dream.ts',
    'analysis',
    'turns of dreams',
    layers('dreaming', 'turn'),
  ],
  [
    'DRM-4',
    'It only reads, and writes inside the memory directory.',
    'src/agent/layers/dreaming/dream.ts',
    'analysis',
    'writes refused or made',
    (run) => detailSum('dreaming', 'refusals', 'dream')(run) + detailSum('dreaming', 'written', 'dream')(run),
  ],
  [
    'DRM-5',
    'It starts, updates, and is completed, failed or killed.',
    'src/agent/layers/dreaming/dreaming.ts',
    'analysis',
    'dreams that ended',
    layers('dreaming', 'dream'),
  ],
  [
    'AGT-1',
    'A fork starts as its parent is, byte for byte, and reads its cache.',
    'src/engine/thread/thread-start.ts',
    'analysis',
    'forks',
    forks,
  ],
  [
    'AGT-2',
    'Children of one turn are the same up to their directive.',
    'src/engine/thread/thread-start.ts',
    'analysis',
    'children',
    forks,
  ],
  [
    'AGT-3',
    'A child carries a mark and may not fork again.',
    'src/engine/thread/thread-start.ts',
    'analysis',
    'children marked',
    forks,
  ],
  [
    'AGT-4',
    'Agents write to each other in the process, through files and across sessions.',
    'src/agent/client/message-bus.ts',
    'analysis',
    'messages delivered',
    layers('agents', 'deliver'),
  ],
  [
    'AGT-5',
    'Agents remember in three scopes, and a coordinator receives progress summaries.',
    'src/agent/layers/agents/agents.ts',
    'analysis',
    'summaries and memories read',
    (run) => layers('agents', 'progress')(run) + layers('agents', 'recall')(run),
  ],
  [
    'CCH-1',
    'A request reads the longest prefix that was cached at a breakpoint.',
    'src/provider/cache/prompt-cache.ts',
    'api',
    'requests that read',
    requests(({ read }) => read > 0),
  ],
  [
    'CCH-2',
    'Entries live five minutes or an hour from their last read.',
    'src/provider/cache/ttl.ts',
    'api',
    'entries that ran out',
    breaks(({ cause }) => cause === 'ttl-5m' || cause === 'ttl-1h'),
  ],
  [
    'CCH-3',
    'Read, written and plain input add up to the prompt.',
    'src/engine/context/invariants.ts',
    'api',
    'requests checked',
    requests(),
  ],
  [
    'CCH-4',
    'Reading costs a tenth, writing 1.25 or 2 times the input price.',
    'src/provider/prices/price.ts',
    'api',
    'requests priced',
    requests(({ cost }) => cost > 0),
  ],
  [
    'CCH-5',
    'An entry can be read once the first response has begun.',
    'src/provider/cache/prompt-cache.ts',
    'api',
    'requests that came too early',
    requests(({ cause }) => cause === 'not-readable-yet'),
  ],
  [
    'BRD-1',
    'Reads that drop by 5 % and 2,000 tokens are a break.',
    'src/provider/cache/break-detector.ts',
    'analysis',
    'breaks',
    breaks(),
  ],
  [
    'BRD-2',
    'Each break has a cause.',
    'src/provider/cache/break-detector.ts',
    'analysis',
    'unannounced breaks with their cause',
    breaks(({ expected }) => !expected),
  ],
  [
    'BRD-3',
    'A break that a layer announced is expected, unless time explains it.',
    'src/provider/cache/break-detector.ts',
    'analysis',
    'breaks that were announced',
    breaks(({ expected }) => expected),
  ],
  [
    'LOP-1',
    'Layers are asked in a fixed order around each call.',
    'src/engine/thread/layer-host.ts',
    'analysis',
    'layers at work',
    layersAtWork,
  ],
  [
    'LOP-2',
    'What the loop tracks starts over with each compaction.',
    'src/agent/layers/auto-compact/history.ts',
    'analysis',
    'compactions that follow another',
    compactions(({ details }) => amount(details.turnsSincePrevious) > 0),
  ],
  [
    'LOP-3',
    'Each layer is credited with the compactions it prevented, and apart from them with those it deferred.',
    'src/engine/actions/prevention.ts',
    'design',
    'compactions prevented, not only deferred',
    prevented,
  ],
  [
    'FLG-1',
    'Every layer has a switch.',
    'src/agent/policies/plan-policy.ts',
    'analysis',
    'switches off',
    switchedOff,
  ],
  [
    'FLG-2',
    'Some layers exclude each other.',
    'src/agent/policies/plan-policy.ts',
    'analysis',
    'extractions skipped because the agent wrote memories itself',
    layers('auto-memory', 'extract', ({ details }) => details.skipped === 'main-wrote'),
  ],
]);

/** Tool calls that were read from a file of a client. */
function recordedCalls({ transcript }: ActedRun): number {
  if (!transcript.source.startsWith('claude-code')) return 0;
  let calls = 0;
  for (const { steps } of transcript.threads) {
    for (const step of steps) {
      if (step.kind === 'call')
        calls += step.call.response.blocks.filter(({ kind }) => kind === 'tool_use').length;
    }
  }
  return calls;
}

/** Messages that join their neighbour of the same role. */
function merged({ transcript }: ActedRun): number {
  let count = 0;
  for (const { steps } of transcript.threads) {
    let before: string | null = null;
    for (const step of steps) {
      const role: string | null =
        step.kind === 'message' ? step.message.role : step.kind === 'call' ? 'assistant' : before;
      if (step.kind === 'message' && role === before) count++;
      before = role;
    }
  }
  return count;
}
