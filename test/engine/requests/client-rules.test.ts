import { describe, expect, it } from 'vitest';
import { BARE_API } from '../../../src/agent/client/clients.generated.js';
import type { LayerDefinition } from '../../../src/core/run/layer.js';
import type { ParamValues } from '../../../src/core/run/params.js';
import { clientRules } from '../../../src/engine/requests/run-env.js';

const PARAMS: ParamValues = { 'client.retries': 3 };
const rules = (set: ParamValues = {}, layers: readonly string[] = [], behaviours = BARE_API) =>
  clientRules(
    { ...PARAMS, ...set },
    layers.map((name) => ({ name }) as LayerDefinition),
    behaviours,
  );

describe('how a client goes about its requests', () => {
  it('without a word on anything: tries again, and does nothing of its own', () => {
    expect(rules()).toEqual({
      retries: 3,
      resends: false,
      dropsThinking: true,
      breakpoints: 'system+last',
      marksSharedEnd: false,
      deletedIsFree: true,
      keepsRecord: false,
    });
  });

  it('is told by parameters', () => {
    const set = {
      'client.resendWithoutStreaming': true,
      'agents.mark': 'shared-end',
      'microcompact.cached.billDeleted': 'read',
    };
    expect(rules(set)).toMatchObject({ resends: true, marksSharedEnd: true, deletedIsFree: false });
    const others = { 'agents.mark': 'last', 'microcompact.cached.billDeleted': 'free' };
    expect(rules(others)).toMatchObject({ marksSharedEnd: false, deletedIsFree: true });
  });

  it('K5 is told by behaviours: thinking of earlier turns goes where the model drops it, and stays where all is kept', () => {
    const keeping = { ...BARE_API, thinking: 'keep-all', breakpoints: 'none' } as const;
    expect(rules({}, [], keeping)).toMatchObject({ dropsThinking: false, breakpoints: 'none' });
  });

  it('DRM-1 is told by layers: a session that dreams keeps its record', () => {
    expect([rules({}, ['storage', 'dreaming']), rules({}, ['storage'])]).toMatchObject([
      { keepsRecord: true },
      { keepsRecord: false },
    ]);
  });
});
