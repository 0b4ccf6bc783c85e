import { explainSession } from '../../../analysis/why/session-why.js';
import { countOnce, sumUp } from '../../../analysis/why/sum-up.js';
import { homeFolder } from '../../../transcripts/files/home.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { type CliSession, inputOptions } from '../../session.js';
import { pageSession, whyHtml, whyPageData } from '../why/why-page-data.js';

const PAGE = '/ccbench';
/** Where open pages hear that something happened. */
export const EVENTS = '/ccbench/events';

/** Open pages load again at most this often. */
const EVERY_MS = 1_000;

/** The hosts by which this machine is meant: another name may be a page elsewhere that wants to read this one. */
const OWN_HOST = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** A page that loads itself again when something happened. */
export interface LivePage {
  /** Tells open pages that something happened. */
  changed(): void;
  /** The answer to a request for the page; null for any other. */
  answer(url: string, headers: Headers): Response | null;
  close(): void;
}

const EMPTY = `<!doctype html><meta charset="utf-8"><title>ccbench serve</title><p>No request was answered so far.</p>
<script>new EventSource('${EVENTS}').onmessage=()=>location.reload()</script>
`;

function pageOf(session: CliSession, file: string): string {
  const { transcript } = loadTranscript(file, { ...inputOptions(session), cache: 'off' });
  const why = explainSession(transcript, { file, project: 'ccbench serve' });
  if (!('bill' in why)) return EMPTY;
  const counted = [why];
  const notes = { home: homeFolder(session.host.env), notes: [] };
  return whyHtml(whyPageData(sumUp(counted, []), countOnce(counted).map(pageSession), notes), EVENTS);
}

/** The page of a recording as `why` makes it; `hasBegun` says whether anything is in it. */
export function recordingPage(session: CliSession, file: string, hasBegun: () => boolean): () => string {
  return () => (hasBegun() ? pageOf(session, file) : EMPTY);
}

/** Creates a page that is made when it is asked for. */
export function createLivePage(html: () => string): LivePage {
  const listeners = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const news = new TextEncoder().encode('data: changed\n\n');
  let timer: NodeJS.Timeout | null = null;
  const tell = (): void => {
    timer = null;
    for (const listener of listeners) listener.enqueue(news);
  };
  const events = (): Response => {
    let own: ReadableStreamDefaultController<Uint8Array> | null = null;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        listeners.add(controller);
        controller.enqueue(new TextEncoder().encode(': open\n\n'));
      },
      cancel() {
        if (own !== null) listeners.delete(own);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return {
    changed() {
      if (listeners.size > 0) timer ??= setTimeout(tell, EVERY_MS);
    },
    answer(url, headers) {
      const { pathname } = new URL(url);
      if ((pathname !== PAGE && pathname !== EVENTS) || !OWN_HOST.test(headers.get('host') ?? ''))
        return null;
      if (pathname === EVENTS) return events();
      return new Response(html(), { headers: { 'content-type': 'text/html; charset=utf-8' } });
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const listener of listeners) listener.close();
    },
  };
}
