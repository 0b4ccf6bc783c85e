import type { Block } from '../../../core/model/block.js';
import type { Breakpoint } from '../../../core/model/prefix.js';
import { type ApiError, invalidRequest } from '../../cache/api-error.js';
import { isLongTtl } from '../../cache/ttl.js';
import type { WireBlock } from './wire-block.js';

/** Most breakpoints a request may carry, the automatic one included (CCH-1). */
const MAX_BREAKPOINTS = 4;

/** One block of a request as far as its marker matters, in the order tools, system, messages. */
export type MarkableBlock = Pick<WireBlock, 'path' | 'isEmptyText' | 'ttlMs'> & {
  readonly block: Pick<Block, 'kind'>;
};

/** The breakpoints of an accepted request, or the API's refusal. */
export type BreakpointCheck = { readonly ok: true; readonly breakpoints: readonly Breakpoint[] } | ApiError;

function ttlName(ttlMs: number): string {
  return isLongTtl(ttlMs) ? '1h' : '5m';
}

function tooMany(found: number): ApiError {
  return invalidRequest(
    `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`,
  );
}

/**
 * Checks the markers of a request and resolves automatic caching (`automaticTtlMs`, null when not asked for).
 * The wording for an automatic marker that contradicts an explicit one is not published and is ours.
 */
export function validateBreakpoints(
  blocks: readonly MarkableBlock[],
  automaticTtlMs: number | null = null,
): BreakpointCheck {
  const breakpoints: Breakpoint[] = [];
  let lastEligible = -1;
  for (const [position, { path, block, isEmptyText, ttlMs }] of blocks.entries()) {
    const isThinking = block.kind === 'thinking';
    if (!isThinking && !isEmptyText) lastEligible = position;
    if (ttlMs === null) continue;
    if (isThinking) return invalidRequest(`${path}.thinking.cache_control: Extra inputs are not permitted`);
    if (isEmptyText) return invalidRequest(`${path}.text: cache_control cannot be set for empty text blocks`);
    breakpoints.push({ position, ttlMs });
  }
  if (breakpoints.length > MAX_BREAKPOINTS) return tooMany(breakpoints.length);
  if (automaticTtlMs !== null && lastEligible >= 0) {
    const explicit = blocks[lastEligible]!.ttlMs;
    if (explicit === null) {
      if (breakpoints.length === MAX_BREAKPOINTS) return tooMany(MAX_BREAKPOINTS + 1);
      breakpoints.push({ position: lastEligible, ttlMs: automaticTtlMs });
    } else if (explicit !== automaticTtlMs) {
      return invalidRequest(
        `cache_control.ttl: automatic caching asks for ttl='${ttlName(automaticTtlMs)}' but the last block is marked with ttl='${ttlName(explicit)}'`,
      );
    }
  }
  let shortSeen = false;
  for (const { position, ttlMs } of breakpoints) {
    if (!isLongTtl(ttlMs)) shortSeen = true;
    else if (shortSeen) {
      return invalidRequest(
        `${blocks[position]!.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      );
    }
  }
  return { ok: true, breakpoints };
}
