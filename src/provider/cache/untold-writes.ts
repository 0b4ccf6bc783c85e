import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { ModelRow } from '../prices/model-row.js';
import { cacheRulesOf, providerRegistry } from '../providers/providers.js';
import { onGrain } from './cache-rules.js';

/**
 * What a recorded call was billed by the rules of its provider, for a recording that tells no writes: where they are billed, what was not
 * read was written, up to the last step.
 */
export function withUntoldWrites(row: ModelRow, usage: Usage): Usage {
  if (!providerRegistry.has(row.provider)) return usage;
  const rules = cacheRulesOf(row.provider, row.id);
  if (!rules.tellsWrites) return usage;
  const prompt = promptTokens(usage);
  const written = Math.max(0, onGrain(rules, prompt) - usage.cacheRead);
  return { ...usage, input: prompt - usage.cacheRead - written, cacheWrite5m: written };
}
