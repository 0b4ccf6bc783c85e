import { setTimeout as delay } from 'node:timers/promises';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import type { WhyPageData } from '../../../report/page-data/why-page-data.js';
import { fileState } from '../../../transcripts/files/disk-file.js';
import { filesOfSession } from '../../../transcripts/files/transcripts.js';
import { reasonLine } from '../../fail.js';
import { inputOptions } from '../../files/input-options.js';
import { type CliSession, EXIT, type ExitCode, note, silent, withoutAnswer } from '../../session.js';
import { createLivePage } from '../serve/live-page.js';
import { listenLocally } from '../serve/local-server.js';
import { whyHtml } from './why-page-data.js';

/** Files are looked at this often, and at most a tenth of the time. */
const LOOK_EVERY_MS = 1_000;
const LOOK_SHARE = 10;

/** What is watched. */
interface Watched {
  /** Explains everything and writes the page. */
  answer(session: CliSession, onPage: (data: WhyPageData) => void): Promise<ExitCode>;
  /** The sessions that it is about. */
  find(session: CliSession): Promise<readonly string[]>;
}

/** The state of all files of sessions, as one text. */
function stateOf(session: CliSession, sessions: readonly string[]): string {
  const options = inputOptions(session);
  const states = sessions.map((file) => {
    try {
      const files = filesOfSession(file, options) ?? [];
      return [file, ...files.flatMap((each) => [each.name, ...Object.values(fileState(each))])];
    } catch (error) {
      // It may be back the next time.
      if (error instanceof CcbenchError) return [file];
      throw error;
    }
  });
  return JSON.stringify(states);
}

/** `ccbench why --watch`: answers once, then makes the page again whenever a session has changed, until the user wants to stop. */
export async function watchWhy(session: CliSession, { answer, find }: Watched): Promise<ExitCode> {
  const { host } = session;
  const { interrupt } = host;
  const still = withoutAnswer(silent(session)); // the first answer has said it
  let latest: WhyPageData | null = null;
  let problem = '';
  const take = (data: WhyPageData): void => {
    latest = data;
  };
  const look = async (): Promise<{ readonly state: string; readonly count: number }> => {
    const sessions = await find(still);
    return { state: stateOf(session, sessions), count: sessions.length };
  };
  let { state, count } = await look();
  await answer(session, take);
  const page = createLivePage((events) => (latest === null ? '' : whyHtml(latest, events)));
  const server = await listenLocally(
    async (input, init) =>
      page.answer(String(input), new Headers(init?.headers)) ?? new Response('', { status: 404 }),
    0,
  );
  note(session, `watching ${formatCounted(count, 'session')}: page ${server.url}/ccbench; Ctrl-C ends`);
  let waitMs = LOOK_EVERY_MS;
  try {
    while (!interrupt.aborted) {
      await delay(waitMs, undefined, { signal: interrupt });
      const startMs = host.now();
      try {
        const now = await look();
        waitMs = Math.max(LOOK_EVERY_MS, LOOK_SHARE * (host.now() - startMs));
        if (now.state === state) continue;
        ({ state, count } = now);
        await answer(still, take);
        page.changed();
        problem = '';
      } catch (error) {
        if (!(error instanceof CcbenchError) || error.code === 'internal') throw error;
        const line = reasonLine(error);
        if (line !== problem) note(session, line);
        problem = line;
      }
    }
  } catch (error) {
    // The page of the last answer is in its place: the user ended the watch, and no work was interrupted.
    if (!interrupt.aborted) throw error;
  } finally {
    page.close();
    await server.close();
  }
  return EXIT.fine;
}
