import { paramSpecs, policyRegistry } from '../../../agent/policies/catalogue.js';
import { type Column, tableLines } from '../../../report/text/table.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, printJson } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';

const COLUMNS: readonly Column[] = [
  { header: 'policy', align: 'left', drop: null },
  { header: 'kind', align: 'left', drop: 1 },
  { header: 'what it is', align: 'left', drop: null },
];

/** `ccbench policies`: every policy with one sentence. */
export async function policiesCommand(session: CliSession, options: PluginOptions): Promise<ExitCode> {
  return withPlugins(session, [], options, () => listPolicies(session));
}

function listPolicies(session: CliSession): ExitCode {
  const all = policyRegistry.all();
  if (session.json) {
    const policies = all.map(({ name, kind, summary, tiers, sources }) => ({
      name,
      kind,
      summary,
      tiers,
      sources,
    }));
    printJson(session, { policies, parameters: paramSpecs() });
    return EXIT.fine;
  }
  const rows = all.map(({ name, kind, summary }) => ({ cells: [name, kind, summary] }));
  const screen = screenFor(session.host.stdout, session.colors);
  session.host.stdout.write(`${tableLines(COLUMNS, rows, { indent: '', ...screen }).join('\n')}\n`);
  return EXIT.fine;
}
