import { CcbenchError } from '../core/base/errors.js';
import { strayFault } from './fail.js';
import { processHost } from './host.js';
import { runCli } from './run-cli.js';
import { EXIT } from './session.js';
import { listenForInterrupt } from './terminal/interrupt.js';

let isPrinted = true;
let isOver = false;

const host = processHost(listenForInterrupt(), (reason) => {
  isPrinted = false;
  host.stderr.write(`error[output-unwritable] the output cannot be written: ${reason}\n`);
  if (process.exitCode === EXIT.fine) process.exitCode = EXIT.input;
});

/** Ends the process with an error, even while work is in progress. */
function giveUp(error: CcbenchError): void {
  isOver = true;
  process.exitCode = error.code === 'internal' ? EXIT.internal : EXIT.input;
  process.stderr.write(`error[${error.code}]: ${error.message}\n`);
}

// Work that a plug-in left running may fail during the command: nothing awaits it.
process.on('uncaughtException', (error) => {
  giveUp(strayFault(error));
  process.exit();
});

// With nothing left to wait for, Node ends a process whose command is still waiting, and calls that fine.
process.on('exit', () => {
  if (!isOver && (process.exitCode ?? EXIT.fine) === EXIT.fine)
    giveUp(new CcbenchError('internal', 'the command ended before it finished'));
});

// A timer that a plug-in started must not keep a finished command from ending; what is printed goes out first.
const ENDED_CHECK_MS = 20;

// Not awaited: what a command imports may be in one file with this module, which would then wait for itself.
void runCli(process.argv.slice(2), host).then((code) => {
  isOver = true;
  process.exitCode = code === EXIT.fine && !isPrinted ? EXIT.input : code;
  setInterval(() => {
    if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
  }, ENDED_CHECK_MS).unref();
});
