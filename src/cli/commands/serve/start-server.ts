import { formatCounted } from '../../../core/base/format.js';
import { createRandom } from '../../../core/base/random.js';
import { loadCounter } from '../../../core/tokens/counter.js';
import { createPromptCache } from '../../../provider/cache/prompt-cache.js';
import { createFakeApi } from '../../../provider/fake-api/fake-api.js';
import { createFaultPlan } from '../../../provider/fake-llm/faults.js';
import { priceTimes } from '../../../provider/prices/price-days.js';
import { createScriptSource } from '../../../provider/script/script-source.js';
import { openFile } from '../../files/output.js';
import { type CliSession, note } from '../../session.js';
import { Ledger, type ServedCall } from './ledger.js';
import { listenLocally } from './local-server.js';
import { openScript } from './open-script.js';
import { type ServeBehaviour, servePlan } from './serve-plan.js';
import { createServerClock } from './server-clock.js';
import { TraceRecorder } from './trace-recorder.js';

/** Characters of texts that are remembered; a conversation of a million tokens fits several times. */
const MOST_CHARS = 32_000_000;

/** A counter that counts a text once: a conversation comes again whole with every request. */
function rememberCounts(counter: { count(text: string): number }): { count(text: string): number } {
  const known = new Map<string, number>();
  let chars = 0;
  return {
    count(text) {
      let tokens = known.get(text);
      if (tokens !== undefined) return tokens;
      tokens = counter.count(text);
      if (chars > MOST_CHARS) {
        known.clear();
        chars = 0;
      }
      chars += text.length;
      known.set(text, tokens);
      return tokens;
    },
  };
}

/** Options of a server, whoever starts it. */
export interface ServerOptions extends ServeBehaviour {
  readonly countWith: string;
  readonly midStream?: boolean;
  readonly trace?: string;
  /** What is answered: a script or a recorded session; placeholders where absent. */
  readonly script?: string;
  /** How many times faster than real time its clock goes. */
  readonly clock: number;
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  readonly ledger: Ledger;
  /** What its script asked for and the client could not do. */
  readonly scriptProblems: readonly string[];
  /** Ends every connection and writes what was to be recorded. */
  close(): Promise<void>;
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
  const traceFile = options.trace === undefined ? null : openFile(options.trace, host.cwd);
  const ledger = new Ledger(priceTimes({ startedAtMs: host.epochMs() }, session));
  const trace = new TraceRecorder();
  const { fade } = plan.cache;
  const clock = createServerClock(host, options.clock);
  const scriptProblems: string[] = [];
  const onProblem = (problem: string): void => {
    scriptProblems.push(problem);
    note(session, problem);
  };
  const source = script && createScriptSource(script, { skip: (ms) => clock.skip(ms), onProblem });
  const api = createFakeApi({
    clock,
    ...(source === null ? {} : { answer: source }),
    counter,
    cache:
      plan.cache.mode === 'off'
        ? null
        : createPromptCache({ fade: fade === 'client' ? 'off' : fade, seed: plan.seed }),
    faults: createFaultPlan(plan.llm.faults, createRandom(plan.seed)),
    strike: options.midStream === true ? 'mid-stream' : 'at-start',
    latencyScale: plan.llm.fake.latencyScale,
    ttlMs: plan.ttlMs,
    onCall(call, answered) {
      const served = ledger.add(call, answered);
      if (answered !== null && traceFile !== null) trace.add(served.conversation!, call, answered);
      onCall(served);
    },
  });
  const server = await listenLocally(api.fetch, port).catch((error: unknown) => {
    traceFile?.discard();
    throw error;
  });
  return {
    url: server.url,
    ledger,
    scriptProblems,
    async close() {
      await server.close();
      if (script !== null)
        note(
          session,
          `${source!.given} of ${formatCounted(script.steps.length, 'step')} of the script given`,
        );
      if (traceFile === null) return;
      try {
        if (trace.requests > 0) {
          await traceFile.write(trace.text('serve'));
          traceFile.commit();
        }
      } finally {
        traceFile.discard();
      }
      const what =
        trace.requests === 0
          ? 'no trace was written: there was no request to trace'
          : `${formatCounted(trace.requests, 'request')} traced in ${options.trace}`;
      note(session, what);
    },
  };
}
