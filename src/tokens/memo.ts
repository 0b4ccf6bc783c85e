import type { Block } from '../model/block.js';
import { estimateBlock, type HeuristicRules } from './heuristic.js';

/** Estimates remembered by tool_use id (TOK-6). */
export interface EstimateMemo {
  estimate(block: Block): number;
  /** Estimates made so far; a remembered one does not count. */
  readonly computed: number;
}

/**
 * Creates a memo. A call and its result are remembered apart although they share the id; a replacement put in place
 * of a result is other content, so it is estimated as it stands.
 */
export function createEstimateMemo(rules: HeuristicRules): EstimateMemo {
  const calls = new Map<string, number>();
  const results = new Map<string, number>();
  let computed = 0;

  function compute(block: Block): number {
    computed += 1;
    return estimateBlock(block, rules);
  }

  return {
    get computed() {
      return computed;
    },
    estimate(block) {
      const known = block.kind === 'tool_use' ? calls : block.kind === 'tool_result' ? results : null;
      if (known === null || block.toolUseId === null || block.facts.replaces !== undefined) {
        return compute(block);
      }
      let tokens = known.get(block.toolUseId);
      if (tokens === undefined) {
        tokens = compute(block);
        known.set(block.toolUseId, tokens);
      }
      return tokens;
    },
  };
}
