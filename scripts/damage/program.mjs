/** What cases use of the program besides its command line; `load` imports a module of it. */
export async function openProgram(load) {
  const [
    { createFakeApi },
    { createPromptCache },
    { Ledger },
    { RecordingLines },
    { priceTimes },
    { servedReader },
  ] = await Promise.all(
    [
      'provider/fake-api/fake-api',
      'provider/cache/prompt-cache',
      'cli/commands/serve/ledger',
      'cli/commands/serve/recording',
      'provider/prices/price',
      'transcripts/readers/served',
    ].map(load),
  );
  const [{ batchMaker }, { JobRunner }, { withPlugins }, { CcbenchError }] = await Promise.all(
    ['cli/commands/fleet/fleet-worker', 'study/job-runner', 'cli/runs/with-plugins', 'core/base/errors'].map(
      load,
    ),
  );
  const silent = { isTerminal: false, columns: null, write() {} };
  const sessionIn = (cwd) => ({
    host: {
      cwd,
      env: {},
      stdout: silent,
      stderr: silent,
      interrupt: new AbortController().signal,
      now: () => performance.now(),
      epochMs: () => Date.parse('2026-11-17T12:00:00Z'),
    },
    debug: false,
    colors: 'never',
    json: true,
    cache: 'off',
  });
  return {
    isNamed: (error) => error instanceof CcbenchError && error.code !== 'internal',
    /** A server as `serve` puts it together, with a clock that stands still. */
    serve() {
      const ledger = new Ledger(priceTimes({ startedAtMs: Date.parse('2026-11-17T12:00:00Z') }, {}));
      const lines = new RecordingLines('kept');
      let recorded = lines.header(0, 'heuristic');
      const api = createFakeApi({
        clock: { now: 0, advanceTo() {} },
        counter: { count: (text) => Math.ceil(text.length / 4) },
        cache: createPromptCache({ fade: 'off', seed: 1 }),
        latencyScale: 0,
        onCall(call, answered) {
          const served = ledger.add(call, answered);
          if (answered !== null) recorded += lines.line(served, answered);
        },
      });
      const problem = () => {
        if (lines.requests > 0) servedReader.read(Buffer.from(recorded), { id: 'r.jsonl' });
        const totals = JSON.stringify(ledger.totals, (_, value) => (Number.isNaN(value) ? 'NaN' : value));
        return /NaN|-\d/.test(totals) ? `totals that are none: ${totals}` : null;
      };
      return { api, problem, recorded: () => recorded };
    },
    /** Does a job as a worker in a folder does that finds studies with `get`. */
    doJob(cwd, data, get) {
      const session = sessionIn(cwd);
      return withPlugins(session, [], {}, async (opened) => {
        const runner = new JobRunner({ workers: 0 });
        try {
          await batchMaker(
            session,
            { get },
            { lease: 30 },
            opened,
            runner,
          )({ data, updateProgress: async () => {} });
        } finally {
          await runner.close();
        }
      });
    },
  };
}
