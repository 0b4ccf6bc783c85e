/** A name in this many characters: the middle goes, as files often differ at their ends. */
export function shortName(name: string, most: number): string {
  if (name.length <= most) return name;
  const tail = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - tail)}…${name.slice(-tail)}`;
}

/** A path in this many characters: its end says more than its beginning. */
export function shortPath(path: string, most: number): string {
  return path.length <= most ? path : `…${path.slice(path.length - most + 1)}`;
}
