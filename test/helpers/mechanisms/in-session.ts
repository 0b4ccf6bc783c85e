import { ofType } from '../plan.js';
import {
  type ActedRun,
  amount,
  breaks,
  compactions,
  detailSum,
  layers,
  type Mechanism,
  mechanisms,
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
export const IN_SESSION: readonly Mechanism[] = mechanisms([
  [
    'STO-1',
    'A large tool result goes to a file and leaves a preview.',
    'src/agent/layers/storage/storage.ts',
    'measured',
    'results stored',
    detailSum('storage', 'ids', 'store'),
  ],
  [
    'STO-2',
    'The results of one message together are held to a budget, the largest go first.',
    'src/agent/layers/storage/storage.ts',
    'analysis',
    'results stored for the budget',
    detailSum('storage', 'forBudget', 'store'),
  ],
  [
    'STO-3',
    'A decision about a result holds in every later request and after a resume.',
    'src/agent/layers/storage/replacements.ts',
    'analysis',
    'decisions kept',
    detailSum('storage', 'ids', 'store'),
  ],
  [
    'STO-4',
    'A stored result can be read back whole.',
    'src/agent/layers/storage/storage.ts',
    'analysis',
    'files written with the whole result',
    detailSum('storage', 'ids', 'store'),
  ],
  [
    'MIC-1',
    'Above a warning level, old results are cleared until 40,000 tokens of them are left.',
    'src/agent/layers/microcompact/microcompact.ts',
    'recordings',
    'clearings',
    form('token'),
  ],
  [
    'MIC-2',
    'After an hour of silence all but the last results are cleared: the cache is gone anyway.',
    'src/agent/layers/microcompact/microcompact.ts',
    'analysis',
    'clearings',
    form('timeBased'),
  ],
  [
    'MIC-3',
    'While the cache is warm, results are deleted on the server and the prefix stays.',
    'src/agent/layers/microcompact/microcompact.ts',
    'analysis',
    'deletions',
    form('cached'),
  ],
  [
    'MIC-4',
    'The server clears results and calls by itself once a request is large (clear_tool_uses), and older thinking after a pause.',
    'src/agent/layers/microcompact/api-native.ts',
    'api',
    'times that clear_tool_uses was applied',
    layers('microcompact', null, ({ details }) => clearsToolUses(details.applied_edits)), // C43
  ],
  [
    'MIC-5',
    'Every clearing logs its tools, the totals before and after, and what it saved.',
    'src/agent/layers/microcompact/clear-results.ts',
    'analysis',
    'clearings that log both totals',
    layers(
      'microcompact',
      null,
      ({ details }) => details.clearableBefore !== undefined && details.clearableAfter !== undefined,
    ),
  ],
  [
    'SES-1',
    'Notes in ten sections are kept beside the session.',
    'src/core/model/notes.ts',
    'analysis',
    'notes written',
    layers('session-memory', 'extract', done),
  ],
  [
    'SES-2',
    'They are written at 10,000 tokens and then with growth and tool calls.',
    'src/agent/layers/session-memory/extract.ts',
    'analysis',
    'extractions',
    layers('session-memory', 'extract'),
  ],
  [
    'SES-3',
    'A fork writes them, one at a time, as edits of one file.',
    'src/agent/layers/session-memory/extract.ts',
    'analysis',
    'calls of the fork',
    requests(({ purpose }) => purpose === 'session_memory'),
  ],
  [
    'SES-4',
    'Sections and notes have limits; above them the next extraction condenses.',
    'src/agent/layers/session-memory/extract.ts',
    'analysis',
    'sections condensed',
    detailSum('session-memory', 'condensed', 'extract'),
  ],
  [
    'SES-5',
    'At the threshold the notes replace a summary, without a model call.',
    'src/agent/layers/session-memory/compact.ts',
    'analysis',
    'compactions from notes',
    fromNotes,
  ],
  [
    'SES-6',
    'A tail of 10,000 to 40,000 tokens with at least five messages is kept.',
    'src/agent/layers/session-memory/kept-tail.ts',
    'analysis',
    'messages kept',
    detailSum('session-memory', 'messagesKept', 'compact'),
  ],
  [
    'SES-7',
    'The cut never separates a call from its result, or the parts of a response.',
    'src/agent/layers/session-memory/kept-tail.ts',
    'analysis',
    'cuts made',
    fromNotes,
  ],
  [
    'SES-8',
    'A result that would trigger again at once, with the margin, is rejected.',
    'src/agent/layers/session-memory/compact.ts',
    'analysis',
    'results refused',
    layers('session-memory', 'compact', ({ outcome }) => outcome !== 'done'),
  ],
  [
    'SES-9',
    'Notes are cut for use, section by section, with a pointer to the whole file.',
    'src/agent/layers/session-memory/notes-file.ts',
    'analysis',
    'sections cut',
    detailSum('session-memory', 'sectionsCut', 'compact'),
  ],
  [
    'SES-10',
    'A cached summary can be put in place again without a call.',
    'src/agent/layers/session-memory/nested-cache.ts',
    'analysis',
    'compactions from the cached summary',
    layers(
      'session-memory',
      'compact',
      ({ details, outcome }) => outcome === 'done' && details.form === 'cached-summary',
    ),
  ],
  [
    'FUL-1',
    'A full compaction counts, asks hooks, summarises, restores and cleans up.',
    'src/agent/layers/rules/compact.ts',
    'analysis',
    'compactions by summary',
    compactions(done),
  ],
  [
    'FUL-2',
    'The summary has an analysis and nine sections.',
    'src/agent/layers/rules/prompt.ts',
    'analysis',
    'summaries',
    compactions(done),
  ],
  [
    'FUL-3',
    'The analysis is removed or relabelled, and the summary says that the session goes on.',
    'src/core/model/format-summary.ts',
    'measured',
    'summaries that entered the context',
    compactions(done),
  ],
  [
    'FUL-4',
    'A forked summariser shares the prefix of the session and pays for its instruction alone.',
    'src/agent/layers/rules/ask-summary.ts',
    'measured',
    'summaries by a fork',
    compactions((entry) => done(entry) && isForked(entry)),
  ],
  [
    'FUL-5',
    'While a summary is written, keep-alive signals are sent every 30 seconds.',
    'src/engine/requests/ask.ts',
    'analysis',
    'keep-alive signals',
    detailSum('full-compact', 'keepAlives'),
  ],
  [
    'FUL-6',
    'A summary request that is too long is cut, at most three times.',
    'src/agent/layers/rules/shrink-request.ts',
    'measured',
    'summary requests refused as too long',
    ({ entries }) =>
      ofType(entries, 'refused').filter(
        ({ purpose, message }) => purpose === 'compact' && message.includes('too long'),
      ).length,
  ],
  [
    'FUL-7',
    'A failed compaction has a name and leaves everything as it was.',
    'src/agent/layers/rules/ask-summary.ts',
    'measured',
    'compactions that failed',
    compactions(({ outcome }) => outcome === 'failed'),
  ],
  [
    'FUL-8',
    'Boundary, summary, kept messages, attachments and hook results follow in this order.',
    'src/agent/layers/rules/new-history.ts',
    'analysis',
    'histories put in place',
    compactions(done),
  ],
  [
    'FUL-9',
    'The boundary records trigger, tokens, messages and the segment that stays.',
    'src/agent/layers/rules/compact.ts',
    'recordings',
    'boundaries',
    compactions(done),
  ],
  [
    'FUL-10',
    'The user compacts by hand, with instructions.',
    'src/agent/layers/auto-compact/auto-compact.ts',
    'analysis',
    'manual compactions',
    compactions(({ trigger }) => trigger === 'manual'),
  ],
  [
    'FUL-11',
    'One side of a message is summarised, the other stays.',
    'src/agent/layers/rules/split-history.ts',
    'analysis',
    'partial compactions',
    compactions(({ details }) => amount(details.partial) > 0),
  ],
  [
    'FUL-12',
    'Each compaction logs what its call cost and whether the next turn compacts again.',
    'src/agent/layers/support/compaction-report.ts',
    'analysis',
    'compactions that log it',
    compactions(({ details }) => details.recompactsNextTurn !== undefined),
  ],
  [
    'RES-1',
    'The files used last are read again as they are now, within a budget.',
    'src/agent/layers/restore/restore.ts',
    'measured',
    'files restored',
    restored('restoredFiles', 'restoredReferences'),
  ],
  [
    'RES-2',
    'Invoked skills come back once each, within a budget.',
    'src/agent/layers/restore/restore.ts',
    'analysis',
    'skills restored',
    restored('restoredSkills'),
  ],
  [
    'RES-3',
    'Todo list, plan, background agents and announcements come back.',
    'src/agent/layers/restore/restore.ts',
    'analysis',
    'items restored',
    restored('restoredStanding'),
  ],
  [
    'RES-4',
    'The list of skills that was announced is not sent again (from 2.1.228 on it is).',
    'src/agent/layers/restore/restore.ts',
    'analysis',
    'compactions of sessions with such a list',
    listedSkills,
  ],
  [
    'CLN-1',
    'What was known about the old history is forgotten.',
    'src/engine/actions/apply.ts',
    'analysis',
    'histories cleaned up after',
    (run) => compactions(done)(run) + fromNotes(run),
  ],
  [
    'CLN-2',
    'A subagent that compacts leaves what the main thread knows alone.',
    'src/engine/actions/context-message.ts',
    'analysis',
    'compactions in subagents',
    ({ entries }) =>
      ofType(entries, 'layer').filter(
        ({ action, outcome, thread }) =>
          action === 'compact' && outcome === 'done' && thread !== 'main' && !thread.endsWith('/main'),
      ).length,
  ],
  [
    'CLN-3',
    'Cache reads after a compaction are not compared with those before it.',
    'src/provider/cache/break-detector.ts',
    'analysis',
    'announced breaks after a compaction',
    breaks(({ cause, expected }) => cause === 'compaction' && expected),
  ],
  [
    'REA-1',
    'A request refused as too long is compacted and sent again, once.',
    'src/agent/layers/auto-compact/auto-compact.ts',
    'measured',
    'reactive compactions',
    compactions(({ trigger }) => trigger === 'reactive'),
  ],
]);

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
