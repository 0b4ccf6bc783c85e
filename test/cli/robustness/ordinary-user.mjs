// Runs a command with the rights of an ordinary user, who may not read everything as root may:
// node ordinary-user.mjs COMMAND OPEN CLOSED runs it on OPEN first, so that all its code is loaded when the rights are given up.

const built = (path) => import(new URL(path, import.meta.url).href);
const { processHost } = await built('../../../dist/cli/host.js');
const { runCli } = await built('../../../dist/cli/run-cli.js');

const NOBODY = 65534;
const [command, open, closed] = process.argv.slice(2);
const host = processHost(new AbortController().signal, (reason) => {
  throw new Error(reason);
});
const unheard = { isTerminal: false, columns: null, write: () => {} };

await runCli([command, open], { ...host, stdout: unheard, stderr: unheard });
if (process.getuid() === 0) {
  process.setegid(NOBODY);
  process.seteuid(NOBODY);
}
process.exitCode = await runCli([command, closed], host);
