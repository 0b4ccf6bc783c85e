import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ReadableStream } from 'node:stream/web';
import type { Clock } from '../../../core/base/clock.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { Usage } from '../../../core/model/usage.js';
import {
  type AnsweredCall,
  type ApiCall,
  type FetchLike,
  MAX_BODY_BYTES,
} from '../../../provider/fake-api/fake-api.js';
import { errorKind, type RealAnswer, readRealAnswer } from './real-answer.js';
import type { ServedAnswer } from './recording.js';

/** A call and, where it is answered, what was done with it. */
export type SimulatedCall = readonly [call: ApiCall, answered: AnsweredCall | null];

/** What requests are passed on with. */
export interface UpstreamOptions {
  readonly url: URL;
  readonly clock: Clock;
  /** Answers itself: for requests that are too large to be passed on. */
  readonly refuse: FetchLike;
  /** What the simulated API makes of a request; null if it makes nothing of it. */
  readonly simulate: (...request: Parameters<FetchLike>) => Promise<SimulatedCall | null>;
  /** Called when an answer ends. */
  readonly onCall: (
    call: ApiCall,
    answered: (ServedAnswer & Pick<AnsweredCall, 'outcome'>) | null,
    billed: Usage | null,
  ) => void;
}

/** The address of an API, as the user gives it; what holds a key in it is refused, since it would be shown. */
export function readUpstream(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : null;
  const isPlain =
    url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url !== null && /^https?:$/.test(url.protocol) && isPlain) return url;
  throw new CcbenchError('bad-value', '--upstream is not the address of an API', {
    hint: 'such as https://api.anthropic.com; the key comes with the requests of your client',
    place: { file: '--upstream' },
  });
}

/** Headers that are about one connection (RFC 9110, 7.6.1), and those that are made again for the next. */
const OWN_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
  'content-length',
]);

function passedOn(headers: Headers): Headers {
  const named = (headers.get('connection') ?? '').toLowerCase().split(',');
  const own = new Set([...OWN_HEADERS, ...named.map((name) => name.trim())]);
  return new Headers([...headers].filter(([name]) => !own.has(name)));
}

/** Statuses whose answers have no body. */
const BODILESS = new Set([204, 205, 304]);

/** Asks the upstream; the answer comes as soon as its head is there. */
function ask(url: URL, path: string, init: RequestInit, body: Uint8Array | null): Promise<IncomingMessage> {
  const headers = passedOn(new Headers(init.headers));
  // Compressed answers could not be read on the way.
  headers.set('accept-encoding', 'identity');
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const asked = request({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? undefined : url.port,
      path: `${url.pathname.replace(/\/$/, '')}${path}`,
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      agent: false,
      signal: init.signal ?? undefined,
    });
    asked.once('response', resolve);
    asked.once('error', reject);
    asked.end(body ?? undefined);
  });
}

function headersOf(answer: IncomingMessage): Headers {
  const headers = new Headers();
  const { rawHeaders: raw } = answer;
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!);
  const length = headers.get('content-length');
  const kept = passedOn(headers);
  if (length !== null && headers.get('transfer-encoding') === null) kept.set('content-length', length);
  return kept;
}

function unreachable(url: URL, error: NodeJS.ErrnoException): Response {
  const message = `ccbench serve: ${url.origin} cannot be reached (${error.code ?? 'no connection'})`;
  return Response.json({ type: 'error', error: { type: 'api_error', message } }, { status: 502 });
}

/** Forwards requests to a real API, byte for byte, and compares its bill with the simulated one. */
export function createUpstream(options: UpstreamOptions): FetchLike {
  const { url, clock, refuse, simulate, onCall } = options;

  /** Forwards an answer as it arrives, and reports it when it ends, with or without an error. */
  async function* pass(
    answer: IncomingMessage,
    ended: (body: string, how: 'whole' | 'cut') => void,
  ): AsyncGenerator<Uint8Array, void, void> {
    const parts: Buffer[] = [];
    let how: 'whole' | 'cut' = 'cut';
    try {
      for await (const part of answer as AsyncIterable<Buffer>) {
        parts.push(part);
        yield part;
      }
      how = 'whole';
    } finally {
      ended(Buffer.concat(parts).toString('utf8'), how);
    }
  }

  function report(
    call: ApiCall,
    simulated: SimulatedCall | null,
    real: RealAnswer,
    how: 'whole' | 'cut',
  ): void {
    const [seen, answered] = simulated ?? [null, null];
    const cut = how === 'cut' ? 'the answer was cut' : null;
    if (seen === null || answered === null || seen.usage === null) {
      const unread = seen?.error == null ? null : `passed on, not simulated: ${seen.error}`;
      onCall({ ...call, api: seen?.api ?? call.api, error: unread ?? cut }, null, real.usage);
      return;
    }
    const { content, stopReason, usage: billed } = real;
    const words = content
      .map((block) => (block.type === 'text' ? block.text : JSON.stringify(block)))
      .join('');
    const output = billed?.output ?? answered.request.count(words);
    onCall(
      { ...call, api: seen.api, error: cut, usage: { ...seen.usage, output } },
      { ...answered, answer: { content, stopReason }, latencyMs: clock.now - call.startMs },
      billed,
    );
  }

  return async (input, init = {}) => {
    const { pathname } = new URL(String(input));
    const path = String(input).replace(/^[a-z]+:\/\/[^/]*/i, '');
    const method = init.method ?? 'GET';
    const call = { api: 'upstream', method, path: pathname, startMs: clock.now, usage: null, error: null };
    const length = Number(new Headers(init.headers).get('content-length') ?? 0);
    if (length > MAX_BODY_BYTES) return refuse(input, init);
    const body = init.body instanceof Uint8Array ? init.body : null;
    let answer: IncomingMessage;
    try {
      answer = await ask(url, path, init, body);
    } catch (error) {
      const isGone = init.signal?.aborted === true;
      const why = isGone ? 'the client went away' : `${url.origin} cannot be reached`;
      onCall({ ...call, status: isGone ? 0 : 502, error: why }, null, null);
      return unreachable(url, error as NodeJS.ErrnoException);
    }
    const status = answer.statusCode ?? 502;
    const isFine = status >= 200 && status < 300;
    const simulated = isFine ? await simulate(input, init) : null;
    const stream = pass(answer, (text, how) => {
      if (isFine) report({ ...call, status }, simulated, readRealAnswer(text), how);
      else onCall({ ...call, status, error: errorKind(text) ?? 'refused by the upstream' }, null, null);
    });
    const rest = BODILESS.has(status) ? null : (ReadableStream.from(stream) as unknown as Response['body']);
    if (rest === null) await stream.next();
    return new Response(rest, { status, headers: headersOf(answer) });
  };
}
