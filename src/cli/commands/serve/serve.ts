import { EXIT, type ExitCode } from '../../exit-codes.js';
import type { Host } from '../../host.js';
import { type CliSession, note, printJson } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';
import { callLine, totalsText } from './serve-text.js';
import { type ServerOptions, startServer } from './start-server.js';

/** Options of `ccbench serve`. */
export interface ServeOptions extends ServerOptions {
  readonly port: number;
}

/** Resolves when the user wants to stop. */
function stopped({ interrupt }: Host): Promise<void> {
  if (interrupt.aborted) return Promise.resolve();
  return new Promise((done) => interrupt.addEventListener('abort', () => done(), { once: true }));
}

/** `ccbench serve`: a stand-in for the Messages API that bills by the simulated cache. */
export async function serveCommand(session: CliSession, options: ServeOptions): Promise<ExitCode> {
  const { host, json } = session;
  const screen = screenFor(host.stdout, session.colors);
  const server = await startServer(session, options.port, options, (call) => {
    if (!json) host.stdout.write(`${callLine(call, screen)}\n`);
  });
  const key = options.upstream === undefined ? ' ANTHROPIC_API_KEY=any' : ', with its own key';
  const greeting = `listening at ${server.url}\npoint a client at it: ANTHROPIC_BASE_URL=${server.url}${key}; Ctrl-C ends\nothers: OPENAI_BASE_URL=${server.url}/v1 or GOOGLE_GEMINI_BASE_URL=${server.url}`;
  if (options.page === true) note(session, `page ${server.url}/ccbench, which follows along`);
  if (json) note(session, greeting);
  else host.stdout.write(`${greeting}\n`);
  await stopped(host);
  await server.close();
  const { totals, calls } = server.ledger;
  if (json) printJson(session, { totals, calls });
  else host.stdout.write(`\n${totalsText(totals)}`);
  return EXIT.fine;
}
