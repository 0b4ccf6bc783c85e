import {
  LIFETIME_SECONDS,
  type LifetimeSession,
  lifetimeCosts,
  type PriceOf,
  type SessionCost,
  traceSession,
  transcriptSession,
} from '../../../analysis/lifetime/lifetime-curve.js';
import {
  conversationHitRates,
  type LifetimeReport,
  lifetimeChoice,
  lifetimeReport,
} from '../../../analysis/lifetime/lifetime-report.js';
import {
  RULE_SECONDS,
  type RuleCall,
  ruleCosts,
  sessionRuleCalls,
} from '../../../analysis/lifetime/rule-costs.js';
import { providerOfRecording } from '../../../analysis/validate/providers/predict-provider.js';
import { recordedRuleCalls } from '../../../analysis/validate/recorded-rule-calls.js';
import { formatCounted, printable } from '../../../core/base/format.js';
import { firstModel, type Transcript } from '../../../core/model/transcript.js';
import { isUnpriced, type RecordedBill } from '../../../core/run/recorded-bill.js';
import type { Warning } from '../../../core/run/warning.js';
import { recordedUsd } from '../../../metrics/metric.js';
import { findModel, modelOrUnknown } from '../../../provider/prices/models.js';
import { NEWEST, type PriceTimes, pricesFor, priceTimes } from '../../../provider/prices/price.js';
import { recordedBill } from '../../../provider/prices/recorded-bill.js';
import { warningJson } from '../../../report/tables/summary-json.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { InputOptions } from '../../../transcripts/files/read-input.js';
import { inputFormat, loadTranscript, parseTrace } from '../../../transcripts/files/transcripts.js';
import { transcriptFindings } from '../../../transcripts/lines/findings.js';
import { callKeys } from '../../../transcripts/sessions/copy-keys.js';
import type { CommandOptions } from '../../commands.generated.js';
import { chosenSessions } from '../../files/chosen-sessions.js';
import { eachFile, withoutCopies } from '../../files/each-file.js';
import { inputOptions } from '../../files/input-options.js';
import { noteWarnings } from '../../files/reading-notes.js';
import { dayOf, projectName, sessionWords } from '../../files/session-words.js';
import { type RecordedCosts, recordedCosts } from '../../runs/recorded-costs.js';
import { type CliSession, EXIT, type ExitCode, note } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present } from '../../terminal/present.js';
import { choosesLifetime, providerLifetimes } from './provider-lifetimes-document.js';
import { lifetimeConclusion, ttlBlocks } from './ttl-document.js';

type TtlOptions = CommandOptions['ttl'];

interface ReadSession {
  readonly file: string;
  readonly callKeys: ReadonlySet<string>;
  readonly provider: string;
  /** Its calls where the provider alone rules the cache; null if the client chooses a lifetime. */
  readonly ruled: readonly RuleCall[] | null;
  readonly priceOf: PriceOf;
  readonly session: LifetimeSession;
  /** Day of its first request; null if it does not say. */
  readonly day: string | null;
  /** What it cost where it was recorded; null if unknown. */
  readonly bill: RecordedBill | null;
  /** Both lifetimes by the client's behaviours; null if only the gaps between requests are known. */
  readonly choice: SessionCost | null;
  readonly warnings: readonly Warning[];
}

/** A model without a price, and how many calls are of it. */
interface UnknownModel {
  readonly model: string;
  readonly calls: number;
}

const TTL_PAGE = 'ttl.html';

/** The prices of a session's requests. */
function pricesBy(pricedAt: PriceTimes): PriceOf {
  return (model, promptTokens, startMs) => {
    const row = findModel(model);
    return row === null ? null : pricesFor(row, promptTokens, pricedAt(startMs));
  };
}

function readSession(path: string, input: InputOptions, mainOnly: boolean): ReadSession {
  if (inputFormat(path, input) === 'request-trace') {
    const trace = parseTrace(path, input);
    const traced = traceSession(trace, { mainOnly });
    const provider = providerOfModel(trace.models[0] ?? null);
    const { priceDay } = input;
    const pricedAt = priceTimes({ startedAtMs: null, ...(priceDay === undefined ? {} : { priceDay }) });
    const ruled = choosesLifetime(provider) ? null : sessionRuleCalls(traced, provider, pricedAt);
    return {
      file: path,
      callKeys: new Set(),
      provider,
      ruled,
      priceOf: pricesBy(pricedAt),
      session: traced,
      day: null,
      bill: null,
      choice: null,
      warnings: trace.warnings,
    };
  }
  const { transcript } = loadTranscript(path, input);
  const threads = transcript.threads.filter(({ parentId }) => parentId === null || !mainOnly);
  const part = { ...transcript, threads };
  const recorded = transcriptSession(transcript, { mainOnly });
  const bill = recordedBill(part);
  const pricedAt = priceTimes(transcript);
  const provider = providerOf(transcript);
  const isChosen = choosesLifetime(provider);
  const calls = () =>
    bill === null ? sessionRuleCalls(recorded, provider, pricedAt) : recordedRuleCalls(part, provider);
  return {
    file: path,
    callKeys: new Set(callKeys(transcript).map(({ key }) => key)),
    provider,
    ruled: isChosen ? null : calls(),
    priceOf: pricesBy(pricedAt),
    session: recorded,
    day: dayOf(transcript),
    bill,
    choice: isChosen ? lifetimeChoice(part) : null,
    warnings: transcriptFindings(transcript),
  };
}

