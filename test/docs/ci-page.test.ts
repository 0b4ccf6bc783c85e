import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from '../../src/cli/session.js';
import { ROOT } from '../helpers/architecture/tree.js';
import { cliPage } from '../helpers/pages/cli-page.js';

const page = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
const workflow = readFileSync(join(ROOT, '.github/workflows/cost-guard.yml'), 'utf8');

/** Options of ccbench that a text uses, each with its command. */
function usedOptions(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/ccbench ([a-z]+)((?:[^\n`|]|\|\|)*)/g)].flatMap(([, command, rest]) =>
    [...rest!.matchAll(/(?<=\s)--[a-z][a-z-]+/g)].map(([option]) => [command!, option] as const),
  );
}

describe('docs/ci.md and the workflow', () => {
  it('use commands and options that exist', () => {
    const sections = new Map(
      cliPage()
        .split('\n## ccbench ')
        .map((section) => [section.split('\n')[0]!, section]),
    );
    const used = [...usedOptions(page), ...usedOptions(workflow)];
    expect(used.length).toBeGreaterThan(8);
    for (const [command, option] of used) expect(sections.get(command), command).toContain(option);
  });

  it('know the exit codes', () => {
    for (const code of [EXIT.fine, EXIT.input, EXIT.regression, EXIT.expectation, EXIT.interrupted])
      expect(page).toContain(`| ${code} |`);
  });

  it('can be called, and its steps are scripts that bash reads', () => {
    const { on, jobs } = parse(workflow);
    expect(Object.keys(on)).toEqual(['workflow_call']);
    for (const name of Object.keys(on.workflow_call.inputs)) expect(workflow).toContain(`inputs.${name}`);
    const scripts = jobs.cost.steps.flatMap((step: { run?: string }) => step.run ?? []);
    expect(scripts).toHaveLength(2);
    for (const script of scripts) execFileSync('bash', ['-n', '-c', script]);
  });
});
