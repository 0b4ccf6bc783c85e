import { join, resolve } from 'node:path';
import { limitRequests } from '../../../analysis/limits/limit-requests.js';
import { type LimitsReport, limitsOf } from '../../../analysis/limits/limits.js';
import { type Counted, countNew, countOnce } from '../../../analysis/why/count-once.js';
import { fixesOf } from '../../../analysis/why/fixes.js';
import type { Uncounted } from '../../../analysis/why/session-why.js';
import { splitAt } from '../../../analysis/why/split.js';
import { type SummedSession, sumSessions, type WhyReport } from '../../../analysis/why/sum-up.js';
import { trendOf } from '../../../analysis/why/trend.js';
import { readModelTable } from '../../../config/files/model-table.js';
import { DigestSet } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { PlannedModel } from '../../../core/run/run-plan.js';
import { withoutTariffs } from '../../../provider/prices/model-book.js';
import { modelsOf } from '../../../provider/prices/models.js';
import type { Block } from '../../../report/document/document.js';
import type { WhyPageData } from '../../../report/page-data/why-page-data.js';
import { billNotes, type NotedBill, notedBill } from '../../../report/text/as-recorded.js';
import type { Shard } from '../../../study/batches.js';
import { homeFolder } from '../../../transcripts/files/home.js';
import { inputId, readTextInput, STDIN } from '../../../transcripts/files/read-input.js';
import type { CommandOptions } from '../../commands.generated.js';
import { checkChoice, chosenSessions, dayMs } from '../../files/chosen-sessions.js';
import { allFiles, shareOf, withoutCopies } from '../../files/each-file.js';
import { inputOptions } from '../../files/input-options.js';
import { openReport, openSoftly, type ReportFolder } from '../../files/output.js';
import { mergeWarnings, noteWarnings, readingRemarks } from '../../files/reading-notes.js';
import type { GivenPrice } from '../../option-values.js';
import { type CliSession, EXIT, type ExitCode, silent } from '../../session.js';
import { yieldToEventLoop } from '../../terminal/interrupt.js';
import { present, tellWritten } from '../../terminal/present.js';
import { checkResults, openPart } from '../columns/session-tables.js';
import { type CountedFile, type ExplainedFile, Explainer } from './explain-files.js';
import { fixBlocks } from './fix-document.js';
import { parseReading, updateReadings } from './limit-readings.js';
import { limitsBlocks } from './limits-document.js';
import { splitBlocks, trendBlocks } from './trend-document.js';
import { whyBlocks, whyConclusion } from './why-document.js';
import type { PageSession } from './why-page-data.js';
import { REQUEST_COLUMNS, SESSION_COLUMNS } from './why-results.js';
import { shareBlocks, sharedWhy, withoutModels } from './why-share.js';

const WHY_PAGE = 'why.html';

type WhyOptions = CommandOptions['why'];

/** What is asked for, as it is used. */
interface Asked extends WhyOptions {
  /** Models with the prices that are given; absent without any. */
  readonly models?: readonly PlannedModel[];
  /** Hears what the page shows. */
  onPage?(data: WhyPageData): void;
}

/** What is asked for instead of the usual answer: one at a time, but for what goes over time. */
function viewsOf({ share, limits, fix, trend, split, results, shard }: WhyOptions): readonly string[] {
  const views = [
    ...(results === undefined ? (shard === undefined ? [] : ['--shard']) : ['--results']),
    ...(share === true ? ['--share'] : []),
    ...(limits === true ? ['--limits'] : []),
    ...(fix === true ? ['--fix'] : []),
    ...(trend === true || split !== undefined ? [split === undefined ? '--trend' : '--split'] : []),
  ];
  // `--share --limits` has always been `--share`.
  if (views.length < 2 || (views.length === 2 && views[1] === '--limits')) return views;
  throw new CcbenchError('bad-usage', `${views.join(' and ')} cannot be shown together`, {
    hint: `leave out ${views.slice(1).join(' and ')}`,
  });
}

