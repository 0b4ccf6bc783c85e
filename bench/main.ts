// `ccbench bench` with all suites.
import { benchCommand } from '../src/cli/commands/bench/bench.js';
import { processHost } from '../src/cli/host.js';
import { LOADS } from '../src/cli/load-command.js';
import { runCli } from '../src/cli/run-cli.js';
import { listenForInterrupt } from '../src/cli/terminal/interrupt.js';
import { ALL_SUITES } from './suites.js';

const host = processHost(listenForInterrupt(), (reason) => {
  process.stderr.write(`the output cannot be written: ${reason}\n`);
});
const bench: typeof benchCommand = (session, names, options) =>
  benchCommand(session, names, options, ALL_SUITES);
const loads = { ...LOADS, bench: async () => bench };
void runCli(['bench', ...process.argv.slice(2)], host, loads).then((code) => {
  process.exitCode = code;
});
