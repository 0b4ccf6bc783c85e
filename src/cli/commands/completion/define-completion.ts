import type { Command } from 'commander';
import { examples, shared } from '../../command-parts.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { oneOf } from '../../option-values.js';
import { type CliSession, printJson } from '../../session.js';

/** Adds `ccbench completion` to the command line. */
export function defineCompletion(
  program: Command,
  session: CliSession,
  settle: (code: ExitCode) => void,
): void {
  shared(
    program
      .command('completion')
      .description('Print the script that completes commands and options in a shell.'),
  )
    .argument('<shell>', 'bash, zsh, fish or powershell', oneOf('bash', 'zsh', 'fish', 'powershell'))
    .addHelpText(
      'after',
      examples(
        'completion bash >> ~/.bash_completion',
        'completion zsh >> ~/.zshrc',
        'completion fish > ~/.config/fish/completions/ccbench.fish',
        'completion powershell >> $PROFILE',
      ),
    )
    .action(async (shell) => {
      const [{ commandTree }, { completionScript }] = await Promise.all([
        import('./command-tree.js'),
        import('./scripts.js'),
      ]);
      const script = completionScript(shell, commandTree(program));
      if (session.json) printJson(session, { shell, script });
      else session.host.stdout.write(script);
      settle(EXIT.fine);
    });
}
