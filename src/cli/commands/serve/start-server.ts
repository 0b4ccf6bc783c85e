import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { compileScenario } from '../../../config/compile.js';
import { builtinContext } from '../../../config/context.js';
import { kindOfFile, placedProblems, readDocument, wrongKind } from '../../../config/files/document.js';
import { isRecording, readScenarioText } from '../../../config/files/scenario-text.js';
import { faultSchema } from '../../../config/schema/schema.js';
import type { Clock } from '../../../core/base/clock.js';
import { CcbenchError, formatPath, type Problem, ProblemList } from '../../../core/base/errors.js';
import { formatCount, formatCounted } from '../../../core/base/format.js';
import { copyNameTable } from '../../../core/base/own-value.js';
import { Recent } from '../../../core/base/queue.js';
import { createRandom } from '../../../core/base/random.js';
import { readBy } from '../../../core/base/schema-problems.js';
import { addUsage, NO_USAGE, type Usage } from '../../../core/model/usage.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import { loadCounter } from '../../../core/tokens/counter.js';
import { createProviderCache } from '../../../provider/cache/prefix-cache.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../../provider/cache/ttl.js';
import {
  type AnsweredCall,
  type ApiCall,
  createFakeApi,
  type FetchLike,
} from '../../../provider/fake-api/fake-api.js';
import { createGeminiApi } from '../../../provider/fake-api/gemini/gemini-api.js';
import { createMessagesApi } from '../../../provider/fake-api/messages/messages-api.js';
import { createChatApi } from '../../../provider/fake-api/openai/chat-api.js';
import { createResponsesApi } from '../../../provider/fake-api/openai/responses-api.js';
import { createFaultPlan } from '../../../provider/fake-llm/faults.js';
import { priceTimes } from '../../../provider/prices/price.js';
import { readScript } from '../../../provider/script/read-script.js';
import { recordedScript, type Script } from '../../../provider/script/script.js';
import { createScriptSource } from '../../../provider/script/script-source.js';
import { readTextInput } from '../../../transcripts/files/read-input.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import type { CommandOptions } from '../../commands.generated.js';
import { inputOptions } from '../../files/input-options.js';
import { openGrowing } from '../../files/output.js';
import type { Host } from '../../host.js';
import { type CliSession, note, warnUnwritten } from '../../session.js';
import { Ledger, MOST_CALLS, type ServedCall } from './ledger.js';
import type { LivePage } from './live-page.js';
import { listenLocally } from './local-server.js';
import { RecordingLines, type ServedAnswer } from './recording.js';
import { createUpstream, readUpstream, type SimulatedCall } from './upstream.js';

/** How a server behaves. */
interface ServePlan {
  /** Lifetime of every marker; null if the requests decide. */
  readonly ttlMs: number | null;
  readonly cache: RunPlan['cache'];
  readonly llm: RunPlan['llm'];
  readonly seed: number;
}

/** What holds where no scenario is given. */
const PLAIN = 'name: serve\ntranscript: { synthetic: { workload: bugfix, turns: 1 } }\npolicy: none\n';

/** `overloaded:every=5,retryAfterSeconds=1` as a fault of a scenario. */
function readFault(written: string): Readonly<Record<string, unknown>> {
  const place = { file: `--fault ${written}` };
  const [error, ...rest] = written.split(':');
  const fault = copyNameTable({ call: 'main', error });
  for (const part of rest.join(':').split(',')) {
    if (part === '') continue;
    const [key, value, ...more] = part.split('=');
    if (key === undefined || value === undefined || more.length > 0) {
      throw new CcbenchError('bad-value', `"${part}" is not a condition of a fault`, {
        hint: 'a fault is written error:key=value,key=value, such as overloaded:every=5 or rate_limited:nth=2,retryAfterSeconds=1',
        place,
      });
    }
    fault[key] = key === 'call' || Number.isNaN(Number(value)) ? value : Number(value);
  }
  const refuse = ({ code, message, hint }: Problem): never => {
    throw new CcbenchError(code, message, { place, ...(hint === null ? {} : { hint }) });
  };
  readBy(faultSchema, fault, refuse, { label: (path) => `\`${formatPath(path)}\`: ` });
  return fault;
}

/** Works out how a server behaves: as its options say, else as a scenario, else as the API. */
function servePlan(options: ServerOptions, cwd: string): ServePlan {
  const { scenario, latencyScale, seed, ttl } = options;
  const text = scenario === undefined ? PLAIN : readScenarioText(scenario, cwd);
  const faults = (options.fault ?? []).map(readFault);
  const set = [
    ...(faults.length === 0 ? [] : [`llm.faults=${JSON.stringify(faults)}`]),
    ...(latencyScale === undefined ? [] : [`llm.fake.latencyScale=${latencyScale}`]),
    ...(seed === undefined ? [] : [`seed=${seed}`]),
  ];
  const { runs } = compileScenario({ text, file: scenario ?? 'serve', set, runs: 'base' }, builtinContext);
  const { plan } = runs[0]!;
  return {
    ttlMs: ttl === undefined ? null : ttl === '1h' ? TTL_1H_MS : TTL_5M_MS,
    cache: plan.cache,
    llm: plan.llm,
    seed: plan.seed,
  };
}

