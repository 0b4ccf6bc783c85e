// Writes a corpus of sessions as Claude Code keeps them: node bench/corpus.mjs <folder> [--sessions 1000] [--megabytes 1000] [--seed 1]

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const corpus = new URL('../dist/bench/sessions/corpus.js', import.meta.url);
const { corpusFiles } = await import(corpus.href);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sessions: { type: 'string', default: '1000' },
    megabytes: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('name the folder: node bench/corpus.mjs /tmp/corpus');
  process.exit(2);
}
let bytes = 0;
let files = 0;
const size = {
  sessions: Number(values.sessions),
  bytes: Number(values.megabytes) * 1e6,
  seed: Number(values.seed),
};
for (const { path, text } of corpusFiles(size)) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  bytes += text.length;
  files++;
}
console.log(`${files} files, ${Math.round(bytes / 1e6)} MB in ${folder}`);
