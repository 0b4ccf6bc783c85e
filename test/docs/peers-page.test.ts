import { it } from 'vitest';
import { expectGenerated } from '../helpers/pages/generated.js';
import { peersPage } from '../helpers/pages/peers-page.js';

it('docs/peers.md lists exactly the policies of other agents there are', () => {
  expectGenerated('docs/peers.md', peersPage());
});