/** Characters of texts whose counts are remembered; a conversation of a million tokens fits several times. */
const MOST_CHARS = 16_000_000;

/** Shorter texts are counted as fast as they are found again. */
const LEAST_CHARS = 200;

/** A counter that counts a text once: a conversation comes again whole with every request. */
function rememberCounts(counter: { count(text: string): number }): { count(text: string): number } {
  const known = new Recent<string, number>(MOST_CHARS);
  return {
    count(text) {
      if (text.length < LEAST_CHARS) return counter.count(text);
      let tokens = known.get(text);
      if (tokens !== undefined) return tokens;
      tokens = counter.count(text);
      known.set(text, tokens, text.length);
      return tokens;
    },
  };
}

/** Options of a server, for `serve` and `exec`. */
interface ServerOptions extends Omit<CommandOptions['serve'], 'port'> {
  /** Folder that the client works in, where it is known. */
  readonly folder?: string;
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  readonly ledger: Ledger;
  /** How often its script asked for what the client could not do. */
  readonly scriptProblems: number;
  /** Ends every connection and the recording. */
  close(): Promise<void>;
}

async function openPage(session: CliSession, file: string, hasBegun: () => boolean): Promise<LivePage> {
  const { createLivePage, recordingPage } = await import('./live-page.js');
  return createLivePage(recordingPage(session, file, hasBegun));
}

/** Starts the fake API at a port of this machine; `onCall` gets each call. */
export async function startServer(
  session: CliSession,
  port: number,
  options: ServerOptions,
  onCall: (call: ServedCall) => void,
): Promise<RunningServer> {
  const { host } = session;
  const plan = servePlan(options, host.cwd);
  const script = options.script === undefined ? null : openScript(session, options.script);
  const counter = rememberCounts(await loadCounter(options.countWith));
  const upstream = options.upstream === undefined ? null : readUpstream(options.upstream);
  const startedAtMs = host.epochMs();
  const ledger = new Ledger(priceTimes({ startedAtMs }, session));
  const recording = openRecording(session, options, startedAtMs);
  const page =
    recording === null || options.page !== true
      ? null
      : await openPage(session, options.record!, () => recording.requests > 0);
  const clock = createServerClock(host, options.clock);
  const { fade } = plan.cache;
  let scriptProblems = 0;
  const onProblem = (problem: string): void => {
    scriptProblems += 1;
    note(session, problem);
  };
  const source =
    script &&
    createScriptSource(script, {
      skip: (ms) => clock.skip(ms),
      onProblem,
      folder: options.folder ?? null,
    });
  const take = (
    call: ApiCall,
    answered: (ServedAnswer & Pick<AnsweredCall, 'outcome'>) | null,
    billed: Usage | null,
  ): void => {
    const served = ledger.add(call, answered, billed);
    recording?.add(served, answered);
    page?.changed();
    onCall(served);
  };
  /** Who waits for what the simulated API makes of a request that another one answers. */
  const waiting = new AsyncLocalStorage<(seen: SimulatedCall) => void>();
  const api = createFakeApi({
    clock,
    ...(source === null ? {} : { answer: source }),
    counter,
    cache:
      plan.cache.mode === 'off'
        ? null
        : createProviderCache(({ provider }) => provider, {
            fade: fade === 'client' ? 'off' : fade,
            seed: plan.seed,
          }),
    apis: [createResponsesApi(), createChatApi(), createGeminiApi(), createMessagesApi()],
    faults: upstream === null ? createFaultPlan(plan.llm.faults, createRandom(plan.seed), startedAtMs) : null,
    strike: options.midStream === true ? 'mid-stream' : 'at-start',
    // A request is simulated when its real answer begins: from then on the next one reads what it wrote.
    latencyScale: upstream === null ? plan.llm.fake.latencyScale : 0,
    ttlMs: plan.ttlMs,
    onCall(call, answered) {
      const resolve = waiting.getStore();
      if (resolve === undefined) take(call, answered, null);
      else resolve([call, answered]);
    },
  });
  const simulate = async (...request: Parameters<FetchLike>): Promise<SimulatedCall | null> => {
    const seen: SimulatedCall[] = [];
    const unused = waiting.run(
      (one) => void seen.push(one),
      () => api.fetch(...request),
    );
    await unused.then(({ body }) => body?.cancel()).catch(() => undefined);
    const last = seen.at(-1);
    if (last === undefined || last[0].usage === null) return last ?? null;
    // A compaction by the API is a call of its own, on the bill of the same request.
    const usage = seen.reduce((sum, [call]) => addUsage(sum, call.usage ?? NO_USAGE), NO_USAGE);
    return [{ ...last[0], usage }, last[1]];
  };
  const fetch =
    upstream === null
      ? api.fetch
      : createUpstream({ url: upstream, clock, refuse: api.fetch, simulate, onCall: take });
  const withPage: FetchLike = async (input, init) =>
    page?.answer(String(input), new Headers(init?.headers)) ?? fetch(input, init);
  const server = await listenLocally(page === null ? fetch : withPage, port).catch((error: unknown) => {
    recording?.close();
    throw error;
  });
  return {
    url: server.url,
    ledger,
    get scriptProblems() {
      return scriptProblems;
    },
    async close() {
      page?.close();
      await server.close();
      if (script !== null)
        note(
          session,
          `${source!.given} of ${formatCounted(script.steps.length, 'step')} of the script given`,
        );
      const { calls } = ledger.totals;
      if (session.json && calls > MOST_CALLS)
        note(
          session,
          `the latest ${formatCount(MOST_CALLS)} of ${formatCount(calls)} calls are listed; sums cover all, and --record keeps all`,
        );
      if (recording === null) return;
      recording.close();
      const { requests, isLost } = recording;
      if (isLost) return; // a warning has said so
      const what =
        requests === 0
          ? 'nothing was recorded: no request was answered'
          : `${formatCounted(requests, 'request')} recorded in ${options.record}`;
      note(session, what);
    },
  };
}

