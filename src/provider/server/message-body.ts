import { apiUsage } from '../../core/model/api-usage.js';
import type { Usage } from '../../core/model/usage.js';
import type { ApiAnswer } from './answer.js';
import type { CacheMissReason } from './diagnostics.js';
import type { ApiRequest } from './read-request.js';

/** A message as the API answers with it. */
export function messageBody(
  id: string,
  request: ApiRequest,
  answer: ApiAnswer,
  usage: Usage,
  missReason: CacheMissReason | null,
) {
  const counts = apiUsage(usage);
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
