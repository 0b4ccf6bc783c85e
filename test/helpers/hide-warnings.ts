import { beforeEach, vi } from 'vitest';

/** Hides that the client of the API warns of models that are about to retire. */
export function hideWarnings(): void {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
}
