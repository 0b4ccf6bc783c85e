import type { Breakdown } from '../../../src/core/tokens/breakdown.js';
import { ofType } from '../plan.js';
import {
  type ActedRun,
  type Acting,
  compactions,
  entriesOf,
  is,
  layers,
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
export const COUNTING: Acting = {
  'TOK-1': where({ 'counter.newContent': addsEstimate }, counted),
  'TOK-2': where(
    { 'counter.newContent': addsEstimate },
    messages(({ origin }) => origin === 'tool'),
  ),
  'TOK-3': where({ 'counter.newContent': is('padded') }, counted),
  'TOK-4': counted,
  'TOK-5': where({ 'counter.newContent': addsEstimate }, counted),
  'TOK-6': messages(({ origin }) => origin === 'tool'),
  'TOK-7': entriesOf('breakdown'),
  'TOK-8': repeatedReads,
  'TOK-9': compactions(({ details }) => isSet(details.context)),
  'TOK-10': entriesOf('breakdown'),
  'WIN-1': entriesOf('thread', (entry) => entry.type === 'thread' && entry.window !== null),
  'WIN-2': where({ 'window.reserve': (value) => value !== 'none' }, counted),
  'WIN-3': compactions(({ trigger }) => trigger === 'auto'),
  'WIN-4': where(
    { 'window.percent': isSet },
    compactions(({ trigger }) => trigger === 'auto'),
  ),
  'WIN-5': entriesOf('status'),
  'WIN-6': notices('blocked'),
  'WIN-7': where({ 'autoCompact.disabled': is(true) }, requests()),
  'WIN-8': compactions(({ details }) => Number(details.overshoot) > 0),
  'BRK-1': entriesOf('breaker', (entry) => entry.type === 'breaker' && entry.state === 'tripped'),
  'BRK-2': requests(({ purpose }) => purpose !== 'main' && purpose !== 'subagent'),
  'BRK-3': (run) =>
    layers(
      'session-memory',
      'compact',
      ({ outcome, failure }) => outcome !== 'done' && failure !== null,
    )(run) + compactions(({ details }) => details.thrash === true)(run),
  'BRK-4': compactions(({ details }) => isSet(details.turnsSincePrevious)),
  'BRK-5': beyondThree,
};
