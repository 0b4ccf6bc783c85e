import { describe, expect, it } from 'vitest';
import { paramsModule } from '../../../scripts/shipped/params.mjs';
import { profilePolicy } from '../../../scripts/shipped/profiles.mjs';

const PARAMS = { snip: { 'snip.enabled': { switch: true, help: 'On or off.' } } };
const SOUND = {
  name: 'claude-code/9',
  kind: 'measured',
  description: 'A generation.',
  client: 'none',
  layers: ['snip'],
  set: { 'snip.enabled': false },
  sources: { '*': 'measured' },
};

describe('the build refuses', () => {
  it.each([
    [{ kind: 'guessed' }, 'kind is one of bound, analysed, measured, not guessed'],
    [{ rules: [] }, 'unknown key rules'],
    [{ client: undefined }, 'client is missing'],
    [{ set: { 'snip.on': true } }, 'unknown parameter snip.on'],
    [{ versions: [{ from: 2.1, evidence: 'a guess' }] }, 'versions need from, a text, and evidence'],
    [{ versions: [{ from: '2.1', to: '2.2' }] }, 'unknown key to of versions'],
    [
      { versions: [{ from: '2.1', evidence: 'a guess', set: { 'snip.on': true } }] },
      'unknown parameter snip.on',
    ],
    [{ sources: { 'snip.off': 'a guess' } }, 'unknown parameter snip.off'],
  ])('a profile with %j', (change, message) => {
    expect(() => profilePolicy(SOUND, PARAMS)).not.toThrow();
    expect(() => profilePolicy({ ...SOUND, ...change }, PARAMS)).toThrow(`claude-code/9: ${message}`);
  });

  it.each([[{ help: 'No type.' }], [{ switch: true }]])('a parameter written as %j', (written) => {
    expect(() => paramsModule({ snip: { 'snip.enabled': written } })).toThrow(/^snip\.enabled needs a type/);
  });
});
