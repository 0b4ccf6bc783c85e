import { describe, expect, it } from 'vitest';
import {
  AS_CLIENT,
  type Behaviour,
  behavioursOf,
  CLIENT_PARAMS,
  type ClientBehaviour,
  clientNamed,
  clientOfVersion,
  clientRegistry,
} from '../../../src/agent/client/client.js';
import { BARE_API } from '../../../src/agent/client/clients.generated.js';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { resolvePolicy } from '../../../src/agent/policies/plan-policy.js';

const BEHAVIOURS = Object.keys(BARE_API) as Behaviour[];

const byPerson = (version: string | null) => ({ version, driver: 'person' }) as const;

describe('clients', () => {
  it.each(clientRegistry.all().map((client) => [client.name, client] as const))(
    '%s: every behaviour has a source',
    (_, { behaviours, sources }) => {
      for (const behaviour of Object.keys(behaviours) as Behaviour[])
        expect(sources[behaviour], behaviour).toMatch(/\w/);
    },
  );

  it.each([
    [null, 'none'],
    ['1.0.98', 'claude-code/1.0'],
    ['2.0.64', 'claude-code/1.0'],
    ['2.0.76', 'claude-code/2.0.76'],
    ['2.1.29', 'claude-code/2.0.76'],
    ['2.1.37', 'claude-code/2.1.30'],
    ['2.1.45', 'claude-code/2.1.38'],
    ['2.1.59', 'claude-code/2.1.38'],
    ['2.1.90', 'claude-code/2.1.60'],
    ['2.1.91', 'claude-code/2.1.91'],
    ['2.1.92', 'claude-code/2.1.92'],
    ['2.1.110', 'claude-code/2.1.92'],
    ['2.1.149', 'claude-code/2.1.112'],
    ['2.1.158', 'claude-code/2.1.150'],
    ['2.1.205', 'claude-code/2.1.159'],
    ['2.1.219', 'claude-code/2.1.325'],
  ])('version %s is of the generation %s', (version, name) => {
    expect(clientOfVersion(version).name).toBe(name);
  });

  it.each([
    ['K1b', 'thinkingSwitch', 'by-speaker', ['2.0.76', '2.1.37'], ['2.1.38', '2.1.46']],
    [
      'K2',
      'toolLoading',
      'first-search',
      ['2.1.91', '2.1.112', '2.1.119', '2.1.205'],
      ['2.1.90', '2.1.101', '2.1.209'],
    ],
    ['K2b', 'toolLoading', 'first-search', ['2.1.91'], ['2.1.92', '2.1.98']],
    ['K16', 'suggestions', 'end-of-turn', ['2.0.76', '2.1.59', '2.1.159', '2.1.219'], ['2.1.60', '2.1.158']],
    ['K4', 'fallback', 'own-variant', ['2.0.76', '2.1.29'], ['2.1.30']],
    ['K7', 'lookback', 'observed', ['2.1.91', '2.1.219'], ['2.1.90']],
    ['K12', 'record', 'parent-chain', ['2.0.76', '2.1.37'], ['2.1.38']],
  ] as const)('%s %s is %s at some versions and not at others', (_, behaviour, value, at, notAt) => {
    const behavioursAt = (version: string): ClientBehaviour =>
      behavioursOf({ 'client.use': 'recorded' }, byPerson(version));
    for (const version of at) expect(behavioursAt(version)[behaviour], version).toBe(value);
    for (const version of notAt) expect(behavioursAt(version)[behaviour], version).toBe(BARE_API[behaviour]);
  });

  it('an unknown name is an error that lists the known ones', () => {
    expect(() => clientNamed('claude-code/9')).toThrow(/unknown client "claude-code\/9"/);
    for (const name of [...clientRegistry.names, 'recorded'])
      expect(() => resolvePolicy('none', { 'client.use': 'nobody' })).toThrow(
        expect.objectContaining({ hint: expect.stringContaining(name) }),
      );
  });
});

describe('a session that a program drives', () => {
  it.each(['2.0.76', '2.1.29', '2.1.112', '2.1.326'])(
    'R20 of %s has no suggestions, else as by a person',
    (version) => {
      const params = { 'client.use': 'recorded' };
      const byPersonAt = behavioursOf(params, byPerson(version));
      expect(behavioursOf(params, { version, driver: 'program' })).toEqual({
        ...byPersonAt,
        suggestions: 'off',
      });
      expect(byPersonAt.suggestions).toBe(version === '2.1.112' ? 'off' : 'end-of-turn');
      const set = { ...params, 'client.suggestions': 'end-of-turn' };
      expect(behavioursOf(set, { version, driver: 'program' }).suggestions).toBe('end-of-turn');
    },
  );
});

describe('parameters of a client', () => {
  const choices = CLIENT_PARAMS.flatMap(({ path, kind }) =>
    kind.type === 'choice' ? kind.values.map((value) => [path, value] as const) : [],
  );

  it('cover every behaviour with every value it may have', () => {
    expect(new Set(choices.map(([path]) => path))).toEqual(
      new Set(BEHAVIOURS.map((behaviour) => `client.${behaviour}`)),
    );
    for (const { behaviours } of clientRegistry.all())
      for (const [behaviour, value] of Object.entries(behaviours))
        expect(choices).toContainEqual([`client.${behaviour}`, value]);
  });

  it.each(choices)('%s: %s holds for every policy, others stay as they are', (path, value) => {
    for (const policy of policyRegistry.names) {
      const usual = behavioursOf(resolvePolicy(policy, {}), byPerson('2.1.100'));
      const changed = behavioursOf(resolvePolicy(policy, { [path]: value }), byPerson('2.1.100'));
      const behaviour = path.slice('client.'.length) as Behaviour;
      const ofClient = behavioursOf({ 'client.use': policyRegistry.get(policy).client }, byPerson('2.1.100'))[
        behaviour
      ];
      expect(changed).toEqual({ ...usual, [behaviour]: value === AS_CLIENT ? ofClient : value });
    }
  });

  it('bounds and baselines have the recording’s client, which is the bare API without a recording', () => {
    for (const policy of policyRegistry.all()) {
      if (policy.kind !== 'bound' && policy.kind !== 'baseline') continue;
      const params = resolvePolicy(policy.name, {});
      expect(behavioursOf(params, byPerson(null))).toEqual(BARE_API);
      expect(behavioursOf(params, byPerson('2.1.91')).toolLoading).toBe('first-search');
    }
  });
});
