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

describe('a profile that is like another one', () => {
  const NEXT = { name: 'claude-code/10', like: SOUND.name, description: 'The next.', sources: {} };

  it('takes over its kind, client, layers, values and sources, and keeps its own', () => {
    expect(profilePolicy(NEXT, PARAMS, [SOUND])).toEqual({
      name: 'claude-code/10',
      kind: 'measured',
      summary: 'The next.',
      client: 'none',
      layers: ['snip'],
      set: { 'snip.enabled': false },
      checked: null,
      sources: { '*': 'measured' },
    });
    const own = { ...NEXT, layers: [], set: { 'snip.enabled': true }, sources: { '*': 'seen' } };
    expect(profilePolicy(own, PARAMS, [SOUND])).toMatchObject({
      layers: [],
      set: { 'snip.enabled': true },
      sources: { '*': 'seen' },
    });
  });

  it('is refused where there is no such profile', () => {
    expect(() => profilePolicy(NEXT, PARAMS, [])).toThrow('it is like claude-code/9, which does not exist');
  });
});

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
