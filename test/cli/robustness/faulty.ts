import { TRACE } from '../cli.js';

/** A recording whose runs fail under the policy of {@link FAULTY_PLUGIN}, as long as its own model is kept. */
export const FAILING_TRACE = TRACE.replaceAll('claude-sonnet-4-5', 'claude-opus-4-5');

/** A plug-in whose layer gives up on the model of {@link FAILING_TRACE}. */
export const FAULTY_PLUGIN = `
const layer = {
  name: 'faulty-layer',
  points: ['before-request'],
  create: (host) => ({
    due: () => {
      if (host.model().name === 'claude-opus-4-5') throw new Error('ouch');
      return false;
    },
    *act() {},
  }),
};
export default { name: 'faulty', layers: [layer], policies: ['{ name: faulty, layers: [faulty-layer], rules: [] }'] };
`;

/** A scenario under the policy that fails, in place of none. */
export function faulty(scenario: string): string {
  return scenario.replace('policy: none\n', 'policy: faulty\nplugins: [./faulty.mjs]\n');
}
