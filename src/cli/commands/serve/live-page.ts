import { countOnce } from '../../../analysis/why/count-once.js';
import { explainSession } from '../../../analysis/why/session-why.js';
import { sumUp } from '../../../analysis/why/sum-up.js';
import { homeFolder } from '../../../transcripts/files/home.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import { inputOptions } from '../../files/input-options.js';
import type { CliSession } from '../../session.js';
import { pageSession, whyHtml, whyPageData } from '../why/why-page-data.js';

const PAGE = '/ccbench';
/** Where open pages learn that something happened since they were made. */
const EVENTS = '/ccbench/events';

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

/** Makes a page that loads itself again on the events of an address. */
type MakePage = (events: string) => string;

const emptyPage: MakePage = (events) => `<!doctype html><meta charset="utf-8"><title>ccbench serve</title>
<p>No request has been answered yet.</p>
<script>new EventSource('${events}').onmessage=()=>location.reload()</script>
`;

function pageOf(session: CliSession, file: string, events: string): string {
  const { transcript } = loadTranscript(file, { ...inputOptions(session), cache: 'off' });
  const why = explainSession(transcript, { file, project: 'ccbench serve' });
  if (!('bill' in why)) return emptyPage(events);
  const counted = [why];
  const notes = { home: homeFolder(session.host.env), notes: [] };
  return whyHtml(whyPageData(sumUp(counted, []), countOnce(counted).map(pageSession), notes), events);
}

/** The page of a recording as `why` makes it; `hasBegun` says whether anything is in it. */
export function recordingPage(session: CliSession, file: string, hasBegun: () => boolean): MakePage {
  return (events) => (hasBegun() ? pageOf(session, file, events) : emptyPage(events));
}

/** Creates a page that is made when it is asked for. */
export function createLivePage(html: MakePage): LivePage {
  let changes = 0;
  const listeners = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const news = new TextEncoder().encode('data: changed\n\n');
  let timer: NodeJS.Timeout | null = null;
  const notify = (): void => {
    timer = null;
    for (const listener of listeners) listener.enqueue(news);
  };
  const events = (seen: string | null): Response => {
    let own: ReadableStreamDefaultController<Uint8Array> | null = null;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        own = controller;
        listeners.add(controller);
        // A page is made before it can listen: what happened in between is sent now.
        controller.enqueue(seen === `${changes}` ? new TextEncoder().encode(': open\n\n') : news);
      },
      cancel() {
        if (own !== null) listeners.delete(own);
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  return {
    changed() {
      changes++;
      if (listeners.size > 0) timer ??= setTimeout(notify, EVERY_MS);
    },
    answer(url, headers) {
      const { pathname, searchParams } = new URL(url);
      if ((pathname !== PAGE && pathname !== EVENTS) || !OWN_HOST.test(headers.get('host') ?? ''))
        return null;
      if (pathname === EVENTS) return events(searchParams.get('seen'));
      return new Response(html(`${EVENTS}?seen=${changes}`), {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      });
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const listener of listeners) listener.close();
    },
  };
}
