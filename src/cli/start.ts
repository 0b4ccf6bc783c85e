import { EXIT } from './exit-codes.js';
import { processHost } from './host.js';
import { runCli } from './run-cli.js';
import { listenForInterrupt } from './terminal/interrupt.js';

let isPrinted = true;

const host = processHost(listenForInterrupt(), (reason) => {
  isPrinted = false;
  host.stderr.write(`error[output-unwritable] the output cannot be written: ${reason}\n`);
  if (process.exitCode === EXIT.fine) process.exitCode = EXIT.input;
});

const code = await runCli(process.argv.slice(2), host);
process.exitCode = code === EXIT.fine && !isPrinted ? EXIT.input : code;
