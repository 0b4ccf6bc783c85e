import { createRegistry } from '../../core/base/registry.js';
import { compareVersions } from '../../core/model/agent-version.js';
import type { ParamSpec, ParamValues } from '../../core/run/params.js';
import type { CachePlan } from '../../core/run/run-plan.js';
import type { FadeMode } from '../../provider/cache/ttl.js';
import {
  BARE_API,
  BEHAVIOURS,
  type ClientBehaviour,
  HEADLESS,
  SHIPPED_CLIENTS,
} from './clients.generated.js';
import type { Driver, RecordedClient } from './recorded-client.js';

export type { ClientBehaviour } from './clients.generated.js';

/** A behaviour. */
export type Behaviour = keyof ClientBehaviour;

/** A client: what one generation of an agent does to its requests, and how that is known. */
export interface Client {
  /** Public name, e.g. `claude-code/2.1.112`. */
  readonly name: string;
  /** First version of its agent that behaves like this; null if no version speaks for it. */
  readonly from: string | null;
  /** One sentence: what it is. */
  readonly summary: string;
  /** Behaviours that differ from the bare API. */
  readonly behaviours: Partial<ClientBehaviour>;
  /** Where each behaviour is known from. */
  readonly sources: Readonly<Partial<Record<Behaviour, string>>>;
}

/** Value of a behaviour’s parameter that leaves it to the client. */
export const AS_CLIENT = 'client';

/** Value of `client.use` that takes the client of the recording. */
export const RECORDED_CLIENT = 'recorded';

/** The parameters of a client: which one it is, and each behaviour that a scenario may set apart from it. */
export const CLIENT_PARAMS: readonly ParamSpec[] = [
  {
    path: 'client.use',
    kind: { type: 'text' },
    default: 'none',
    unit: null,
    help: 'Whose cache behaviour applies: a client by name (`ccbench policies clients`), `recorded`, or `none` for the bare API. Unless it is set, a recording keeps its own.',
  },
  ...Object.entries(BEHAVIOURS).map(
    ([behaviour, { values, help }]): ParamSpec => ({
      path: `client.${behaviour}`,
      kind: { type: 'choice', values: [AS_CLIENT, ...values] },
      default: AS_CLIENT,
      unit: null,
      help: `${help} \`${AS_CLIENT}\`: as the client does.`,
    }),
  ),
];

/** Every client, by name, from the oldest generation on. */
export const clientRegistry = createRegistry<Client>(
  'client',
  [],
  SHIPPED_CLIENTS.map(([name, json]) => [name, () => JSON.parse(json) as Client]),
);

/** The client of a name; an unknown one is an error that lists the known ones. @internal */
export function clientNamed(name: string): Client {
  return clientRegistry.get(name);
}

/** The generation a version of Claude Code belongs to; without a version, the bare API. */
export function clientOfVersion(version: string | null): Client {
  let found = clientNamed('none');
  if (version === null) return found;
  for (const client of clientRegistry.all())
    if (client.from !== null && compareVersions(version, client.from) >= 0) found = client;
  return found;
}

/** The behaviours that parameters describe: those of the client they name, but for the ones they set themselves. */
export function behavioursOf(
  params: ParamValues,
  { version, driver }: Pick<RecordedClient, 'version' | 'driver'>,
): ClientBehaviour {
  const name = params['client.use'];
  const behaviours: ClientBehaviour =
    name === RECORDED_CLIENT
      ? recordedBehaviours(version, driver)
      : { ...BARE_API, ...clientNamed(typeof name === 'string' ? name : 'none').behaviours };
  const changed = Object.keys(BARE_API).flatMap((behaviour) => {
    const own = params[`client.${behaviour}`];
    return typeof own === 'string' && own !== AS_CLIENT ? [[behaviour, own]] : [];
  });
  return { ...behaviours, ...(Object.fromEntries(changed) as Partial<ClientBehaviour>) };
}

/** True when a run's requests are those its transcript shows, and the documented rules of the API alone decide what they find. */
export function isBareClient(behaviours: ClientBehaviour): boolean {
  return (
    behaviours.suggestions === 'off' &&
    behaviours.awaySummaries === 'off' &&
    behaviours.thinking !== 'off' &&
    behaviours.thinkingSwitch === 'constant' &&
    behaviours.toolLoading === 'stable' &&
    behaviours.newProcess === 'same' &&
    behaviours.fallback === 'same' &&
    behaviours.lookback === 'documented' &&
    behaviours.firstRequest === 'cold' &&
    behaviours.outside === 'cold' &&
    behaviours.hazard === 'off'
  );
}

/** The behaviours of the client that recorded a version, driven by a person or by a program. */
export function recordedBehaviours(version: string | null, driver: Driver): ClientBehaviour {
  const { behaviours } = clientOfVersion(version);
  return { ...BARE_API, ...behaviours, ...(driver === 'program' ? HEADLESS : {}) };
}

/** How five-minute entries end in a run: as its plan says, or as its client's lifetimes do. */
export function fadeOf(fade: CachePlan['fade'], { lifetimes }: ClientBehaviour): FadeMode {
  if (fade !== 'client') return fade;
  return lifetimes === 'observed' ? 'likely' : 'off';
}
