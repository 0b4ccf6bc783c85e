import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { foldLog } from '../../src/metrics/fold.js';
import { LAYER_COLUMNS, layerRows } from '../../src/report/text/terminal-blocks.js';
import { generateTranscript } from '../../src/transcripts/synthetic/generate-transcript.js';
import { runLog } from '../helpers/plan.js';

/** `clear` has its turn long before `compact`, and never finds a result of ten million characters. */
const TEXT = `
name: rules
transcript: { synthetic: { workload: refactor, turns: 80 } }
model: claude-sonnet-4-5
policy:
  rules:
    - name: clear
      when: { tokens: ">= 30k" }
      select: { what: tool-results, minChars: 10m }
      replace: { with: placeholder }
      then: go-on
    - name: compact
      when: { tokens: ">= 60k" }
      select: { what: history, keep: { tokens: 4k } }
      ask: { shape: extend }
      layout: [summary, tail]
`;

describe('the table of layers', () => {
  it('has a row for each rule of a policy file, also for one that never acted', () => {
    const [run] = compileScenario({ text: TEXT, file: 'a.yaml', set: [] }, builtinContext).runs;
    const transcript = generateTranscript({ workload: 'refactor', turns: 80, seed: 1 });
    const log = runLog(run!.plan, transcript);
    const compacted = log.filter(({ type }) => type === 'layer').length;
    expect(compacted).toBeGreaterThan(0);
    const rows = layerRows(foldLog(log)).map(({ cells }) => cells);
    expect(LAYER_COLUMNS.slice(0, 3).map(({ header }) => header)).toEqual(['layer', 'fired', 'done']);
    expect(rows.map(([name, fired, done]) => [name, fired, done])).toEqual([
      ['rules', `${compacted}`, `${compacted}`],
      ['  clear', '0', '0'],
      ['  compact', `${compacted}`, `${compacted}`],
    ]);
    for (const cells of rows) expect(cells).toHaveLength(LAYER_COLUMNS.length);
  });

  it('says how many summaries of a rule were asked for and never used', () => {
    // Beside the work, and put in place at a size that is never reached.
    const late = TEXT.replace(
      'shape: extend',
      'shape: extend, run: { background: { apply: { at: ">= 150m" } } }',
    );
    const [run] = compileScenario({ text: late, file: 'a.yaml', set: [] }, builtinContext).runs;
    const log = runLog(run!.plan, generateTranscript({ workload: 'refactor', turns: 80, seed: 1 }));
    const rows = layerRows(foldLog(log)).map(({ cells }) => cells);
    expect(rows.map(([name, fired, done]) => [name, fired, done])).toEqual([
      ['rules', '1', '0'],
      ['  clear', '0', '0'],
      ['  compact', '1', '0'],
      ['    unused', '1', ''],
    ]);
    for (const cells of rows) expect(cells).toHaveLength(LAYER_COLUMNS.length);
  });
});
