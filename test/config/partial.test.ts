import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import type { LayerEntry } from '../../src/core/run/log-entries.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { ofType, runLog } from '../helpers/plan.js';

function compactions(partial: string): readonly LayerEntry[] {
  const text = `name: partial
transcript: { synthetic: { workload: bugfix, turns: 60, compactAt: [{ afterTurn: 30${partial} }] } }
policy: claude-code/2.1.112
`;
  const { plan, transcript } = compileScenario({ text, file: 'partial.yaml', set: [] }, builtinContext)
    .runs[0]!;
  if (transcript.kind !== 'synthetic') throw new Error('not a generated session');
  const entries = runLog(plan, generateTranscript(transcript.spec));
  return ofType(entries, 'layer').filter((entry) => entry.action === 'compact');
}

describe('partial compaction in a scenario', () => {
  it('FUL-10 FUL-11 the human may ask for the whole or for one side of a pivot', () => {
    const [whole] = compactions('');
    const [later] = compactions(', partial: { direction: from, messagesBack: 20 }');
    const [earlier] = compactions(', partial: { direction: up_to, messagesBack: 20 }');
    expect([whole, later, earlier].map((entry) => entry?.trigger)).toEqual(['manual', 'manual', 'manual']);
    expect(whole!.details.partial).toBeNull();
    expect(later!.details.partial).toBe('from');
    expect(earlier!.details.partial).toBe('up_to');
    expect(later!.cacheLost).toBeLessThan(earlier!.cacheLost);
  });
});
