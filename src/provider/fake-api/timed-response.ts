import type { Clock } from '../../core/base/clock.js';

/** A part of a body and the time at which it arrives. */
interface TimedPart {
  readonly text: string;
  readonly atMs: number;
}

/** A body that moves the clock as it is read, and not before: calls made together start at the same time. */
function timedBody(parts: readonly TimedPart[], clock: Clock): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = parts[next++];
        if (part === undefined) return controller.close();
        const arrival = clock.advanceTo(part.atMs);
        if (arrival !== undefined) await arrival;
        controller.enqueue(encoder.encode(part.text));
      },
    },
    { highWaterMark: 0 },
  );
}

/** A JSON answer that is complete at a time. */
export function jsonResponse(
  body: unknown,
  init: {
    readonly status?: number;
    readonly requestId: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
  clock: Clock,
  atMs: number,
): Response {
  return new Response(timedBody([{ text: JSON.stringify(body), atMs }], clock), {
    status: init.status ?? 200,
    headers: { 'content-type': 'application/json', 'request-id': init.requestId, ...init.headers },
  });
}

/** A stream of parts, events unless their type is given, between the times of the first and the last. */
export function streamResponse(
  texts: readonly string[],
  requestId: string,
  clock: Clock,
  times: { readonly firstMs: number; readonly lastMs: number },
  type = 'text/event-stream; charset=utf-8',
): Response {
  const steps = Math.max(1, texts.length - 1);
  const parts = texts.map((text, i) => ({
    text,
    atMs: Math.round(times.firstMs + ((times.lastMs - times.firstMs) * i) / steps),
  }));
  return new Response(timedBody(parts, clock), {
    status: 200,
    headers: { 'content-type': type, 'request-id': requestId },
  });
}
