/** A request the API would refuse, in its own words. */
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

/** Carries a refusal out of whatever reads a request. */
export class Refusal extends Error {
  constructor(readonly error: ApiError) {
    super(error.message);
  }
}

/** What reading gives, or its refusal; a fault of the program is thrown on. */
export function orRefusal<T>(read: () => T): T | Refusal {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Refuses a request with status 400. */
export function refuse(message: string): never {
  throw new Refusal(invalidRequest(message));
}
