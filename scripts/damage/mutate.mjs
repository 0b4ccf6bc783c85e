import { gzipSync } from 'node:zlib';

/** Values that belong nowhere. */
const ODD_VALUES = [
  null,
  true,
  '',
  '\u001b[2J',
  'claude-sonnet-4-5',
  'x'.repeat(5_000),
  '\ud800',
  '../../etc/passwd',
  '2026-13-45T99:99:99Z',
  -1,
  0,
  0.5,
  1e308,
  -1e308,
  2 ** 53 + 2,
  [],
  {},
  [[[[]]]],
  { a: { b: { c: null } } },
  { __proto__: 1, constructor: 2, toString: 3 },
];

/** Pieces that mean something to a parser. */
const PIECES = [
  ...[
    ':',
    ' ',
    '  ',
    '\t',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a ',
    '*a',
    '&a [*a]',
    '- ',
    '? ',
    '!!binary ',
    '<<: *a',
  ],
  ...[
    '#',
    '\n',
    '\r\n',
    '\0',
    '|',
    '~',
    ',',
    '\\',
    '\\u0000',
    '\u2028',
    '\ufeff',
    '\u001b[31m',
    '.inf',
    '.nan',
  ],
  ...['1e309', '-1', '0', '999999999999', '1e9', '0x10', 'null', 'true', '{}', '[]', '"\\ud800"'],
];

/** Changes a text somewhere: pieces put in, taken out, doubled, moved. */
export function damageText(text, random) {
  let damaged = text;
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(damaged.length + 1);
    const size = random.below(random.pick([2, 12, 200]));
    const kind = random.below(6);
    if (kind === 0) damaged = damaged.slice(0, at) + random.pick(PIECES) + damaged.slice(at);
    else if (kind === 1) damaged = damaged.slice(0, at) + damaged.slice(at + size);
    else if (kind === 2) damaged = damaged.slice(0, at) + random.pick(PIECES) + damaged.slice(at + size);
    else if (kind === 3) damaged = damaged.slice(0, at + size) + damaged.slice(at);
    else if (kind === 4)
      damaged = damaged.replace(/-?\d+(\.\d+)?/g, (found) =>
        random.chance(0.1)
          ? random.pick(['0', '-1', '1e309', '0.5', '1e15', 'x', '99999999999999999999'])
          : found,
      );
    else damaged = damageLines(damaged, random);
  }
  return damaged;
}

/** Loses, cuts, doubles, swaps or shuffles lines. */
export function damageLines(text, random) {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const kind = random.below(6);
  if (kind === 0) lines.splice(at, 1 + random.below(3));
  else if (kind === 1) lines[at] = lines[at].slice(0, random.below(lines[at].length + 1));
  else if (kind === 2) lines.splice(at, 0, lines[random.below(lines.length)]);
  else if (kind === 3) lines.push(...lines.splice(at, 1 + random.below(5)));
  else if (kind === 4) lines.splice(at);
  else lines[at] = `${lines[at]}${lines[random.below(lines.length)]}`;
  return lines.join('\n');
}

/** Every place in a value, as a list of keys. */
function places(value, path = []) {
  if (value === null || typeof value !== 'object') return [path];
  return [path, ...Object.keys(value).flatMap((key) => places(value[key], [...path, key]))];
}

/** Puts an odd value in some places of a JSON value, or takes them out. */
export function damageJson(value, random) {
  const damaged = structuredClone(value);
  for (let n = 1 + random.below(3); n > 0; n--) {
    const all = places(damaged).filter((path) => path.length > 0);
    if (all.length === 0) break;
    const path = random.pick(all);
    const parent = path.slice(0, -1).reduce((item, key) => item[key], damaged);
    const key = path.at(-1);
    if (random.chance(0.3)) {
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
    } else if (random.chance(0.2) && typeof parent[key] === 'number')
      parent[key] *= random.pick([-1, 0, 1e3, 1e12, 0.37]);
    else parent[key] = structuredClone(random.pick(ODD_VALUES));
  }
  return damaged;
}

/** Damages the objects of some lines of a JSONL text. */
export function damageJsonLines(text, random) {
  const lines = text.split('\n');
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(lines.length);
    try {
      lines[at] = JSON.stringify(damageJson(JSON.parse(lines[at]), random));
    } catch {
      lines[at] = random.pick(PIECES);
    }
  }
  return lines.join('\n');
}

/** Flips, cuts, removes or repeats bytes. */
export function damageBytes(bytes, random) {
  let damaged = Buffer.from(bytes);
  for (let n = 1 + random.below(4); n > 0 && damaged.length > 0; n--) {
    const at = random.below(damaged.length);
    const kind = random.below(4);
    if (kind === 0) damaged[at] ^= 1 << random.below(8);
    else if (kind === 1) damaged = damaged.subarray(0, at);
    else if (kind === 2)
      damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + 1 + random.below(64))]);
    else damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(Math.max(0, at - 64))]);
  }
  return damaged;
}

/** A JSONL or JSON text in any of the ways: as text, by line, by value, by byte, packed and damaged then. */
export function damageRecord(text, random) {
  const kind = random.below(10);
  if (kind < 2) return Buffer.from(damageLines(text, random));
  if (kind < 6) return Buffer.from(damageJsonLines(text, random));
  if (kind < 7) return Buffer.from(damageText(text, random));
  if (kind < 8) return damageBytes(Buffer.from(text), random);
  if (kind < 9) return damageBytes(gzipSync(text), random);
  return gzipSync(damageJsonLines(text, random));
}