function providerOfModel(model: string | null): string {
  return model === null ? 'anthropic' : modelOrUnknown(model).provider;
}

/** The provider of a recording; where nothing names it, the one that the name of its model speaks of. */
function providerOf(transcript: Transcript): string {
  const named = providerOfRecording(transcript);
  if (named !== 'anthropic') return named;
  return providerOfModel(transcript.threads.map(firstModel).find((model) => model !== null) ?? null);
}

/** The models without a price, with their calls. */
function unknownModels(used: readonly ReadSession[]): readonly UnknownModel[] {
  const calls = new Map<string, number>();
  for (const { bill, session } of used) {
    const own = bill === null ? session.threads.flatMap(({ models }) => models) : [];
    const unpriced = bill === null ? own.map((model) => [model, 1] as const) : Object.entries(bill.unpriced);
    for (const [model, count] of unpriced)
      if (findModel(model) === null) calls.set(model, (calls.get(model) ?? 0) + count);
  }
  return [...calls].sort(([a], [b]) => (a < b ? -1 : 1)).map(([model, count]) => ({ model, calls: count }));
}

/** `ccbench ttl`: the hit rate at every lifetime, and what lifetimes cost. */
export async function ttlCommand(
  session: CliSession,
  paths: readonly string[],
  options: TtlOptions,
): Promise<ExitCode> {
  const found = await chosenSessions(session, { command: 'ttl', paths }, options);
  const read = await eachFile(session, 'reading', found, (path) =>
    readSession(path, inputOptions(session), options.mainOnly === true),
  );
  const { kept: used, copies, sharedCalls } = withoutCopies(session, read.used, 'in each');
  const skipped = [...read.skipped, ...copies];
  const sessions = used.map((item) => item.session);
  const seconds =
    options.ttl === undefined ? LIFETIME_SECONDS : [...new Set(options.ttl)].sort((a, b) => a - b);
  const { costs, report } = await runInterruptible(session.host.interrupt, () => {
    const each = used.map(({ ruled, choice, session, priceOf }) =>
      ruled === null ? (choice ?? lifetimeCosts(session, priceOf)) : 'no-choice',
    );
    return {
      costs: each,
      report: lifetimeReport(
        sessions,
        seconds,
        pricesBy(() => NEWEST),
        each,
      ),
    };
  });
  const ruleSeconds = options.ttl === undefined ? RULE_SECONDS : seconds;
  const byProvider = providerLifetimes(
    used.flatMap(({ session: { id }, provider, ruled, bill }) =>
      ruled === null
        ? []
        : [
            {
              id,
              provider,
              recordedUsd: bill === null ? null : recordedUsd(bill),
              ...ruleCosts(ruled, ruleSeconds),
            },
          ],
    ),
  );
  const recordedOf = (items: readonly ReadSession[]): RecordedCosts | null =>
    recordedCosts(items.map((item) => ({ name: item.session.id, bill: item.bill })));
  const recorded = recordedOf(used);
  const hitRates = conversationHitRates(sessions);
  const warnings = used.flatMap((item) =>
    item.warnings.map((each) => ({ session: item.session.id, ...warningJson(each) })),
  );
  const unknown = unknownModels(used);
  const choosing = used.filter((_, i) => {
    const cost = costs[i]!;
    return cost !== 'no-choice' && !isUnpriced(cost);
  });
  const chosen = recordedOf(choosing);
  const conclusion = lifetimeConclusion(report, byProvider, chosen);
  const byTime = used.filter(({ bill }) => bill === null).length;
  const figures = { hitRates, recorded, chosen, byProvider, byTime };
  noteWarnings(
    session,
    used.map((item) => ({ label: item.session.id, warnings: item.warnings })),
  );
  present(session, {
    blocks: ttlBlocks(report, figures, options.perSession === true ? 'each' : 'total'),
    closing: conclusion,
    json: {
      recorded,
      ...report,
      byProvider,
      hitRatePerSession: hitRates,
      unknownModels: unknown,
      skipped,
      sharedCalls,
      warnings,
    },
  });
  if (options.out !== undefined)
    await writeChart(session, report, conclusion, { used, choosing }, options.out, options);
  if (session.json) return EXIT.fine;
  if (unknown.length > 0) {
    const names = unknown.map(({ model, calls }) => `${model} (${formatCounted(calls, 'call')})`);
    note(session, printable(`left out of the costs, without a price: ${names.join(', ')}`));
  }
  return EXIT.fine;
}

async function writeChart(
  session: CliSession,
  report: LifetimeReport,
  conclusion: Conclusion,
  { used, choosing }: Readonly<Record<'used' | 'choosing', readonly ReadSession[]>>,
  out: string,
  options: TtlOptions,
): Promise<void> {
  const { cwd } = session.host;
  const { writePage } = await import('../../terminal/report-pictures.js');
  const { ttlPage } = await import('./ttl-page.js');
  const words = sessionWords(
    used.map(({ file, day }) => ({ path: file, day })),
    cwd,
  );
  const about = choosing.map(({ file, day, bill }) => ({
    project: projectName(file, cwd),
    day,
    recordedUsd: bill === null ? null : recordedUsd(bill),
  }));
  await writePage(session, out, TTL_PAGE, ttlPage(report, conclusion, words, about), options);
}
