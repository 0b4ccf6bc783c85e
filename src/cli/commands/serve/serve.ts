import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../core/base/clock.js';
import { formatCounted } from '../../../core/base/format.js';
import { createRandom } from '../../../core/base/random.js';
import { loadCounter } from '../../../core/tokens/counter.js';
import { createPromptCache } from '../../../provider/cache/prompt-cache.js';
import { createFakeApi } from '../../../provider/fake-api/fake-api.js';
import { createFaultPlan } from '../../../provider/fake-llm/faults.js';
import { priceTimes } from '../../../provider/prices/price-days.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { openFile } from '../../files/output.js';
import type { Host } from '../../host.js';
import { type CliSession, note, printJson } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';
import { asksForSummary } from './conversations.js';
import { Ledger } from './ledger.js';
import { listenLocally } from './local-server.js';
import { type ServeBehaviour, servePlan } from './serve-plan.js';
import { callLine, totalsText } from './serve-text.js';
import { TraceRecorder } from './trace-recorder.js';

/** The host's clock from now on: it cannot be moved, so whoever wants a later time waits for it, or for the stop. */
function createWallClock(host: Host, stop: AbortSignal): Clock {
  const zero = host.now();
  let latest = 0;
  const now = (): number => {
    latest = Math.max(latest, Math.round(host.now() - zero));
    return latest;
  };
  return {
    get now() {
      return now();
    },
    advanceTo(timeMs) {
      const leftMs = timeMs - now();
      if (leftMs > 0) return sleep(leftMs, undefined, { signal: stop });
    },
  };
}

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

/** Options of `ccbench serve`. */
export interface ServeOptions extends ServeBehaviour {
  readonly port: number;
  readonly countWith: string;
  readonly midStream?: boolean;
  readonly trace?: string;
}

/** Resolves when the user wants to stop. */
function stopped({ interrupt }: Host): Promise<void> {
  if (interrupt.aborted) return Promise.resolve();
  return new Promise((done) => interrupt.addEventListener('abort', () => done(), { once: true }));
}

/** `ccbench serve`: a stand-in for the Messages API that bills by the simulated cache. */
export async function serveCommand(session: CliSession, options: ServeOptions): Promise<ExitCode> {
  const { host } = session;
  const plan = servePlan(options, host.cwd);
  const counter = rememberCounts(await loadCounter(options.countWith));
  const traceFile = options.trace === undefined ? null : openFile(options.trace, host.cwd);
  const ledger = new Ledger(priceTimes({ startedAtMs: host.epochMs() }, session));
  const trace = new TraceRecorder();
  const screen = screenFor(host.stdout, session.colors);
  const { fade } = plan.cache;
  const api = createFakeApi({
    clock: createWallClock(host, host.interrupt),
    counter,
    cache:
      plan.cache.mode === 'off'
        ? null
        : createPromptCache({ fade: fade === 'client' ? 'off' : fade, seed: plan.seed }),
    faults: createFaultPlan(plan.llm.faults, createRandom(plan.seed)),
    strike: options.midStream === true ? 'mid-stream' : 'at-start',
    latencyScale: plan.llm.fake.latencyScale,
    ttlMs: plan.ttlMs,
    purposeOf: (request) => (asksForSummary(request) ? 'compact' : 'main'),
    onCall(call, answered) {
      const served = ledger.add(call, answered);
      if (answered !== null && traceFile !== null) trace.add(served.conversation!, call, answered);
      if (!session.json) host.stdout.write(`${callLine(served, screen)}\n`);
    },
  });
  try {
    const server = await listenLocally(api.fetch, options.port);
    const greeting = `listening at ${server.url}\npoint a client at it: ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=any; Ctrl-C ends`;
    if (session.json) note(session, greeting);
    else host.stdout.write(`${greeting}\n`);
    await stopped(host);
    await server.close();
    if (traceFile !== null && trace.requests > 0) {
      await traceFile.write(trace.text('serve'));
      traceFile.commit();
    }
  } finally {
    traceFile?.discard();
  }
  if (session.json) printJson(session, { totals: ledger.totals, calls: ledger.calls });
  else host.stdout.write(`\n${totalsText(ledger.totals)}`);
  if (options.trace !== undefined) {
    const what =
      trace.requests === 0
        ? 'no trace was written: there was no request to trace'
        : `${formatCounted(trace.requests, 'request')} traced in ${options.trace}`;
    note(session, what);
  }
  return EXIT.fine;
}
