import { describe, expect, it } from 'vitest';
import type { FileState } from '../../../../src/agent/layers/file-state/file-state.js';
import { PlanState } from '../../../../src/agent/layers/restore/work-state.js';
import type { BlockFacts } from '../../../../src/core/model/block.js';
import { userText } from '../../../helpers/blocks.js';

const block = (text: string, facts: BlockFacts = {}) => userText(text.length, { text, facts });
const NO_FILES = { get: () => undefined } as unknown as FileState;

/** What comes back of a plan, by its label. */
const namesOf = (plan: PlanState): readonly string[] => plan.items(NO_FILES).map(({ label }) => label);

describe('plan mode', () => {
  it('is on from its beginning, by call or by what the client says, to its end', () => {
    for (const type of ['plan_mode', 'plan_mode_reentry']) {
      const plan = new PlanState();
      plan.observeAttachment(type, block('plan mode is on', { path: '/plans/a.md' }));
      expect([namesOf(plan), plan.path]).toEqual([['plan mode'], '/plans/a.md']);
      plan.observeAttachment('other', block('something else'));
      expect(namesOf(plan)).toEqual(['plan mode']);
      plan.observeAttachment('plan_mode_exit', block('over'));
      expect([namesOf(plan), plan.path]).toEqual([[], '/plans/a.md']);
    }
  });

  it('ends with the plan that was given, or the file that it is in', () => {
    const plan = new PlanState();
    plan.apply({ kind: 'plan-enter' }, block('call'), block('entered'));
    plan.apply({ kind: 'write' } as never, block('call', { path: '/plans/b.md' }), block('written'));
    expect([namesOf(plan), plan.path]).toEqual([['plan mode'], '/plans/b.md']);
    plan.apply({ kind: 'plan-exit', chars: 8, path: null } as never, block('the plan'), block('left'));
    expect([namesOf(plan), plan.path]).toEqual([['plan'], '/plans/b.md']);
    // Outside of plan mode a file that is written is no plan.
    plan.apply({ kind: 'write' } as never, block('call', { path: '/src/c.ts' }), block('written'));
    expect(plan.path).toBe('/plans/b.md');
    const version = block('the plan as it is in the file');
    const files = { get: (path: string) => (path === '/plans/b.md' ? { version } : undefined) };
    const [item] = plan.items(files as unknown as FileState);
    expect(item!.label).toBe('plan');
    expect(item).not.toEqual(plan.items(NO_FILES)[0]);
  });

  it('leaves nothing where no plan was given', () => {
    const plan = new PlanState();
    plan.apply({ kind: 'plan-exit', chars: 0, path: null } as never, block('call'), block('left'));
    expect([namesOf(plan), plan.path]).toEqual([[], null]);
  });
});