/** Refuses what cannot continue: other views and no page, one answer for programs, and what is read once. */
function checkWatch(session: CliSession, paths: readonly string[], options: WhyOptions): void {
  const against = [
    ...viewsOf(options),
    ...(session.json ? ['--json'] : []),
    ...(options.files ? [] : ['--no-files']),
    ...(paths.includes(STDIN) ? [STDIN] : []),
  ];
  if (against.length === 0) return;
  throw new CcbenchError(
    'bad-usage',
    `--watch keeps a page up to date and cannot be combined with ${against[0]}`,
    {
      hint: `leave out --watch or ${against[0]}`,
    },
  );
}

/** `ccbench why`: where the money went, and what would have been cheaper. */
export async function whyCommand(
  session: CliSession,
  paths: readonly string[],
  options: WhyOptions,
): Promise<ExitCode> {
  if (options.watch !== true) return answer(session, paths, options);
  checkWatch(session, paths, options);
  const { watchWhy } = await import('./watch.js');
  return watchWhy(session, {
    answer: (own, onPage) => answer(own, paths, { ...options, onPage }),
    find: async (own) => (await chosenSessions(own, { command: 'why', paths }, options)).files,
  });
}

async function answer(
  session: CliSession,
  paths: readonly string[],
  options: WhyOptions & Pick<Asked, 'onPage'>,
): Promise<ExitCode> {
  checkChoice(options);
  checkResults(session, 'sessions', options);
  if (options.split !== undefined) dayMs('--split', options.split);
  for (const written of options.observed || []) parseReading(written);
  const views = viewsOf(options);
  const writes = options.files && views.length === 0;
  const folder = writes
    ? openSoftly(session, '--out', () => openReport(options.out, 'why', session.host.cwd))
    : null;
  const models = givenModels(session, options);
  const explained = { ...options, ...(models === null ? {} : { models }) };
  try {
    if (options.share === true) return await shareWhy(session, paths, explained);
    return await why(session, paths, explained, folder);
  } finally {
    folder?.discard();
  }
}

/** The same to share: notes on single sessions name their files, so they are left out. */
async function shareWhy(session: CliSession, paths: readonly string[], options: Asked): Promise<ExitCode> {
  try {
    return await why(silent(session), paths, options, null);
  } catch (error) {
    if (!(error instanceof CcbenchError) || error.code === 'internal') throw error;
    throw new CcbenchError(error.code, 'no session could be explained', {
      hint: 'ccbench why without --share names them and says why',
    });
  }
}

