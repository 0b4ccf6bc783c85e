/** Where the build stands when the program runs from it; null while the sources are run as they are. */
const ROOT = import.meta.url.endsWith('.ts')
  ? null
  : new URL(import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + '/dist/'.length));

/** A file of the build that processes and threads begin with, such as `cli/main`; null while the sources are run as they are. */
export function builtModule(name: string): URL | null {
  return ROOT === null ? null : new URL(`${name}.js`, ROOT);
}

/** The package.json that the program belongs to. */
export const PACKAGE_FILE =
  ROOT === null ? new URL('../../../package.json', import.meta.url) : new URL('../package.json', ROOT);
