import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The JSON objects of a folder's files in the order of their names; those half written are left out. */
export function jsonFolder(folder: string): readonly Readonly<Record<string, unknown>>[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names.sort().flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), 'utf8'))];
    } catch {
      return [];
    }
  });
}
