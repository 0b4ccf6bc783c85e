import { resolve } from 'node:path';
import { containedFiles, repeatedCalls } from '../../../analysis/validate/contained.js';
import {
  condensed,
  type FidelityReport,
  fidelityReport,
  readSaved,
  traceHitRate,
  validateTraces,
  worseFigures,
} from '../../../analysis/validate/report.js';
import { type FileFidelity, validateTranscript } from '../../../analysis/validate/validate.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { recordedBill } from '../../../provider/prices/recorded-bill.js';
import type { Shard } from '../../../study/batches.js';
import { type InputOptions, readTextInput } from '../../../transcripts/files/read-input.js';
import { inputFormat, loadTranscript, parseTrace } from '../../../transcripts/files/transcripts.js';
import { callKeys } from '../../../transcripts/sessions/copy-keys.js';
import type { CommandOptions } from '../../commands.generated.js';
import { chosenSessions, USUAL_LAST } from '../../files/chosen-sessions.js';
import { eachFile, noteRepeated, shareOf } from '../../files/each-file.js';
import { inputOptions } from '../../files/input-options.js';
import { openFile } from '../../files/output.js';
import { sessionWords } from '../../files/session-words.js';
import { recordedCosts } from '../../runs/recorded-costs.js';
import { type CliSession, EXIT, type ExitCode, note } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present } from '../../terminal/present.js';
import { checkResults, openPart } from '../columns/session-tables.js';
import { FIDELITY_COLUMNS } from './fidelity-columns.js';
import { validateBlocks, validateConclusion } from './validate-document.js';

const VALIDATE_PAGE = 'validate.html';

type ValidateOptions = CommandOptions['validate'];

type Validated =
  | { readonly kind: 'recording'; readonly fidelity: FileFidelity; readonly bill: RecordedBill | null }
  | { readonly kind: 'trace'; readonly hitRate: number | null };

function validateFile(path: string, input: InputOptions, { worst, out }: ValidateOptions): Validated {
  const format = inputFormat(path, input);
  if (format === 'request-trace') return { kind: 'trace', hitRate: traceHitRate(parseTrace(path, input)) };
  const { transcript } = loadTranscript(path, input);
  if (!transcript.carries.includes('usage')) {
    throw new CcbenchError('not-supported', 'the recording does not show what was read from the cache', {
      hint: 'validate needs usage with cached tokens for each call',
      place: { file: path },
    });
  }
  return {
    kind: 'recording',
    fidelity: condensed(validateTranscript(transcript, path), worst, out === undefined ? 'worst' : 'all'),
    bill: recordedBill(transcript),
  };
}

