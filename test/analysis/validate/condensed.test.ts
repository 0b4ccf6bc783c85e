import { expect, it } from 'vitest';
import { condensed, fidelityReport } from '../../../src/analysis/validate/report.js';
import { validateTranscript } from '../../../src/analysis/validate/validate.js';
import { fixtureText } from '../../helpers/generators/make-fixture.js';
import { readAny } from '../../helpers/recordings/read-any.js';

const FILES = [1, 2, 3].map((seed) => {
  const text = fixtureText({ workload: 'bugfix', turns: 12, seed });
  return validateTranscript(readAny(Buffer.from(text), { id: `s${seed}` }), `s${seed}`);
});

it('a report over sessions is the same from what is kept of each', () => {
  for (const worst of [0, 2, 100])
    expect(
      fidelityReport(
        FILES.map((file) => condensed(file, worst, 'worst')),
        null,
        worst,
      ),
    ).toEqual(fidelityReport(FILES, null, worst));
});

it('what is kept of a session holds nothing of its recording', () => {
  const kept = condensed(FILES[0]!, 5, 'all');
  expect(kept.comparisons.blind).toHaveLength(FILES[0]!.comparisons.blind.length);
  expect(JSON.stringify(kept)).not.toMatch(/"(?:call|previous|response|blocks)":/);
});
