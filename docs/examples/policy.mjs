// Describes the context management of an agent and compares it with a shipped one.
import { definePolicy, runStudy } from 'ccbench';

const mine = definePolicy({
  name: 'half-full',
  description: 'Summarises all but the last 20,000 tokens once the window is half full.',
  rules: [
    {
      name: 'compact',
      when: { tokens: '>= 0.5·B' },
      select: { what: 'history', keep: { tokens: 20_000 } },
      ask: { shape: 'extend' },
      layout: ['summary', 'tail'],
    },
  ],
});

const study = await runStudy({
  scenario: `
name: long-day
transcript: { synthetic: { workload: bugfix, turns: 300, text: none } }
policy: none
seed: 3
`,
  variants: [
    { name: 'nothing', policy: 'unbounded' },
    { name: 'mine', policy: mine },
  ],
  metrics: ['costUsd', 'compactions', 'finishedShare'],
});

for (const { name, metrics } of study.rows)
  console.log(`${name}: $${metrics.costUsd.toFixed(2)}, ${metrics.compactions} compactions`);

// A mistake is reported with its path.
try {
  definePolicy({ name: 'wrong', rules: [{ name: 'compact', when: { tokns: '>= 0.5·B' } }] });
} catch (error) {
  console.log(error.message);
}
