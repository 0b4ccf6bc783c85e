import type { PartPath, PartProblem, Problems } from '../../core/base/shape.js';
import type { CacheRules, Provider } from '../../core/run/provider.js';
import { TTL_5M_MS } from '../cache/ttl.js';
import { checkEffects } from './provider-effects.js';
import { providerShape, type WrittenProvider } from './provider-shape.js';

/** What is assumed where another model stands for the recorded one. */
export const SAME_TOKENS =
  'Prompts are taken to have as many tokens as in the recording, whatever the tokenizer.';
const NOT_PROMISED = 'How long entries live is not promised: five minutes after their last use are assumed.';
const NO_MINIMUM = 'The smallest prefix that is cached is not published: none is assumed.';
const FOUND = 'The chance that an entry is found is not known: every living entry is taken to be found.';

/** JSON Schema of a provider file. */
export function providerSchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'ccbench provider',
    ...providerShape.schema,
  };
}

/** Reads a written provider; null when it cannot be used. What is wrong goes to `problems`. */
export function readProvider(
  value: unknown,
  otherwise: { readonly name: string },
  tell: Problems,
  path: PartPath = [],
): Provider | null {
  let isSound = true;
  const problems = (problem: PartProblem): void => {
    if (problem.weight === 'error') isSound = false;
    tell(problem);
  };
  const written = providerShape.read(value, path, problems);
  if (written === undefined) return null;
  checkEffects(written, path, problems);
  return isSound ? providerFrom(written, otherwise.name) : null;
}

function providerFrom(written: WrittenProvider, fileName: string): Provider {
  const { name = fileName, price } = written;
  return {
    name,
    label: written.label ?? name,
    cache: rulesFrom(written),
    exceptions: (written.exceptions ?? []).map(({ models, ...rules }) => ({ models: models!, rules })),
    serves: written.serves ?? name,
    shares:
      price == null
        ? null
        : { read: price.read!, write: price.write!, writeLong: price.writeLong ?? price.write! },
    defaultModel: written.model!,
    doubts: doubtsOf(written),
    source: written.source!,
  };
}

function rulesFrom(written: WrittenProvider): CacheRules {
  const { idle, long = null, max = null, refresh, tail = [] } = written.lifetime!;
  return {
    lookback: written.lookback!,
    grain: written.grain!,
    ...(written.minimum ?? { minimum: null, minimumFor: 'silent-models' }),
    written: written.written!,
    storesOutput: written.storesOutput ?? false,
    visibleAfter: written.visibleAfter!,
    lifetime: { idleMs: idle ?? TTL_5M_MS, longMs: long, maxMs: max, refresh: refresh!, tail },
    hit: written.hit === 'always' ? null : written.hit!,
    tellsWrites: written.tellsWrites ?? written.written === 'marks',
  };
}

/** What is not known: the sentences of the file, and one for each knob that it leaves open. */
function doubtsOf({ lifetime, minimum, hit, doubts }: WrittenProvider): readonly string[] {
  return [
    SAME_TOKENS,
    ...(lifetime!.idle === null ? [NOT_PROMISED] : []),
    ...(minimum === null ? [NO_MINIMUM] : []),
    ...doubts!,
    ...(hit === null ? [FOUND] : []),
  ];
}
