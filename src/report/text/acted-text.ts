import { formatCount } from '../../core/base/format.js';
import type { PageLayer } from '../page-data/page-data.js';

/** How often a layer acted, and how often it looked and did nothing. */
export function actedText({ acts, declined }: Pick<PageLayer, 'acts' | 'declined'>): string {
  const times = (count: number): string => (count === 1 ? 'once' : `${formatCount(count)} times`);
  const acted = acts === 0 ? 'did not act' : `acted ${times(acts)}`;
  return declined === 0 ? acted : `${acted}, declined ${times(declined)}`;
}