async function why(
  session: CliSession,
  paths: readonly string[],
  options: Asked,
  folder: ReportFolder | null,
): Promise<ExitCode> {
  const explainer = new Explainer(session, {
    ...(options.models === undefined ? {} : { models: options.models }),
    ...(options.limits === true ? { changedUsage: 'kept' } : {}),
  });
  const { isKnown } = explainer;
  const { results, shard } = options;
  const chosen = await chosenSessions(session, { command: 'why', paths, isKnown }, options);
  const found = await shareOf(session, chosen, shard, explainer.callKeys);
  const isEmpty = found.files.length === 0 && chosen.files.length > 0;
  const { used, skipped } = isEmpty
    ? { used: [], skipped: [] }
    : await allFiles(session, 'explaining', found, explainer.all);
  const { kept, copies } = withoutCopies(session, used, 'once');
  const uncounted = kept.flatMap((each) => each.uncounted ?? []);
  const explained = kept.filter((each) => each.uncounted === null);
  // A share may hold nothing that counts: the others continue.
  if (explained.length === 0 && shard === undefined) throw nothingCounted(uncounted);
  const by = options.share === true ? 'kind' : options.fix === true ? 'instructions' : options.by;
  const seen = new DigestSet();
  const counted = explained.map((each) => each.counted(seen, by));
  const bills: NotedBill[] = [];
  const shownSessions: PageSession[] = [];
  function* summed(): Generator<SummedSession, void, void> {
    for (const { file, drawn, summed: read } of counted) {
      const session = read();
      const { noted, requests, spent } = session.sums;
      bills.push(notedBill(options.share === true ? withoutModels(noted) : noted));
      if (folder !== null) shownSessions.push({ file, sums: { requests, spent }, drawn });
      yield session;
    }
  }
  const report = sumSessions(summed(), [...uncounted, ...copies]);
  // Another share may have the model.
  if (shard === undefined)
    refuseUnused(
      options.price ?? [],
      options.models ?? [],
      report.byModel.map(({ name }) => name),
    );
  const home = homeFolder(session.host.env);
  const once = (): readonly Counted[] => countOnce(explained.map((each) => each.session()));
  const notes = billNotes(bills);
  const read = kept.map(({ file, warnings }) => ({ label: file, warnings }));
  noteWarnings(session, read);
  if (options.share === true) {
    const shared = sharedWhy(report, notes);
    present(session, {
      blocks: shareBlocks(shared),
      closing: null,
      json: { ...shared, skipped: skipped.length },
    });
    return EXIT.fine;
  }
  const asked = await askedBlocks(session, counted, once, report, options);
  if (asked !== null) {
    const { blocks, json } = asked;
    const rest = { notes, warnings: mergeWarnings(read), skipped, page: null };
    present(session, { blocks, closing: null, json: { ...report, ...json, ...rest } });
    return EXIT.fine;
  }
  const shown = { home, by, notes: [...notes, ...readingRemarks(read, inputId)] };
  const page = folder === null ? null : join(folder.shown, WHY_PAGE);
  if (results !== undefined) {
    const { cwd, interrupt } = session.host;
    await writeParts(resolve(cwd, results), shard, { explained, counted }, interrupt);
  }
  const hasAnswer = explained.length > 0 || session.json;
  if (hasAnswer)
    present(session, {
      blocks: whyBlocks(report, { top: options.top, by, home, notes }),
      closing: whyConclusion(report),
      json: {
        ...report,
        notes,
        warnings: mergeWarnings(read),
        skipped,
        page,
        ...(shard === undefined ? {} : { shard }),
        ...(results === undefined ? {} : { results }),
      },
    });
  if (results !== undefined && !session.json) session.host.stdout.write(`results ${results}\n`);
  if (folder === null) return EXIT.fine;
  const { whyHtml, whyPageData } = await import('./why-page-data.js');
  const data = whyPageData(report, shownSessions, shown);
  options.onPage?.(data);
  await folder.write('', WHY_PAGE, whyHtml(data));
  if (await folder.commit()) tellWritten(session, page!);
  return EXIT.fine;
}

/** Where the limits of the plan went, what is to be changed, or what sessions cost over time; null if none of these is asked for. */
async function askedBlocks(
  session: CliSession,
  counted: readonly CountedFile[],
  once: () => readonly Counted[],
  report: WhyReport,
  { limits, observed, fix, trend, split, top }: Asked,
): Promise<{ readonly blocks: readonly Block[]; readonly json: object } | null> {
  if (limits === true) {
    const found = await explainLimits(session, once(), observed);
    return { blocks: limitsBlocks(found), json: { limits: found } };
  }
  if (fix === true) {
    const home = homeFolder(session.host.env);
    const sessions = counted.map((each) => {
      const { agent, version, changes } = each.summed();
      return { agent, version, changes };
    });
    const fixes = fixesOf(sessions, report);
    return { blocks: fixBlocks(fixes, report, { top, home }), json: fixes };
  }
  if (trend !== true && split === undefined) return null;
  const all = once();
  const overTime = trend === true ? trendOf(all) : null;
  const splitReport = split === undefined ? null : splitAt(all, split, dayMs('--split', split));
  return {
    blocks: [
      ...(overTime === null ? [] : trendBlocks(overTime)),
      ...(splitReport === null ? [] : ['', ...splitBlocks(splitReport)]),
    ],
    json: {
      ...(overTime === null ? {} : { trend: overTime }),
      ...(splitReport === null ? {} : { split: splitReport }),
    },
  };
}

