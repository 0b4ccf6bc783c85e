import { createRegistry } from '../../core/base/registry.js';
import { compareVersions } from '../../core/model/agent-version.js';
import type { Client } from './client.js';

const ALL_RECORDED = {
  breakpoints: 'system+last-two',
  newProcess: 'as-first',
  images: 'keep',
  firstRequest: 'recorded',
  lifetimes: 'observed',
  outside: 'half',
} as const;

const ALL_SOURCES = {
  breakpoints:
    'measured at 2.0.76 and 2.1.7: two system blocks and the last two messages; from 2.1.91 on the last message (K7)',
  newProcess: 'K3: 9 of 10 new processes found what the first request of the session had found',
  images: 'K10: 6 of 7 first images kept the cache',
  firstRequest: 'K11: first reads of 272 recordings were worth $42 where all cold is $71',
  lifetimes:
    'E6: 89 % of five-minute entries are alive at 310 s, half at 330 s; one-hour entries end on time',
  outside:
    'recorded prefixes of one hour were warm about every second time after it, where they were at first',
} as const;

const SUGGESTIONS =
  'the next request reads the previous prefix and the response: 8 of 9 recordings from 2.0.76 on';
const THINKING = 'K1: a changed state breaks in 75 %, an unchanged one in 0.4 %; versions up to 2.1.45';
const PARENTS = 'K12: results of parallel calls are gone behind a resume, up to 2.1.37 at least';
const FALLBACK = 'K4: 13 breaks of responses in one piece, versions up to 2.1.29';
const SEARCH =
  'K2: 20 of 20 first searches changed the tools at 2.1.91 and 2.1.119 to 2.1.205, 0 of 14 at 2.1.101 to 2.1.110 and 2.1.209';

const none: Client = {
  name: 'none',
  from: null,
  summary: 'The bare API: what is documented, and nothing else.',
  habits: {},
  sources: {},
};

const v1: Client = {
  name: 'claude-code/1.0',
  from: '0',
  summary: 'Clients before suggestions.',
  habits: { ...ALL_RECORDED, record: 'parent-chain', fallback: 'own-variant', thinkingSwitch: 'by-speaker' },
  sources: { ...ALL_SOURCES, record: PARENTS, fallback: FALLBACK, thinkingSwitch: THINKING },
};

const v2076: Client = {
  ...v1,
  name: 'claude-code/2.0.76',
  from: '2.0.70',
  summary: 'Suggestions at the end of each turn; whoever speaks switches thinking.',
  habits: { ...v1.habits, suggestions: 'end-of-turn' },
  sources: { ...v1.sources, suggestions: SUGGESTIONS },
};

const v2130: Client = {
  ...v2076,
  name: 'claude-code/2.1.30',
  from: '2.1.30',
  summary: 'As before, without cache entries of its own for responses in one piece.',
  habits: { ...v2076.habits, fallback: 'same' },
};

const v2138: Client = {
  ...v2130,
  name: 'claude-code/2.1.38',
  from: '2.1.38',
  summary: 'As before; a process that takes a session up finds its whole record.',
  habits: { ...v2130.habits, record: 'whole' },
};

const v2146: Client = {
  ...v2138,
  name: 'claude-code/2.1.46',
  from: '2.1.46',
  summary: 'As before; thinking stays as it is, whoever speaks.',
  habits: { ...v2138.habits, thinkingSwitch: 'constant' },
};

const v2191: Client = {
  ...v2146,
  name: 'claude-code/2.1.91',
  from: '2.1.91',
  summary: 'As before; the first search for a tool in a process changes the tools.',
  habits: {
    ...v2146.habits,
    breakpoints: 'system+last',
    lookback: 'observed',
    thinking: 'keep-all',
    toolLoading: 'first-search',
  },
  sources: {
    ...v2146.sources,
    toolLoading: SEARCH,
    lookback: 'K7: 20 added blocks were found, thinking not counted, and 21 were not (4 of 4)',
    thinking: 'measured at 2.1.112: clear_thinking, keep all; from which version on is not known',
  },
};

const v21112: Client = {
  ...v2191,
  name: 'claude-code/2.1.112',
  from: '2.1.101',
  summary: 'As before; searching for tools leaves them as they are.',
  habits: { ...v2191.habits, toolLoading: 'stable' },
};

const v21119: Client = { ...v2191, name: 'claude-code/2.1.119', from: '2.1.119' };

const v21325: Client = {
  ...v21112,
  name: 'claude-code/2.1.325',
  from: '2.1.206',
};

/** Every client, by name, from the oldest generation on. */
export const clientRegistry = createRegistry<Client>(
  'client',
  [none, v1, v2076, v2130, v2138, v2146, v2191, v21112, v21119, v21325].map(
    (client) => [client.name, client] as const,
  ),
);

/** The client of a name; an unknown one is an error that lists the known ones. */
export function clientNamed(name: string): Client {
  return clientRegistry.get(name);
}

/** The generation a version of Claude Code belongs to; without a version, the bare API. */
export function clientOfVersion(version: string | null): Client {
  let found = none;
  if (version === null) return found;
  for (const client of clientRegistry.all())
    if (client.from !== null && compareVersions(version, client.from) >= 0) found = client;
  return found;
}
