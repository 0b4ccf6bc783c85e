import { CAPABILITIES } from '../../core/run/capability.js';
import type { Point } from '../../core/run/point.js';
import { LAYERS } from '../../core/run/run-log.js';
import type { TierDefinition } from '../../core/run/tier.js';
import type { TierInput } from './plugin.js';
import { isKeyed, isName, type ShapeProblems, shapeProblems, shown } from './shape-problems.js';

const POINTS: Readonly<Record<Point, true>> = {
  results: true,
  'before-request': true,
  refused: true,
  manual: true,
  'after-response': true,
  'end-of-loop': true,
  wake: true,
  'thread-end': true,
  'session-end': true,
};

const PARAM_KINDS = ['integer', 'number', 'switch', 'text', 'model', 'choice', 'names', 'table'];

/** Checks a tier and returns it with nothing left open; throws an error that names every problem. */
export function defineTier(input: TierInput): TierDefinition {
  const problems = shapeProblems();
  checkTier(input, problems);
  problems.settle(`tier ${isKeyed(input) && isName(input.name) ? `"${input.name}"` : 'without a name'}`);
  const { needs = [], params = [], layer = 'rules', killSwitch = `${input.name}.enabled` } = input;
  return {
    name: input.name,
    layer,
    points: input.points,
    needs,
    params,
    killSwitch,
    create: (context) => input.create(context),
  };
}

function checkTier(value: unknown, { need }: ShapeProblems): void {
  if (!need(isKeyed(value), `a tier is an object with name, points and create, not ${shown(value)}`)) return;
  const tier = value as Readonly<Record<string, unknown>>;
  need(isName(tier.name), `\`name\` must be a text, not ${shown(tier.name)}`);
  const words = (key: 'points' | 'needs', known: readonly string[], given: unknown): void => {
    if (!need(Array.isArray(given), `\`${key}\` must be a list of ${known.join(', ')}`)) return;
    for (const word of given as readonly unknown[])
      need(known.includes(word as string), `\`${key}\` holds ${shown(word)}; known are ${known.join(', ')}`);
  };
  words('points', Object.keys(POINTS), tier.points);
  if (Array.isArray(tier.points)) need(tier.points.length > 0, '`points` is empty: it would never be asked');
  if (tier.needs !== undefined) words('needs', CAPABILITIES, tier.needs);
  if (tier.layer !== undefined)
    need(
      (LAYERS as readonly unknown[]).includes(tier.layer),
      `\`layer\` is ${shown(tier.layer)}; known are ${LAYERS.join(', ')}`,
    );
  if (tier.killSwitch !== undefined)
    need(isName(tier.killSwitch), '`killSwitch` must be the path of a parameter');
  need(typeof tier.create === 'function', '`create` must be a function that gives { due, act }');
  if (tier.params !== undefined) checkParams(tier.params, need);
}

function checkParams(value: unknown, need: ShapeProblems['need']): void {
  if (!need(Array.isArray(value), '`params` must be a list')) return;
  for (const [i, param] of (value as readonly unknown[]).entries()) {
    const at = `params[${i}]`;
    if (!need(isKeyed(param), `${at} must be { path, kind, default, unit, help }`)) continue;
    const { path, kind, help, unit } = param as Readonly<Record<string, unknown>>;
    need(
      isName(path) && /^[\w-]+(?:\.[\w-]+)+$/.test(path),
      `${at}.path must be names with dots, such as my-tier.keep, not ${shown(path)}`,
    );
    need(
      isKeyed(kind) && PARAM_KINDS.includes(kind.type as string),
      `${at}.kind.type must be one of ${PARAM_KINDS.join(', ')}`,
    );
    if (isKeyed(kind) && (kind.type === 'integer' || kind.type === 'number'))
      need(
        typeof kind.min === 'number' && typeof kind.max === 'number',
        `${at}.kind needs min and max, both numbers`,
      );
    if (isKeyed(kind) && kind.type === 'choice')
      need(Array.isArray(kind.values), `${at}.kind needs values, a list of texts`);
    need(Object.hasOwn(param as object, 'default'), `${at}.default is missing`);
    need(unit === null || isName(unit), `${at}.unit must be a text, or null where there is none`);
    need(isName(help), `${at}.help must be one sentence`);
  }
}
