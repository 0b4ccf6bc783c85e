/** A request the API would refuse, in its own words: a value, because the simulated API is not at fault. */
export interface ApiError {
  readonly ok: false;
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** A refusal. */
export function apiError(status: number, type: string, message: string): ApiError {
  return { ok: false, status, type, message };
}

/** A refusal with status 400. */
export function invalidRequest(message: string): ApiError {
  return apiError(400, 'invalid_request_error', message);
}
