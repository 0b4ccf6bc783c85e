import { ofType } from '../plan.js';
import {
  type ActedRun,
  type Acting,
  amount,
  breaks,
  compactions,
  detailSum,
  layers,
  requests,
} from './mechanism.js';

const done = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'done';
const form = (name: string) => layers('microcompact', null, ({ details }) => details.form === name);
const fromNotes = layers('session-memory', 'compact', done);
const isForked = (entry: { readonly details: Readonly<Record<string, unknown>> }) =>
  entry.details.shape === 'fork';

/** Sums what compactions put back. */
function restored(...keys: readonly string[]) {
  return ({ entries }: ActedRun): number =>
    ofType(entries, 'layer')
      .filter(({ action }) => action === 'compact')
      .reduce((sum, { details }) => sum + keys.reduce((all, key) => all + amount(details[key]), 0), 0);
}

/** STO, MIC, SES, FUL, RES, CLN and REA: what happens to the context of a session. */
export const IN_SESSION: Acting = {
  'STO-1': detailSum('storage', 'ids', 'store'),
  'STO-2': detailSum('storage', 'forBudget', 'store'),
  'STO-3': detailSum('storage', 'ids', 'store'),
  'STO-4': detailSum('storage', 'ids', 'store'),
  'MIC-1': form('token'),
  'MIC-2': form('timeBased'),
  'MIC-3': form('cached'),
  // C43
  'MIC-4': layers('microcompact', null, ({ details }) => clearsToolUses(details.applied_edits)),
  'MIC-5': layers(
    'microcompact',
    null,
    ({ details }) => details.clearableBefore !== undefined && details.clearableAfter !== undefined,
  ),
  'SES-1': layers('session-memory', 'extract', done),
  'SES-2': layers('session-memory', 'extract'),
  'SES-3': requests(({ purpose }) => purpose === 'session_memory'),
  'SES-4': detailSum('session-memory', 'condensed', 'extract'),
  'SES-5': fromNotes,
  'SES-6': detailSum('session-memory', 'messagesKept', 'compact'),
  'SES-7': fromNotes,
  'SES-8': layers('session-memory', 'compact', ({ outcome }) => outcome !== 'done'),
  'SES-9': detailSum('session-memory', 'sectionsCut', 'compact'),
  'SES-10': layers(
    'session-memory',
    'compact',
    ({ details, outcome }) => outcome === 'done' && details.form === 'cached-summary',
  ),
  'FUL-1': compactions(done),
  'FUL-2': compactions(done),
  'FUL-3': compactions(done),
  'FUL-4': compactions((entry) => done(entry) && isForked(entry)),
  'FUL-5': detailSum('full-compact', 'keepAlives'),
  'FUL-6': ({ entries }) =>
    ofType(entries, 'refused').filter(
      ({ purpose, message }) => purpose === 'compact' && message.includes('too long'),
    ).length,
  'FUL-7': compactions(({ outcome }) => outcome === 'failed'),
  'FUL-8': compactions(done),
  'FUL-9': compactions(done),
  'FUL-10': compactions(({ trigger }) => trigger === 'manual'),
  'FUL-11': compactions(({ details }) => amount(details.partial) > 0),
  'FUL-12': compactions(({ details }) => details.recompactsNextTurn !== undefined),
  'RES-1': restored('restoredFiles', 'restoredReferences'),
  'RES-2': restored('restoredSkills'),
  'RES-3': restored('restoredStanding'),
  'RES-4': listedSkills,
  'CLN-1': (run) => compactions(done)(run) + fromNotes(run),
  'CLN-2': ({ entries }) =>
    ofType(entries, 'layer').filter(
      ({ action, outcome, thread }) =>
        action === 'compact' && outcome === 'done' && thread !== 'main' && !thread.endsWith('/main'),
    ).length,
  'CLN-3': breaks(({ cause, expected }) => cause === 'compaction' && expected),
  'REA-1': compactions(({ trigger }) => trigger === 'reactive'),
};

function listedSkills(run: ActedRun): number {
  const isListed = run.transcript.threads.some(({ steps }) =>
    steps.some(
      (step) =>
        step.kind === 'message' &&
        step.message.blocks.some(({ facts }) => facts.attachment === 'skill_listing'),
    ),
  );
  return isListed ? compactions(done)(run) : 0;
}

/** Whether one of the edits that the server reports clears tool uses. */
function clearsToolUses(edits: unknown): boolean {
  return Array.isArray(edits) && edits.some(({ type }) => type === 'clear_tool_uses_20250919');
}
