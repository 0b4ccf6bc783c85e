import type { Breakdown } from '../../../src/core/tokens/breakdown.js';
import { ofType } from '../plan.js';
import {
  type ActedRun,
  compactions,
  entriesOf,
  is,
  layers,
  type Mechanism,
  mechanisms,
  messages,
  notices,
  requests,
  where,
} from './mechanism.js';

const isSet = (value: unknown): boolean => value !== null && value !== undefined;
const addsEstimate = (value: unknown): boolean => value === 'rough' || value === 'padded';
const counted = requests(({ estimatedTokens: seen }) => seen !== null && seen > 0);

/** Paths whose repeated reads are in the conversation at the end. */
function repeatedReads({ entries }: ActedRun): number {
  return ofType(entries, 'breakdown').reduce(
    (sum, { breakdown }) => sum + (breakdown as Breakdown).duplicateReads.length,
    0,
  );
}

/** Automatic attempts in a row that failed, beyond the third: what a breaker would have saved. */
function beyondThree({ entries }: ActedRun): number {
  let inRow = 0;
  let beyond = 0;
  for (const entry of ofType(entries, 'layer')) {
    if (entry.layer !== 'full-compact' || entry.trigger !== 'auto') continue;
    inRow = entry.outcome === 'failed' ? inRow + 1 : 0;
    if (inRow > 3) beyond++;
  }
  return beyond;
}

/** TOK, WIN and BRK: what is counted, against which limits, and when it is given up. */
export const COUNTING: readonly Mechanism[] = mechanisms([
  [
    'TOK-1',
    'Text is estimated at four characters a token, JSON-like text at two bytes, an image at 2,000.',
    'src/core/model/block.ts',
    'measured',
    'requests counted with an estimate',
    where({ 'counter.newContent': addsEstimate }, counted),
  ],
  [
    'TOK-2',
    'A tool result counts its texts and images, and nothing else in it.',
    'src/core/tokens/heuristic.ts',
    'analysis',
    'tool results counted',
    where(
      { 'counter.newContent': addsEstimate },
      messages(({ origin }) => origin === 'tool'),
    ),
  ],
  [
    'TOK-3',
    'A list of messages is the sum of its blocks, padded by a third where the client pads.',
    'src/engine/counting/seen-counter.ts',
    'measured',
    'requests counted with padding',
    where({ 'counter.newContent': is('padded') }, counted),
  ],
  [
    'TOK-4',
    'The usage of the latest response gives the exact size of the context then.',
    'src/engine/counting/seen-counter.ts',
    'recordings',
    'requests counted from usage',
    counted,
  ],
  [
    'TOK-5',
    'What came after the latest response is estimated and added to its usage.',
    'src/engine/counting/seen-counter.ts',
    'recordings',
    'requests counted that way',
    where({ 'counter.newContent': addsEstimate }, counted),
  ],
  [
    'TOK-6',
    'An estimate is made once, since a block never changes after it was made.',
    'src/core/model/block.ts',
    'design',
    'tool results estimated',
    messages(({ origin }) => origin === 'tool'),
  ],
  [
    'TOK-7',
    'The conversation is broken down by who wrote it and by tool.',
    'src/core/tokens/breakdown.ts',
    'analysis',
    'threads broken down',
    entriesOf('breakdown'),
  ],
  [
    'TOK-8',
    'Repeated reads of a file are waste, reported per path and in total.',
    'src/core/tokens/breakdown.ts',
    'analysis',
    'paths read more than once',
    repeatedReads,
  ],
  [
    'TOK-9',
    'The breakdown is also reported in rounded percentages of the total.',
    'src/core/tokens/breakdown.ts',
    'analysis',
    'compactions that report them',
    compactions(({ details }) => isSet(details.context)),
  ],
  [
    'TOK-10',
    'Counters can be exchanged, and the report says how far the estimate is off.',
    'src/core/tokens/heuristic.ts',
    'design',
    'threads whose estimate is compared with the truth',
    entriesOf('breakdown'),
  ],
  [
    'WIN-1',
    'The window follows from the name, the model, the beta, an override, or is 200,000.',
    'src/agent/client/window.ts',
    'measured',
    'threads with a window',
    entriesOf('thread', (entry) => entry.type === 'thread' && entry.window !== null),
  ],
  [
    'WIN-2',
    'A reserve for the answer makes the window smaller.',
    'src/agent/layers/thresholds/thresholds.ts',
    'measured',
    'requests under a reserve',
    where({ 'window.reserve': (value) => value !== 'none' }, counted),
  ],
  [
    'WIN-3',
    'Compaction starts 13,000 tokens below the effective window.',
    'src/agent/layers/thresholds/thresholds.ts',
    'measured',
    'automatic compactions at the threshold',
    compactions(({ trigger }) => trigger === 'auto'),
  ],
  [
    'WIN-4',
    'A percentage can make it start earlier, never later.',
    'src/agent/layers/thresholds/thresholds.ts',
    'measured',
    'automatic compactions at a percentage',
    where(
      { 'window.percent': isSet },
      compactions(({ trigger }) => trigger === 'auto'),
    ),
  ],
  [
    'WIN-5',
    'The user sees how much is left, a warning and an error.',
    'src/agent/layers/thresholds/thresholds.ts',
    'analysis',
    'states shown',
    entriesOf('status'),
  ],
  [
    'WIN-6',
    'New input is refused 3,000 tokens below the limit when nothing can compact.',
    'src/agent/layers/blocking/blocking.ts',
    'measured',
    'inputs refused',
    notices('blocked'),
  ],
  [
    'WIN-7',
    'Compaction can be switched off whole, or for automatic ones alone.',
    'src/agent/layers/thresholds/thresholds.ts',
    'measured',
    'requests with automatic compaction switched off',
    where({ 'autoCompact.disabled': is(true) }, requests()),
  ],
  [
    'WIN-8',
    'The check comes before each call, so a response may overshoot; the report says by how much.',
    'src/agent/layers/auto-compact/history.ts',
    'recordings',
    'compactions that overshot',
    compactions(({ details }) => Number(details.overshoot) > 0),
  ],
  [
    'BRK-1',
    'After three failures in a row no more automatic attempts are made.',
    'src/agent/layers/auto-compact/history.ts',
    'measured',
    'breakers tripped',
    entriesOf('breaker', (entry) => entry.type === 'breaker' && entry.state === 'tripped'),
  ],
  [
    'BRK-2',
    'Forks and background requests never compact.',
    'src/agent/layers/auto-compact/may-compact.ts',
    'analysis',
    'background calls',
    requests(({ purpose }) => purpose !== 'main' && purpose !== 'subagent'),
  ],
  [
    'BRK-3',
    'A result at or above the threshold is refused, or reported as thrash.',
    'src/agent/layers/session-memory/compact.ts',
    'analysis',
    'results too large',
    (run) =>
      layers(
        'session-memory',
        'compact',
        ({ outcome, failure }) => outcome !== 'done' && failure !== null,
      )(run) + compactions(({ details }) => details.thrash === true)(run),
  ],
  [
    'BRK-4',
    'Each compaction logs its threshold, the turns since the last one and whether it is in a chain.',
    'src/agent/layers/auto-compact/history.ts',
    'analysis',
    'compactions that follow another',
    compactions(({ details }) => isSet(details.turnsSincePrevious)),
  ],
  [
    'BRK-5',
    'Without a breaker a summariser that fails is asked again on every turn.',
    'src/agent/layers/auto-compact/auto-compact.ts',
    'analysis',
    'attempts beyond the third failure',
    beyondThree,
  ],
]);
