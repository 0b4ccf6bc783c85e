import type { ApiError } from '../../cache/api-error.js';

/** A refusal of OpenAI's APIs. */
export interface OpenAiError extends ApiError {
  readonly code: string | null;
  /** The parameter that is wrong. */
  readonly param: string | null;
}

/** A refusal; a wrong request unless its type says otherwise. */
export function openAiError(
  status: number,
  message: string,
  code: string | null = null,
  param: string | null = null,
  type = 'invalid_request_error',
): OpenAiError {
  return { ok: false, status, type, message, code, param };
}

/** The refusal of a model that is not served. */
export function unknownModel(name: string): OpenAiError {
  const message = `The model \`${name}\` does not exist or you do not have access to it.`;
  return openAiError(404, message, 'model_not_found', 'model');
}

/** The refusal of a prompt longer than the model takes. */
export function tooLong(param: string | null): OpenAiError {
  const message =
    'Your input exceeds the context window of this model. Please adjust your input and try again.';
  return openAiError(400, message, 'context_length_exceeded', param);
}

/** A refusal that did not come from OpenAI's API, in its words and status. */
export function rewordOpenAi(error: ApiError): OpenAiError {
  if ('code' in error) return error as OpenAiError;
  const { status, message } = error;
  const model = /^model: (.*)$/.exec(message)?.[1];
  if (status === 404)
    return model === undefined ? openAiError(404, 'Unknown request URL', 'unknown_url') : unknownModel(model);
  if (/^prompt is too long/i.test(message)) return tooLong(null);
  switch (status) {
    case 429:
      return openAiError(
        429,
        'Rate limit reached. Please try again later.',
        'rate_limit_exceeded',
        null,
        'tokens',
      );
    case 529:
      return openAiError(
        503,
        'Our servers are currently overloaded. Please try again later.',
        'server_is_overloaded',
        null,
        'service_unavailable_error',
      );
    case 500: {
      const said = 'The server had an error while processing your request. Sorry about that!';
      return openAiError(500, said, 'server_error', null, 'server_error');
    }
    default:
      return openAiError(status, message);
  }
}

/** The body of a refusal. */
export function errorBody(error: ApiError): object {
  const { message, type, param, code } = rewordOpenAi(error);
  return { error: { message, type, param, code } };
}

const NO_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

/** What is wrong with the headers of a call; null when nothing is. */
export function checkKey(headers: Headers): ApiError | null {
  return /^Bearer \S/i.test(headers.get('authorization') ?? '') ? null : openAiError(401, NO_KEY);
}
