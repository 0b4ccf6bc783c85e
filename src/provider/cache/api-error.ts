/** A request the API would refuse, in its own words: a value, because the simulated API is not at fault. */
export interface ApiError {
  readonly ok: false;
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** A refusal with status 400. */
export function invalidRequest(message: string): ApiError {
  return { ok: false, status: 400, type: 'invalid_request_error', message };
}
