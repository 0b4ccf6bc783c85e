import { getOrMake } from '../../../core/base/once.js';
import { createRandom, type Random } from '../../../core/base/random.js';
import type { Text } from '../../../core/model/text.js';
import { FACTS } from '../synthetic.generated.js';

/** What a filler looks like; `words` is one line without quotes, safe inside JSON. */
export type FillerStyle = 'code' | 'output' | 'prose' | 'words';

/** What is needed to make a filler. */
export interface FillerInit {
  readonly style: FillerStyle;
  readonly chars: number;
  /** Equal seeds read equal; a text without one is like no other. */
  readonly seed?: number;
  /** Text in front of the filler; it may hold `fillerHole`s. */
  readonly head?: string;
  readonly tail?: string;
}

const HOLE_START = '\uE000';
const HOLE = /\uE000(\d+)\uE001/g;

/** A place in a head where this many characters of filler stand once it is read. */
export function fillerHole(chars: number): string {
  return `${HOLE_START}${chars}\uE001`;
}

/** A text of exact length that is written each time it is read, the same every time. */
export class FillerText implements Text {
  readonly chars: number;
  readonly style: FillerStyle;
  readonly seed: number;
  readonly head: string;
  readonly tail: string;

  constructor(init: FillerInit, ownSeed: number) {
    this.chars = init.chars;
    this.style = init.style;
    this.seed = init.seed ?? ownSeed;
    this.head = init.head ?? '';
    this.tail = init.tail ?? '';
  }

  read(): string {
    const head = wholeHead(this);
    const room = this.chars - head.length - this.tail.length;
    if (room <= 0) return (head + this.tail).slice(0, this.chars).padEnd(this.chars, ' ');
    return head + fill(this.style, this.seed, room) + this.tail;
  }

  start(chars: number): string {
    const head = wholeHead(this);
    const room = this.chars - head.length - this.tail.length;
    if (room < chars) return this.read().slice(0, chars);
    return (head + fill(this.style, this.seed, chars)).slice(0, chars);
  }
}

function wholeHead({ head, style, seed }: FillerText): string {
  if (!head.includes(HOLE_START)) return head;
  return head.replace(HOLE, (_, chars: string) => fill(style, seed + 1, Number(chars)));
}

const CHUNKS = 256;

type Line = (random: Random) => string;

const LINES: Readonly<Record<FillerStyle, Line>> = {
  code(random) {
    const noun = random.pick(FACTS.nouns);
    const other = random.pick(FACTS.nouns);
    const verb = random.pick(FACTS.verbs);
    return random.pick([
      `  const ${noun} = ${verb}${capital(other)}(${random.pick(FACTS.nouns)}, ${random.integer(0, 4_096)});\n`,
      `export function ${verb}${capital(noun)}(${other}: ${capital(noun)}): number {\n`,
      `  if (${noun}.${other} > ${random.integer(1, 900)}) return ${verb}(${noun});\n`,
      `  // ${verb} the ${noun} of each ${other}\n`,
      '}\n\n',
    ]);
  },
  output(random) {
    const path = `src/${random.pick(FACTS.nouns)}/${random.pick(FACTS.nouns)}.ts`;
    return random.pick([
      `${path}:${random.integer(1, 900)}: ${random.pick(FACTS.verbs)}${capital(random.pick(FACTS.nouns))}(${random.pick(FACTS.nouns)})\n`,
      `ok ${random.integer(1, 400)} - ${random.pick(FACTS.verbs)} ${random.pick(FACTS.nouns)} (${random.integer(1, 90)} ms)\n`,
      `-rw-r--r-- 1 dev dev ${random.integer(100, 90_000)} ${path}\n`,
    ]);
  },
  prose: (random) => `${sentence(random)}${random.chance(0.2) ? '\n' : ' '}`,
  words: (random) => `${sentence(random)} `,
};

const chunks = new Map<FillerStyle, readonly string[]>();

function chunksOf(style: FillerStyle): readonly string[] {
  return getOrMake(chunks, style, () => {
    const random = createRandom(`filler/${style}`);
    return Array.from({ length: CHUNKS }, () => {
      let text = '';
      for (let i = 0; i < 8; i++) text += LINES[style](random);
      return text;
    });
  });
}

/** Filler of an exact length: pieces of a fixed stock in an order the seed decides. */
function fill(style: FillerStyle, seed: number, chars: number): string {
  const stock = chunksOf(style);
  let state = (seed ^ Math.floor(seed / 0x1_0000_0000)) >>> 0;
  let text = '';
  while (text.length < chars) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    text += stock[state >>> 24]!;
  }
  return text.slice(0, chars);
}

function sentence(random: Random): string {
  const words: string[] = [];
  for (let i = random.integer(6, 14); i > 0; i--) {
    words.push(
      random.pick(random.chance(0.5) ? FACTS.words : random.chance(0.6) ? FACTS.nouns : FACTS.verbs),
    );
  }
  return `${capital(words.join(' '))}.`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
