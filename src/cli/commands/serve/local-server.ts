import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CcbenchError } from '../../../core/base/errors.js';
import { ownValue } from '../../../core/base/own-value.js';
import { type FetchLike, MAX_BODY_BYTES } from '../../../provider/fake-api/fake-api.js';

/** The only address a server listens on: it cannot be reached from the network. */
const LOOPBACK = '127.0.0.1';

/** A server on this machine. */
export interface LocalServer {
  readonly url: string;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * The body of a request, or its size when it is larger than the API takes. Such a body is thrown away as it comes, and the
 * connection stays: a client that is still sending would see it broken in place of the refusal.
 */
async function readBody(request: IncomingMessage): Promise<Buffer | number> {
  const declared = Number(request.headers['content-length'] ?? 0);
  const parts: Buffer[] = [];
  let bytes = 0;
  if (declared > MAX_BODY_BYTES) {
    request.resume();
    return declared;
  }
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) parts.length = 0;
    else parts.push(part);
  }
  return bytes > MAX_BODY_BYTES ? bytes : Buffer.concat(parts);
}

function headersOf(request: IncomingMessage, bodyBytes: number): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.set('content-length', String(bodyBytes));
  return headers;
}

function urlOf(path: string | undefined): string {
  const url = `http://${LOOPBACK}${path ?? '/'}`;
  return URL.canParse(url) ? url : `http://${LOOPBACK}/`;
}

/** Sends an answer as it comes and as fast as the client takes it; the head goes with the first part, when that is due. */
async function send(answer: Response, response: ServerResponse): Promise<void> {
  const reader = answer.body?.getReader();
  response.once('close', () => void reader?.cancel().catch(() => {}));
  let part = await reader?.read();
  response.writeHead(answer.status, [...answer.headers].flat());
  for (; part !== undefined && !part.done; part = await reader?.read()) {
    if (!response.write(part.value) && !response.destroyed) {
      await new Promise<void>((go) => {
        response.once('drain', go);
        response.once('close', go);
      });
    }
  }
  response.end();
}

async function handle(fetch: FetchLike, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const isWhole = typeof body !== 'number';
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const answer = await fetch(urlOf(request.url), {
    method: request.method ?? 'GET',
    headers: headersOf(request, isWhole ? body.length : body),
    signal: gone.signal,
    ...(isWhole && body.length > 0 ? { body } : {}),
  });
  await send(answer, response);
}

function cannotListen(port: number, error: NodeJS.ErrnoException): CcbenchError {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: 'it is in use',
    EACCES: 'no permission',
  };
  return new CcbenchError(
    'bad-value',
    `port ${port} cannot be opened: ${ownValue(why, error.code ?? '') ?? error.message}`,
    {
      hint: 'choose another with --port, or --port 0 for any free one',
      place: { file: `--port ${port}` },
      cause: error,
    },
  );
}

/** Serves what a fetch answers at a port of this machine; port 0 takes one that is free. A call that throws is a broken connection. */
export function listenLocally(fetch: FetchLike, port: number): Promise<LocalServer> {
  const server = createServer((request, response) => {
    handle(fetch, request, response).catch(() => request.socket.destroy());
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(port, error)));
    server.listen(port, LOOPBACK, () => {
      const { port: taken } = server.address() as AddressInfo;
      resolve({
        url: `http://${LOOPBACK}:${taken}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
