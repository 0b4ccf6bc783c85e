import { isGroup, type PartPath, type Problems } from '../../core/base/shape.js';
import type { CountPart, PartsPolicy } from '../../core/run/parts.js';

/** Keys of `count` that a source does not go by. */
const IDLE: Readonly<Record<CountPart['source'], readonly string[]>> = {
  usage: ['charsPerToken', 'scale', 'perMessage', 'perImage', 'calibrate'],
  'usage+new': ['calibrate'],
  estimate: ['of', 'since', 'pastReasoning'],
  max: [],
  tokenizer: [
    'of',
    'charsPerToken',
    'scale',
    'perMessage',
    'perImage',
    'since',
    'calibrate',
    'pastReasoning',
  ],
};

/** Refuses what the client is told to do and that nothing in the policy goes by. */
export function checkClient(written: unknown, policy: PartsPolicy, path: PartPath, problems: Problems): void {
  const refuse = (at: PartPath, message: string, hint: string | null = null): void =>
    problems({ path: [...path, ...at], side: 'key', offset: null, message, hint, weight: 'error' });
  if (!isGroup(written)) return;
  const idleOf = (count: unknown, { source }: CountPart, at: PartPath): void => {
    for (const key of isGroup(count) ? Object.keys(count) : [])
      if (IDLE[source].includes(key))
        refuse([...at, key], `\`${key}\` has no effect where \`source\` is ${source}`, 'take it out');
  };
  idleOf(written.count, policy.count, ['count']);
  policy.rules.forEach(({ count }, i) => {
    const rule = Array.isArray(written.rules) ? written.rules[i] : undefined;
    if (count !== undefined && isGroup(rule)) idleOf(rule.count, count, ['rules', i, 'count']);
  });
  const asks = policy.rules.filter(({ ask, replace }) => ask !== null && replace === null);
  for (const key of isGroup(written.guards) && asks.length === 0 ? Object.keys(written.guards) : [])
    if (['breaker', 'perTurn', 'cooldown', 'spend'].includes(key))
      refuse(['guards', key], `\`${key}\` has no effect: no rule asks for a summary of the history`);
  const shares = asks.some(
    ({ ask }) => ask?.model === null && ask.shapes[0] !== 'own' && ask.shapes[0] !== 'text',
  );
  if (policy.cache.warmBefore !== undefined && !shares)
    refuse(
      ['cache', 'warmBefore'],
      '`warmBefore` has no effect: no summary request shares the main one',
      'write ask: { shape: extend }, or take it out',
    );
}