/** `ccbench validate`: how far the simulator is from what was recorded. */
export async function validateCommand(
  session: CliSession,
  paths: readonly string[],
  options: ValidateOptions,
): Promise<ExitCode> {
  const { host } = session;
  const { cwd } = host;
  const saved =
    options.baseline === undefined
      ? null
      : readSaved(readTextInput(options.baseline, { cwd }), options.baseline);
  const output = options.save === undefined ? null : openFile(options.save, cwd);
  try {
    checkResults(session, 'fidelity', options);
    const named = { command: 'validate', paths, usualLast: USUAL_LAST };
    const chosen = await chosenSessions(session, named, options);
    const found = await shareOf(session, chosen, options.shard, callKeysOf(inputOptions(session)));
    const isEmpty = found.files.length === 0 && chosen.files.length > 0;
    const { used, skipped } = isEmpty
      ? { used: [], skipped: [] }
      : await eachFile(session, 'validating', found, (path) =>
          validateFile(path, inputOptions(session), options),
        );
    const rates = used.flatMap((item) => (item.kind === 'trace' ? [item.hitRate] : []));
    const all = used.flatMap((item) => (item.kind === 'recording' ? [item.fidelity] : []));
    const contained = containedFiles(all);
    const copies = new Set(contained.map(({ file }) => file));
    const isKept = ({ file }: FileFidelity): boolean => !copies.has(file);
    const fidelities = all.filter(isKept);
    const sharedCalls = repeatedCalls(fidelities);
    noteRepeated(session, sharedCalls, 'in each');
    const report = await runInterruptible(host.interrupt, () =>
      fidelityReport(fidelities, rates.length === 0 ? null : validateTraces(rates), options.worst),
    );
    const recorded = recordedCosts(
      used.flatMap((item) =>
        item.kind === 'recording' && isKept(item.fidelity)
          ? [{ name: item.fidelity.file, bill: item.bill }]
          : [],
      ),
    );
    noteLosses(session, fidelities);
    if (options.results !== undefined)
      await writeRows(resolve(cwd, options.results), options.shard, fidelities);
    const worse = saved === null ? [] : worseFigures(saved, report.total);
    const forward = options.forward === true ? 'sessions' : 'summary';
    present(session, {
      blocks: validateBlocks(fidelities, report, { recorded, forward }),
      closing: validateConclusion(fidelities, report, worse.length),
      json: {
        recorded,
        ...report,
        skipped,
        contained,
        sharedCalls,
        ...(options.results === undefined ? {} : { results: options.results }),
        ...(options.shard === undefined ? {} : { shard: options.shard }),
        ...(saved === null ? {} : { worse }),
      },
    });
    if (options.results !== undefined && !session.json) host.stdout.write(`results ${options.results}\n`);
    await output?.write(`${JSON.stringify({ total: report.total }, null, 2)}\n`);
    output?.commit();
    if (options.out !== undefined) await writeReport(session, fidelities, report.total, options.out, options);
    if (!session.json) {
      for (const { file, within, responses } of contained)
        note(
          session,
          `left out: ${file}, ${responses === 1 ? 'whose response is' : `all of whose ${responses} responses are`} in ${within} too`,
        );
      if (saved !== null && worse.length === 0)
        note(session, `no figure is worse than in ${options.baseline}`);
      for (const { figure, before, now } of worse)
        note(session, `worse than ${options.baseline}: ${figure} was ${before}, is ${now ?? 'missing'}`);
    }
    return worse.length > 0 ? EXIT.regression : EXIT.fine;
  } catch (error) {
    output?.discard();
    throw error;
  }
}

/** Says what is missing in the numbers, in the short form too. */
function noteLosses(session: CliSession, files: readonly FileFidelity[]): void {
  const counts = new Map<string, { times: number; sessions: number }>();
  for (const { what, count, isLoss } of files.flatMap(({ leftOut }) => leftOut)) {
    if (isLoss !== true) continue;
    const { times, sessions } = counts.get(what) ?? { times: 0, sessions: 0 };
    counts.set(what, { times: times + count, sessions: sessions + 1 });
  }
  for (const [what, { times, sessions }] of counts)
    note(session, `${what} (${formatCounted(times, 'time')} in ${formatCounted(sessions, 'session')})`);
}

/** The calls of a recording, by which copies are known; a request trace has none. */
const callKeysOf =
  (input: InputOptions) =>
  (file: string): readonly string[] =>
    inputFormat(file, input) === 'request-trace'
      ? []
      : callKeys(loadTranscript(file, input).transcript).map(({ key }) => key);

async function writeRows(
  folder: string,
  shard: Shard | undefined,
  fidelities: readonly FileFidelity[],
): Promise<void> {
  const part = await openPart(folder, 'fidelity', shard);
  try {
    for (const each of fidelities) part.add(FIDELITY_COLUMNS.map(({ of }) => of(each)));
    part.finish();
  } finally {
    part.discard();
  }
}

/** The page, with every session and every compared request against its record. */
async function writeReport(
  session: CliSession,
  files: readonly FileFidelity[],
  total: FidelityReport['total'],
  out: string,
  options: ValidateOptions,
): Promise<void> {
  const { writePage } = await import('../../terminal/report-pictures.js');
  const { validatePage } = await import('./validate-page.js');
  const words = sessionWords(
    files.map(({ file }) => ({ path: file, day: null })),
    session.host.cwd,
  );
  await writePage(session, out, VALIDATE_PAGE, validatePage(files, total, words), options);
}
