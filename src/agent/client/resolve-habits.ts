import type { ParamValues } from '../../core/run/params.js';
import { clientNamed, clientOfVersion } from './catalogue.js';
import { AS_CLIENT, BARE_API, type ClientHabits, RECORDED_CLIENT } from './habits.js';

/** The habits that parameters describe: those of the client they name, but for the ones they set themselves. */
export function habitsOf(params: ParamValues, recordedVersion: string | null): ClientHabits {
  const name = params['client.use'];
  const client =
    name === RECORDED_CLIENT
      ? clientOfVersion(recordedVersion)
      : clientNamed(typeof name === 'string' ? name : 'none');
  const habits: Record<string, string> = { ...BARE_API, ...client.habits };
  for (const habit of Object.keys(BARE_API)) {
    const own = params[`client.${habit}`];
    if (typeof own === 'string' && own !== AS_CLIENT) habits[habit] = own;
  }
  return habits as unknown as ClientHabits;
}

/** True when a run's requests are those its transcript shows, and the documented rules of the API alone decide what they find. */
export function isBareClient(habits: ClientHabits): boolean {
  return (
    habits.suggestions === 'off' &&
    habits.thinkingSwitch === 'constant' &&
    habits.toolLoading === 'stable' &&
    habits.newProcess === 'same' &&
    habits.fallback === 'same' &&
    habits.lookback === 'documented' &&
    habits.firstRequest === 'cold' &&
    habits.outside === 'cold' &&
    habits.hazard === 'off'
  );
}

/** The habits of the client that recorded a version. */
export function recordedHabits(version: string | null): ClientHabits {
  return { ...BARE_API, ...clientOfVersion(version).habits };
}
