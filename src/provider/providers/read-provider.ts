import { type Path, type Problems, problemAt, watchProblems } from '../../core/base/errors.js';
import { readBy } from '../../core/base/schema-problems.js';
import { type CacheRules, type Provider, SAME_TOKENS } from '../../core/run/provider.js';
import { MATCH } from '../cache/cache-rules.js';
import { TTL_5M_MS } from '../cache/ttl.js';
import { providerSchema, type WrittenProvider } from './provider-schema.js';

/** Refuses what a file says and nothing would come of, with the reason. */
function checkEffects(written: WrittenProvider, problems: Problems): void {
  const refuse = (at: Path, message: string, hint: string): void =>
    problems(problemAt(at, message, { hint }));
  const idle = (at: Path, why: string, hint: string): void =>
    refuse(at, `\`${String(at.at(-1))}\` has no effect: ${why}`, hint);
  const { match, lifetime, price, hit, exceptions = [] } = written;
  const kind = written.written;
  if (match !== MATCH[kind])
    refuse(
      ['match'],
      `what is written at \`${kind}\` is read by \`${MATCH[kind]}\`, not by \`${match}\``,
      `write \`match: ${MATCH[kind]}\`, or another \`written:\``,
    );
  const { long = null, max = null, refresh, tail = [] } = lifetime;
  if (kind === 'marks') {
    const marked = 'entries stand at the marks of the client';
    if (written.grain !== null) idle(['grain'], `${marked}, and reads end there`, 'write null');
    if (written.storesOutput === true)
      idle(['storesOutput'], `${marked}, and answers have none`, 'remove it');
    if (written.tellsWrites === false)
      idle(['tellsWrites'], 'what is written at marks is always reported', 'remove it');
    if (hit !== null && hit !== 'always')
      idle(['hit'], 'entries at marks are found while they live', 'write always, or null if not known');
    if (max !== null) idle(['lifetime', 'max'], 'entries at marks live on with each use', 'write null');
    if (refresh === 'none')
      idle(['lifetime', 'refresh'], 'entries at marks live on with each use', 'write on-hit');
    if (tail.length > 0)
      idle(
        ['lifetime', 'tail'],
        'how entries at marks fade is a setting of the run',
        'remove it, and write `cache: { fade: … }` in the scenario',
      );
    if (exceptions.length > 0) idle(['exceptions'], `${marked}, whatever the model`, 'remove them');
  } else {
    if (written.lookback !== null)
      idle(['lookback'], 'without marks the longest entry is read, however far back', 'write null');
    if (long !== null)
      idle(['lifetime', 'long'], 'requests ask for a longer life at their marks alone', 'write null');
    if (kind === 'head' && written.storesOutput === true)
      idle(['storesOutput'], 'only the head of the prompt is stored', 'remove it');
  }
  if (price?.writeLong !== undefined && long === null)
    idle(['price', 'writeLong'], 'all entries have one lifetime', 'remove it, or write `lifetime.long`');
  const idleMs = lifetime.idle ?? TTL_5M_MS;
  if (max !== null && max < idleMs)
    idle(['lifetime', 'idle'], '`max` ends every entry before', 'write a longer `max`');
  if (tail.length > 0 && tail[0]!.afterMs <= idleMs)
    idle(['lifetime', 'tail'], 'its first point lies before `idle`', 'begin after `idle`');
  exceptions.forEach((exception, i) => {
    if (exception.grain === undefined && exception.storesOutput === undefined)
      idle(['exceptions', i, 'models'], 'nothing is different', 'add `grain` or `storesOutput`');
  });
}

const NOT_PROMISED = 'How long entries live is not promised: five minutes after their last use are assumed.';
const NO_MINIMUM = 'The smallest prefix that is cached is not published: none is assumed.';
const FOUND = 'The chance that an entry is found is not known: every living entry is taken to be found.';

/** Reads a written provider; null when it cannot be used. What is wrong goes to `problems`. */
export function readProvider(
  value: unknown,
  otherwise: { readonly name: string },
  report: Problems,
): Provider | null {
  const { problems, isSound } = watchProblems(report);
  const written = readBy(providerSchema, value, problems);
  if (written === undefined) return null;
  checkEffects(written, problems);
  return isSound() ? providerFrom(written, otherwise.name) : null;
}

function providerFrom(written: WrittenProvider, fileName: string): Provider {
  const { name = fileName, price } = written;
  return {
    name,
    label: written.label ?? name,
    cache: rulesFrom(written),
    exceptions: (written.exceptions ?? []).map(({ models, ...rules }) => ({ models, rules })),
    serves: written.serves ?? name,
    shares:
      price == null
        ? null
        : { read: price.read, write: price.write, writeLong: price.writeLong ?? price.write },
    defaultModel: written.model,
    doubts: doubtsOf(written),
    source: written.source,
  };
}

function rulesFrom(written: WrittenProvider): CacheRules {
  const { idle, long = null, max = null, refresh, tail = [] } = written.lifetime;
  return {
    lookback: written.lookback,
    grain: written.grain,
    ...(written.minimum ?? { minimum: null, minimumFor: 'silent-models' }),
    written: written.written,
    storesOutput: written.storesOutput ?? false,
    visibleAfter: written.visibleAfter,
    lifetime: { idleMs: idle ?? TTL_5M_MS, longMs: long, maxMs: max, refresh, tail },
    hit: written.hit === 'always' ? null : written.hit,
    tellsWrites: written.tellsWrites ?? written.written === 'marks',
  };
}

/** What is not known: the sentences of the file, and one for each knob that it leaves open. */
function doubtsOf({ lifetime, minimum, hit, doubts }: WrittenProvider): readonly string[] {
  return [
    SAME_TOKENS,
    ...(lifetime.idle === null ? [NOT_PROMISED] : []),
    ...(minimum === null ? [NO_MINIMUM] : []),
    ...doubts,
    ...(hit === null ? [FOUND] : []),
  ];
}
