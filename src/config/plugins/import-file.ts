import { pathToFileURL } from 'node:url';

/**
 * Loads an ES module. Another content is another module, though the path is the same. A file of its own in the build: Node 20
 * cannot keep compiled code of one with an `import()`.
 */
export function importFile(path: string, sha256: string): Promise<object> {
  return import(`${pathToFileURL(path).href}?sha256=${sha256}`);
}
