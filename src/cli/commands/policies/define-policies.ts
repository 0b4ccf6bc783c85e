import type { Command } from 'commander';
import { examples, extensible, shared } from '../../command-parts.js';
import type { ExitCode } from '../../exit-codes.js';
import { collect, tokens } from '../../option-values.js';
import type { PluginOptions } from '../../runs/with-plugins.js';
import type { CliSession } from '../../session.js';

/** The model that policies are explained for where none is named. */
const SHOWN_MODEL = 'claude-sonnet-4-5';

/** Adds `ccbench policies` and what it has below it to the command line. */
export function definePolicies(
  program: Command,
  session: CliSession,
  settle: (code: ExitCode) => void,
): void {
  const policies = extensible(
    shared(
      program
        .command('policies')
        .description('List the policies, or show one with every parameter and its source.'),
    ),
  )
    .addHelpText(
      'after',
      examples('policies', 'policies show claude-code/2026', 'policies show claude-code/2.1.112 --json'),
    )
    .action(async (options) => {
      const { policiesCommand } = await import('./list-policies.js');
      settle(await policiesCommand(session, options));
    });
  const ofPolicies = (command: Command): PluginOptions => ({
    plugin: [...(policies.opts().plugin ?? []), ...(command.opts().plugin ?? [])],
  });
  extensible(
    shared(
      policies
        .command('show')
        .description('Show one policy: tiers, thresholds, parameters with unit, help and source.'),
    ),
  )
    .argument('<policy>', 'name of the policy, or its file')
    .option('--model <model>', 'model whose window and longest answer decide the thresholds', SHOWN_MODEL)
    .option('--window <tokens>', 'window in the place of the model’s', tokens)
    .option('--max-output <tokens>', 'longest answer in the place of the model’s', tokens)
    .option('--set <path=value>', 'change a parameter (repeatable)', collect)
    .addHelpText(
      'after',
      examples(
        'policies show claude-code/2.1',
        'policies show claude-code/2026 --set window.percent=50 --json',
        'policies show ./my-agent.yaml --window 128000 --max-output 32000',
      ),
    )
    .action(async (name, options, command) => {
      const { showPolicyCommand } = await import('./show-policy.js');
      const plugins = ofPolicies(command);
      settle(await showPolicyCommand(session, name, { ...options, ...plugins, set: options.set ?? [] }));
    });

  extensible(
    shared(
      policies
        .command('check')
        .description('Check a policy file: what is wrong with it, or what it will do, in plain sentences.'),
    ),
  )
    .argument('<file>', 'policy file (YAML)')
    .addHelpText('after', examples('policies check my-agent.yaml', 'policies check my-agent.yaml --json'))
    .action(async (file, _options, command) => {
      const { checkPolicyCommand } = await import('./check-policy.js');
      settle(await checkPolicyCommand(session, file, { ...ofPolicies(command), model: SHOWN_MODEL }));
    });
  shared(policies.command('new').description('Write a starter policy file, with a comment at every part.'))
    .argument('[name]', 'name of the policy and of its file', 'my-agent')
    .option('--force', 'overwrite a file of this name')
    .addHelpText('after', examples('policies new', 'policies new my-agent'))
    .action(async (name, options) => {
      const { newPolicyCommand } = await import('./new-policy.js');
      settle(await newPolicyCommand(session, name, options));
    });
  shared(
    policies
      .command('clients')
      .description('List the clients: what each does towards the cache, and how that is known.'),
  )
    .addHelpText('after', examples('policies clients', 'policies clients --json'))
    .action(async () => {
      const { clientsCommand } = await import('./list-policies.js');
      settle(clientsCommand(session));
    });
}
