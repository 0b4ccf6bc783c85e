import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import Module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { attempt, succeeds } from '../core/base/errors.js';
import { nameOfPart, removeLitter } from '../transcripts/files/litter.js';
import { makeFolder } from '../transcripts/files/make-folder.js';

/** Node keeps compiled code between starts from 22.1 on. */
const { enableCompileCache } = Module as { enableCompileCache?: () => unknown };

/** What loads a file of CommonJS in Node 20. */
type Compile = (this: NodeJS.Module, content: string, file: string) => unknown;

/** Files of the build that are named by their content: compiled code of one is never that of another. */
const CHUNKS = fileURLToPath(new URL('../chunks', import.meta.url));

/** For the user alone. */
const PRIVATE = 0o700;
/** Others of the group, or anyone, may write. */
const OTHERS_WRITE = 0o022;

/** Whether a folder is the user's, and no link to another; systems without users say nothing of it. */
function isOwn(folder: string, user: number | undefined): boolean {
  const { uid, mode } = lstatSync(folder);
  return user === undefined || (uid === user && (mode & OTHERS_WRITE) === 0);
}

/**
 * Where compiled code is kept: as in later versions of Node, NODE_COMPILE_CACHE or a folder for temporary files. Null where nothing
 * is to be kept, or where others may write: nothing is made there.
 */
function codeFolder(name: string): string | null {
  const { NODE_COMPILE_CACHE = '', NODE_DISABLE_COMPILE_CACHE = '' } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE !== '') return null;
  const user = process.getuid?.();
  const parent = NODE_COMPILE_CACHE || join(tmpdir(), `ccbench-code-${user ?? ''}`);
  const folder = join(parent, name);
  return attempt(() => {
    // The folder for temporary files is the system's: one that is missing is not made.
    if (NODE_COMPILE_CACHE !== '') makeFolder(parent, PRIVATE);
    else if (!existsSync(parent)) mkdirSync(parent, PRIVATE);
    if (!isOwn(parent, user)) return null;
    makeFolder(folder, PRIVATE);
    return isOwn(folder, user) ? folder : null;
  }, null);
}

/** What compiled code must carry: V8 notices neither damage nor another source of the same length. */
function checkOf(code: Buffer, source: string): number {
  return crc32(code, crc32(source));
}

/** Compiled code of a source as it was kept; null where there is none, or it is damaged or of another source. */
function readCode(path: string, source: string): Buffer | null {
  const bytes = attempt(() => readFileSync(path), Buffer.alloc(0));
  const code = bytes.subarray(4);
  return code.length > 0 && checkOf(code, source) === bytes.readUInt32LE(0) ? code : null;
}

function writeCode(path: string, code: Buffer, source: string): void {
  const check = Buffer.alloc(4);
  check.writeUInt32LE(checkOf(code, source));
  const part = nameOfPart(path, 'part');
  try {
    writeFileSync(part, Buffer.concat([check, code]), { mode: 0o600 });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Removes what killed processes left, and code of files that the build no longer has. */
function tidy(folder: string): void {
  removeLitter(folder, () => true);
  for (const name of readdirSync(folder))
    if (name.endsWith('.code') && !existsSync(join(CHUNKS, basename(name, '.code'))))
      rmSync(join(folder, name), { force: true });
}

/** Keeps the compiled code of the build's files, with all functions that ran, and starts from it the next time. */
function keepCode(folder: string): void {
  const files = Module.prototype as unknown as { _compile: Compile };
  const compile = files._compile;
  const made = new Map<string, { readonly script: Script; readonly content: string }>();
  files._compile = function (content, file) {
    // V8 forgets who carries out the `import()` of code that was kept.
    if (dirname(file) !== CHUNKS || content.includes('import(')) return compile.call(this, content, file);
    const cachedData = readCode(join(folder, `${basename(file)}.code`), content);
    const script = new Script(Module.wrap(content), {
      filename: file,
      ...(cachedData === null ? {} : { cachedData }),
    });
    if (script.cachedDataRejected !== false) made.set(file, { script, content });
    const run = script.runInThisContext() as (...given: readonly unknown[]) => unknown;
    return run.call(this.exports, this.exports, createRequire(file), this, file, CHUNKS);
  };
  process.on('exit', () => {
    if (made.size > 0) succeeds(() => tidy(folder));
    for (const [file, { script, content }] of made)
      succeeds(() => writeCode(join(folder, `${basename(file)}.code`), script.createCachedData(), content));
  });
}

/** What is done for help and for whatever is no name of a command. */
const HELP = 'help';

/** Sets what makes a short command quicker, before the program is loaded. */
export function prepareNode(word = ''): void {
  if (enableCompileCache !== undefined) enableCompileCache();
  if (!process.versions.node.startsWith('20.')) return;
  const command = /^[a-z]{1,12}$/.test(word) ? word : HELP;
  // V8 of Node 20 optimizes a function when 67,584 bytes of its code have run: too early for what a short command runs.
  if (command !== HELP) setFlagsFromString('--interrupt-budget=300000');
  // Each command has code of its own, as others run other functions; each build and each Node too.
  const folder = codeFolder(`${process.version}-${process.arch}-${command}-${crc32(CHUNKS).toString(16)}`);
  if (folder !== null) keepCode(folder);
}
