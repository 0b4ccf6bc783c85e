/** Whether a policy or a provider is named by its file. */
export function isFileName(name: string): boolean {
  return /\.ya?ml$/i.test(name) || /^(?:\.{1,2}[\\/]|[\\/]|~[\\/])/.test(name);
}

/** A name made of a file's: `agents/my-agent.yaml` is `my-agent`. */
export function stem(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/\.ya?ml$/i, '');
}
