import { readFileSync } from 'node:fs';
import { PACKAGE_FILE } from '../core/base/built.js';

/** The version of the package this file belongs to. */
export function packageVersion(): string {
  const text = readFileSync(PACKAGE_FILE, 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
