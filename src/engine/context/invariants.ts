import { CcbenchError } from '../../core/base/errors.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { Context } from './context.js';

/** A broken invariant is a fault of the simulator, never of the user. */
function broken(id: string, sentence: string): never {
  throw new CcbenchError('invariant', `${id} does not hold: ${sentence}`, {
    hint: 'this is a fault of ccbench: please report it with the scenario and seed',
  });
}

/** INV-1: tools and results are paired, the user speaks first and last. */
export function checkRequestShape(context: Context): void {
  if (context.hasOpenCalls) broken('INV-1', 'a tool call goes out without its result');
  const first = context.blocks[context.systemEnd];
  if (first !== undefined && first.role !== 'user')
    broken('INV-1', 'the conversation does not start with the user');
  if (context.lastRole === 'assistant') broken('INV-1', 'the request does not end with the user');
}

/** INV-5: every token of the prompt is read, written or plain input, exactly; deleted content is billed as read or not at all. */
export function checkUsage(usage: Usage, byteTokens: number, deletedTokens: number): void {
  const billed = promptTokens(usage);
  if (billed !== byteTokens && billed !== byteTokens - deletedTokens)
    broken('INV-5', `${billed} tokens billed for a prompt of ${byteTokens - deletedTokens}`);
  if (
    usage.input < 0 ||
    usage.cacheRead < 0 ||
    usage.cacheWrite5m < 0 ||
    usage.cacheWrite1h < 0 ||
    usage.output < 0
  ) {
    broken('INV-5', 'a token count is negative');
  }
}

/** INV-6: a cache read never covers more than the request holds. */
export function checkRead(
  readTokens: number,
  hitPosition: number,
  context: { readonly sums: ArrayLike<number>; readonly length: number },
  steps: 'exact' | 'grain',
): void {
  const covered = hitPosition < 0 ? 0 : context.sums[hitPosition]!;
  const isOff = steps === 'exact' ? readTokens !== covered : readTokens > context.sums[context.length - 1]!;
  if (isOff) broken('INV-6', `${readTokens} tokens read where the prefix has ${covered}`);
}

/** INV-2: an answered request is never longer than the window. */
export function checkWindow(prompt: number, windowTokens: number | null): void {
  if (windowTokens !== null && prompt > windowTokens) {
    broken('INV-2', `a prompt of ${prompt} tokens was answered in a window of ${windowTokens}`);
  }
}

/** INV-15: calls of a child are lost only if the call that starts it was. */
export function checkLostChild(thread: string, reason: string | null): asserts reason is string {
  if (reason === null)
    broken('INV-15', `the fork ${thread} did not start, though nothing happened to its call`);
}
