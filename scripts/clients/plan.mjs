// Which clients are run, through which work, under which settings.

/** The versions and the model each one is run with. */
export const CLIENTS = {
  '2.0.76': 'claude-sonnet-4-5-20250929',
  '2.1.112': 'claude-sonnet-4-5-20250929',
  '2.1.326': 'claude-sonnet-4-6',
};

/** The settings by name: for the client (`env`, `settings`), and for ccbench (`set`). */
export const SETTINGS = {
  base: {},
  window100: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' }, set: ['window.explicit=100000'] },
  window120: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '120000' }, set: ['window.explicit=120000'] },
  percent50: { env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '50' }, set: ['window.percent=50'] },
  percent70: { env: { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: '70' }, set: ['window.percent=70'] },
  off: { env: { DISABLE_AUTO_COMPACT: '1' }, set: ['autoCompact.disabled=true'] },
  offInSettings: { settings: { autoCompactEnabled: false }, set: ['autoCompact.enabled=false'] },
  noThinking: { env: { MAX_THINKING_TOKENS: '0' }, set: [] },
  hour: { env: { ENABLE_PROMPT_CACHING_1H: '1' }, set: ['cache.ttl=1h'] },
};

const ASKED = {
  '2.0.76': {
    steady: ['percent50', 'percent70'],
    once: ['off', 'offInSettings'],
    huge: ['percent50'],
  },
  '2.1.112': {
    steady: ['window100', 'window120', 'percent50', 'percent70', 'noThinking'],
    once: ['off'],
    pauses: ['hour'],
    edits: ['window100', 'percent70'],
    huge: ['window120'],
  },
  '2.1.326': {
    steady: ['window100', 'window120', 'percent50', 'percent70', 'noThinking'],
    once: ['off', 'offInSettings'],
    pauses: ['hour'],
    edits: ['window100', 'percent70'],
    huge: ['window120', 'percent50'],
  },
};

/** All runs: the base of each workload before its settings. */
export const RUNS = Object.entries(ASKED).flatMap(([version, workloads]) =>
  Object.entries(workloads).flatMap(([workload, settings]) =>
    ['base', ...settings].map((setting) => ({ version, workload, setting })),
  ),
);

/** The name of a run's folder. */
export function runName({ version, workload, setting }) {
  return `${version}__${workload}__${setting}`;
}