/** A recording that is being written. */
interface OpenRecording {
  readonly requests: number;
  /** It could not be written any more. */
  readonly isLost: boolean;
  add(served: ServedCall, answered: ServedAnswer | null): void;
  close(): void;
}

/** Opens the recording that is asked for. What cannot be written costs a warning, once, and no answer. */
function openRecording(
  session: CliSession,
  { record, keepText, countWith }: ServerOptions,
  startedAtMs: number,
): OpenRecording | null {
  if (record === undefined) return null;
  const file = openGrowing(record, session.host.cwd);
  const lines = new RecordingLines(keepText === true ? 'kept' : 'digests');
  let head = lines.header(startedAtMs, countWith);
  let isLost = false;
  return {
    get requests() {
      return lines.requests;
    },
    get isLost() {
      return isLost;
    },
    add(served, answered) {
      if (isLost || (served.conversation === null && served.billed === null)) return;
      const line = answered === null ? lines.unread(served) : lines.line(served, answered);
      try {
        file.add(`${head}${line}`);
        head = '';
      } catch (error) {
        isLost = true;
        warnUnwritten(session, '--record', error);
      }
    },
    close: file.close,
  };
}

/** The clock of a server: real time from its start, or faster. */
interface ServerClock extends Clock {
  /** Lets simulated time pass at once. */
  skip(ms: number): void;
}

/**
 * A clock that goes `speed` times as fast as the host's. It cannot be moved by those who wait: they wait for their time, or for
 * the stop.
 */
function createServerClock(host: Host, speed: number): ServerClock {
  const zero = host.now();
  let skipped = 0;
  let latest = 0;
  const now = (): number => {
    latest = Math.max(latest, Math.round((host.now() - zero) * speed) + skipped);
    return latest;
  };
  return {
    get now() {
      return now();
    },
    advanceTo(timeMs) {
      const leftMs = (timeMs - now()) / speed;
      if (leftMs > 0) return sleep(leftMs, undefined, { signal: host.interrupt });
    },
    skip(ms) {
      skipped += ms;
    },
  };
}

/** Reads the text of a script; throws everything that is wrong with it, each with its place. @internal */
export function readScriptFile(text: string, file: string): Script {
  const { document, problems: found } = readDocument(text, file, 'script');
  const kind = kindOfFile(document?.value);
  if (kind !== null) throw wrongKind(file, `a ${kind}`, 'a script', 'a script has `steps:` (docs/serve.md)');
  const problems: CcbenchError[] = [...found];
  const script =
    document === null
      ? null
      : readScript(
          document.value,
          placedProblems(document, text, (error) => problems.push(error)),
        );
  if (script === null || problems.length > 0) throw new ProblemList('bad-scenario', file, problems);
  return script;
}

/** Opens what `--script` names: a script, or a recorded session whose answers are given again. */
function openScript(session: CliSession, file: string): Script {
  const { cwd } = session.host;
  if (!isRecording(file, cwd)) {
    const text = readTextInput(file, { cwd });
    if (/\.ya?ml$/i.test(file) || /^steps\s*:/m.test(text)) return readScriptFile(text, file);
    throw new CcbenchError('bad-input', 'this is neither a script nor a recording in a known format', {
      place: { file },
      hint: 'a script is YAML with `steps:` (docs/serve.md); docs/recordings.md has the recordings that are read',
    });
  }
  const script = recordedScript(loadTranscript(file, inputOptions(session)).transcript);
  if (script.steps.length > 0) return script;
  throw new CcbenchError('bad-input', `${file} holds no answer to replay`, {
    place: { file },
    hint: 'name a recording of a session with calls, or a script (docs/serve.md)',
  });
}
