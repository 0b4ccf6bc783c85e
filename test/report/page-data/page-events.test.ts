import { expect, it } from 'vitest';
import { pageEvents } from '../../../src/report/page-data/page-events.js';
import { faultEntry, requestEntry } from '../../helpers/log.js';

it('quotes what was needed and gone, and says where it was', () => {
  const fault = faultEntry({ what: 'const RETRIES = 3', path: '/a.ts' });
  const said = faultEntry({ kind: 'lost', origin: 'user', tool: null, what: 'no tabs', tokens: 1 });
  expect(pageEvents([requestEntry(), fault, said])).toMatchObject([
    {
      after: 1,
      turn: 9,
      name: 'needed and gone',
      outcome: 'refetch',
      reason: '“const RETRIES = 3” of Read /a.ts, 1,000 tokens',
    },
    { outcome: 'lost', reason: '“no tabs” of user, 1 token' },
  ]);
});
