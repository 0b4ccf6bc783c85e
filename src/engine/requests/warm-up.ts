import type { PrefixView } from '../../core/model/prefix.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import type { RequestingThread } from './requesting-thread.js';

/** Others than this run have left the first so many positions of a thread's request in the cache, right before it. */
export function warmUp(
  run: Pick<RequestingThread, 'env' | 'context' | 'model' | 'client' | 'now'>,
  positions: number,
  call: RecordedCall,
): void {
  const { env, context, model, now } = run;
  if (env.cache === null || positions <= 0) return;
  env.cache.request({
    model: model.row,
    salts: model.saltsFor(context.hasImages() ? 'images' : 'no-images', run.client.key),
    view: {
      length: positions,
      digests: context.digests,
      sums: context.sums,
      toolsEnd: Math.min(context.toolsEnd, positions),
      systemEnd: Math.min(context.systemEnd, positions),
    },
    breakpoints: [{ position: positions - 1, ttlMs: model.ttlFor(call) }],
    startMs: now,
    readableAtMs: now,
    write: 'write',
  });
}

/** Number of positions from the start that hold no more than so many tokens. */
export function positionsWithin({ systemEnd, length, sums }: PrefixView, tokens: number): number {
  let count = systemEnd;
  while (count < length && sums[count]! <= tokens) count++;
  return count;
}
