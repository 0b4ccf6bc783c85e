/** What a dream may run (DRM-4). @internal */
export const READ_COMMANDS = ['ls', 'find', 'grep', 'cat', 'stat', 'wc', 'head', 'tail'] as const;

const SHELL = /[;&|<>`$\n\r]/;
const FIND_WRITES = /(^|\s)-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)(\s|$)/;

/** True for a command that only reads: one of the few, without redirection, substitution or a second command. */
export function isReadOnlyCommand(command: string): boolean {
  const [name] = command.trim().split(/\s+/, 1);
  if (name === undefined || SHELL.test(command)) return false;
  if (!(READ_COMMANDS as readonly string[]).includes(name)) return false;
  return name !== 'find' || !FIND_WRITES.test(command);
}
