import { gzipSync } from 'node:zlib';
import { isMap, isPair, isScalar, isSeq, parseDocument } from 'yaml';

/** The pieces of a YAML text that begin with a key of its outermost map; what is before the first stays in front. */
function topPieces(text) {
  return text.split(/^(?=[A-Za-z])/m);
}

/** Changes of a YAML text that mean nothing: comments, empty lines, ends of lines, the order of the outermost keys. */
export function harmlessYaml(text, random) {
  let [head, ...pieces] = topPieces(text);
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(pieces.length);
    const kind = random.below(5);
    if (kind === 0) pieces[at] = `# ${random.pick(['note', 'a: b', '"', '{', '\u00e4'])}\n${pieces[at]}`;
    else if (kind === 1) pieces[at] = `${pieces[at]}${pieces[at].endsWith('\n') ? '' : '\n'}\n\n`;
    else if (kind === 2) pieces.reverse();
    else if (kind === 3) head = `# first\n${head}`;
    else pieces[at] = pieces[at].replace(/^([\w-]+:) /, '$1   ');
    pieces = pieces.map((piece) => (piece.endsWith('\n') ? piece : `${piece}\n`));
  }
  const changed = [head, ...pieces].join('');
  const end = random.below(6);
  if (end === 0) return changed.replaceAll('\n', '\r\n');
  if (end === 1) return `\ufeff${changed}`;
  return end === 2 ? `---\n${changed}` : changed;
}

/** Every pair below a node, with its path. */
function pairsIn(node, path = []) {
  if (isMap(node))
    return node.items.flatMap((pair) => {
      const own = [...path, String(pair.key)];
      return [{ pair, path: own }, ...pairsIn(pair.value, own)];
    });
  return isSeq(node) ? node.items.flatMap((item) => (isPair(item) ? [] : pairsIn(item, path))) : [];
}

const cutIn = (text, [from, to], piece) => text.slice(0, from) + piece + text.slice(to);

/** A change of a YAML text that must be named: a key that there is none of, a second one, a value of another type, no YAML. */
export function wrongYaml(text, random, isFree) {
  const pairs = pairsIn(parseDocument(text).contents).filter(({ path }) => !isFree(path));
  const { pair } = random.pick(pairs);
  const key = pair.key.range;
  const value = pair.value?.range ?? null;
  const numbers = pairs.filter(
    (item) => isScalar(item.pair.value) && typeof item.pair.value.value === 'number',
  );
  const kind = random.below(6);
  if (kind === 0) {
    const at = key[0] + 1 + random.below(String(pair.key).length);
    return cutIn(text, [at, at], 'q');
  }
  if (kind === 1) return `${text}${text.endsWith('\n') ? '' : '\n'}${random.pick(topPieces(text).slice(1))}`;
  if (kind === 2 && numbers.length > 0)
    return cutIn(text, random.pick(numbers).pair.value.range, random.pick(['x7', '.nan', '"', '-.inf']));
  if (kind === 3) return cutIn(text, [key[0], key[0]], random.pick(['{ ', '[', '"', '*none ', '}']));
  if (value === null) return `${text}\n}`;
  return cutIn(text, value, random.pick(['{ zz: 1 }', '[[[]]]', '!!binary x', '"\\u0000"']));
}

function reversed(value) {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

/** Changes of a JSON text that mean nothing: spaces, ends of lines, and the order of keys where that says nothing. */
export function harmlessJson(text, random, order = 'free') {
  const value = JSON.parse(text);
  const json = JSON.stringify(
    order === 'free' && random.chance(0.5) ? reversed(value) : value,
    null,
    random.pick([0, 1, 4, '\t']),
  );
  return random.pick([json, `${json}\n`, `\n${json}\n\n`, `${json.replaceAll('\n', '\r\n')}\r\n`]);
}

/** Changes of a JSONL text that mean nothing: empty lines, ends of lines, spaces, packing. */
export function harmlessLines(text, random) {
  let lines = text.split('\n').filter((line) => line !== '');
  const kind = random.below(4);
  if (kind === 0) lines.splice(random.below(lines.length + 1), 0, '');
  else if (kind === 1) lines = lines.map((line) => (random.chance(0.2) ? `${line}  ` : line));
  else if (kind === 2) lines = lines.map((line) => line.replace(/^\{/, random.pick(['{ ', '{', '{\t'])));
  const joined = `${lines.join(random.chance(0.3) ? '\r\n' : '\n')}${random.pick(['', '\n', '\n\n'])}`;
  return random.chance(0.2) ? gzipSync(joined) : Buffer.from(joined);
}

/** Other ends of lines; a log has no empty ones. */
export function harmlessEnds(text, random) {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => line + random.pick(['', ' ', '\t', '\r'])).join('\n') + random.pick(['', '\n']);
}

/** A JSONL text with one line that is no JSON. */
export function brokenLine(text, random) {
  const lines = text.split('\n').filter((line) => line !== '');
  const at = random.below(lines.length);
  const line = lines[at];
  const broken = [line.slice(0, 1 + random.below(line.length - 1)), `${line}}`, `x${line}`, '{"type":'];
  lines[at] = random.pick(broken);
  return { text: `${lines.join('\n')}\n`, line: at + 1 };
}
