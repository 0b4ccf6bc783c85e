/** Something the user should know: a value with a remedy, reported once with a count. */
export interface Warning {
  /** Stable kebab-case name. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string | null;
  readonly count: number;
}

/** Findings without which a sum would be misread: something is missing in it, counts as nothing, or is priced as something else. */
const LOSSES: ReadonlySet<string> = new Set([
  'agent-file-left-out',
  'agents-missing',
  'assumed-price',
  'bad-usage',
  'billed-batch',
  'billed-fast',
  'billed-iterations',
  'billed-priority',
  'billed-us',
  'broken-lines',
  'content-missing',
  'file-left-out',
  'fork-lost',
  'lost-prompt',
  'no-price',
  'no-refetch',
  'no-usage',
  'trace-request-left-out',
  'truncated-file',
  'unread-requests',
  'usage-not-kept',
]);

/** Whether a finding must be read with the numbers, in the short form too. */
export function isLoss({ code }: Pick<Warning, 'code'>): boolean {
  return LOSSES.has(code);
}

/** Collects warnings; the same code and message counts up instead of repeating, a count of 0 is none. */
export interface WarningList {
  add(code: string, message: string, remedy?: string | null, count?: number): void;
  list(): readonly Warning[];
}

/** Creates an empty list. */
export function createWarnings(): WarningList {
  const byKey = new Map<string, Warning>();
  return {
    add(code, message, remedy = null, count = 1) {
      if (count === 0) return;
      const key = `${code}\n${message}`;
      const seen = byKey.get(key);
      byKey.set(key, { code, message, remedy, count: (seen?.count ?? 0) + count });
    },
    list: () => [...byKey.values()],
  };
}
