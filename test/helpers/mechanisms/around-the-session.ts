import { ofType } from '../plan.js';
import {
  type ActedRun,
  type Acting,
  amount,
  breaks,
  compactions,
  detailSum,
  entriesOf,
  layers,
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
export const AROUND_THE_SESSION: Acting = {
  'FLT-1': messages(({ origin }) => origin === 'attachment'),
  'FLT-2': merged,
  'FLT-3': recordedCalls,
  'FLT-4': notices('repaired'),
  'FLT-5': where({ 'context.memoryFiles': (value) => amount(value) > 0 }, entriesOf('thread')),
  'NES-1': detailSum('nested-memory', 'files'),
  'AUT-1': layers('auto-memory', 'extract', done),
  'AUT-2': detailSum('auto-memory', 'written', 'write'),
  'AUT-3': notices('memory-index'),
  'AUT-4': layers('auto-memory', 'read', done),
  'DRM-1': detailSum('dreaming', 'checks', 'gates'),
  'DRM-2': layers('dreaming', 'dream', ({ details }) => details.reclaimed === true),
  'DRM-3': layers('dreaming', 'turn'),
  'DRM-4': (run) =>
    detailSum('dreaming', 'refusals', 'dream')(run) + detailSum('dreaming', 'written', 'dream')(run),
  'DRM-5': layers('dreaming', 'dream'),
  'AGT-1': forks,
  'AGT-2': forks,
  'AGT-3': forks,
  'AGT-4': layers('agents', 'deliver'),
  'AGT-5': (run) => layers('agents', 'progress')(run) + layers('agents', 'recall')(run),
  'CCH-1': requests(({ read }) => read > 0),
  'CCH-2': breaks(({ cause }) => cause === 'ttl-5m' || cause === 'ttl-1h'),
  'CCH-3': requests(),
  'CCH-4': requests(({ cost }) => cost > 0),
  'CCH-5': requests(({ cause }) => cause === 'not-readable-yet'),
  'BRD-1': breaks(),
  'BRD-2': breaks(({ expected }) => !expected),
  'BRD-3': breaks(({ expected }) => expected),
  'LOP-1': layersAtWork,
  'LOP-2': compactions(({ details }) => amount(details.turnsSincePrevious) > 0),
  'LOP-3': prevented,
  'FLG-1': switchedOff,
  'FLG-2': layers('auto-memory', 'extract', ({ details }) => details.skipped === 'main-wrote'),
};

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