/** Where the limits of the plan went, with the readings of its meters. */
async function explainLimits(
  session: CliSession,
  once: readonly Counted[],
  observed: WhyOptions['observed'] = [],
): Promise<LimitsReport> {
  const given = observed === false ? [] : observed.map(parseReading);
  const { vendor } = limitRequests(once);
  const readings = observed === false || vendor === null ? [] : await updateReadings(session, vendor, given);
  const limits = limitsOf(once, readings);
  if (limits.vendor !== null) return limits;
  const [first] = limits.leftOut;
  throw new CcbenchError('bad-input', `no request belongs to a window: ${first?.what}: ${first?.why}`, {
    hint: 'a window needs sessions with times and models with a price',
  });
}

function nothingCounted(uncounted: readonly Uncounted[]): CcbenchError {
  const [first] = uncounted;
  const more = uncounted.length > 1 ? ` (and ${uncounted.length - 1} more)` : '';
  return new CcbenchError('bad-input', `no session has a recorded cost: ${first!.reason}${more}`, {
    place: { file: first!.file },
    hint: 'a session needs the usage of its responses and a model with a price; ccbench inspect shows what it has, --price model=in,out,read,write gives a price',
  });
}

/** The models whose prices a user gives, those of `--price` over those of the file; null without any. */
export function givenModels(
  session: CliSession,
  { price = [], prices }: Pick<WhyOptions, 'price' | 'prices'>,
): readonly PlannedModel[] | null {
  const table =
    prices === undefined ? [] : readModelTable(readTextInput(prices, inputOptions(session)), prices);
  const written = price.map(({ model, ...own }) => [model, { prices: own }] as const);
  const single = readModelTable(JSON.stringify(Object.fromEntries(written)), '--price');
  const ids = new Set(single.map(({ id }) => id));
  const all = [...table.filter(({ id }) => !ids.has(id)), ...single];
  return all.length === 0 ? null : all;
}

/** Refuses a price of a model that no request uses: the user expects an effect. */
export function refuseUnused(
  price: readonly GivenPrice[],
  models: readonly PlannedModel[],
  recorded: readonly string[],
): void {
  const book = modelsOf({ models });
  const known = new Set(recorded.map((name) => book.find(withoutTariffs(name))));
  const unused = price.find(({ model }) => !known.has(book.find(model)));
  if (unused === undefined) return;
  throw new CcbenchError('bad-usage', `--price ${unused.model}: no request is of this model`, {
    hint: `the sessions have ${[...recorded].sort().join(', ')}`,
  });
}

/** What is written into a results folder. */
interface WhyRows {
  readonly explained: readonly ExplainedFile[];
  /** The same, as the report counts them. */
  readonly counted: readonly CountedFile[];
}

/** Writes the rows of sessions one session at a time; a call that a session before holds is in that one alone. */
export async function writeParts(
  folder: string,
  shard: Shard | undefined,
  { explained, counted }: WhyRows,
  interrupt: AbortSignal,
): Promise<void> {
  const sessions = await openPart(folder, 'sessions', shard);
  const requests = await openPart(folder, 'requests', shard);
  try {
    const seen = new Set<string>();
    for (const [i, each] of explained.entries()) {
      await yieldToEventLoop(interrupt);
      const session = counted[i]!.summed();
      sessions.add(SESSION_COLUMNS.map(({ of }) => of(session)));
      for (const request of countNew(each.session(), seen).requests)
        requests.add(REQUEST_COLUMNS.map(({ of }) => of({ session, request })));
    }
    // Requests first: a session is in the folder with all of its requests.
    requests.finish();
    sessions.finish();
  } finally {
    requests.discard();
    sessions.discard();
  }
}
