import type { Usage } from '../../model/usage.js';
import { cacheWriteTokens } from '../../model/usage.js';
import type { ApiAnswer } from './answer.js';
import type { CacheMissReason } from './diagnostics.js';
import type { ApiRequest } from './read-request.js';

/** Token counts as the API writes them. */
function usageBody(usage: Usage): Readonly<Record<string, unknown>> {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: cacheWriteTokens(usage),
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: usage.output,
  };
}

/** A message as the API answers with it. */
export function messageBody(
  id: string,
  request: ApiRequest,
  answer: ApiAnswer,
  usage: Usage,
  missReason: CacheMissReason | null,
) {
  const counts = usageBody(usage);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: request.modelName,
    content: answer.content,
    stop_reason: answer.stopReason,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: request.diagnostics === 'off' ? null : { cache_miss_reason: missReason },
    usage: {
      ...counts,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: 'not_available',
      speed: 'standard',
      ...(request.maxTokens === 0 ? { iterations: [{ type: 'message', ...counts }] } : {}),
    },
  };
}
