// A setup file of vitest. Where CCBENCH_REACH names a file, it adds a line to it for each test file, with the lines of src that
// were run; otherwise no test file is loaded after the first one that fails.

import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { afterAll } from 'vitest';

const { CCBENCH_REACH } = process.env;
const root = process.cwd();
const began = Date.now();

if (CCBENCH_REACH !== undefined) globalThis.ccbenchCounts ??= await startCounting();
// of a file that cannot be loaded nothing is called afterwards
else if (globalThis.ccbenchUnfinished) throw new Error('an earlier test file has failed');
globalThis.ccbenchUnfinished = true;

// biome-ignore lint/correctness/noEmptyPattern: vitest wants a pattern before the file
afterAll(async ({}, file) => {
  globalThis.ccbenchUnfinished = hasFailed(file);
  if (CCBENCH_REACH === undefined) return;
  const ms = hasFailed(file) ? null : Date.now() - began;
  const entry = { test: file.name, ms, lines: await linesRun(globalThis.ccbenchCounts) };
  appendFileSync(CCBENCH_REACH, `${JSON.stringify(entry)}\n`);
});

function hasFailed(task) {
  return task.result?.state === 'fail' || (task.tasks ?? []).some(hasFailed);
}

/** Counts start again whenever they are taken, so that what is taken is of one test file. */
async function startCounting() {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return { session, sources: new Map() };
}

/** For each source the lines of functions that ran, as pairs of first and last. */
async function linesRun({ session, sources }) {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const names = result.map(({ url }) => relative(root, url.replace('file://', '')));
  const entries = result.flatMap(({ functions }, i) => {
    const name = names[i];
    if (!name.startsWith('src/') || name.endsWith('.generated.ts')) return [];
    if (!sources.has(name)) sources.set(name, readMap(join(root, name)));
    const { startOffset, lineOf } = sources.get(name);
    // the module itself runs for whichever test comes first
    const inside = functions.filter(({ ranges }) => ranges[0].startOffset >= startOffset);
    const ran = [];
    // from the outside in
    for (const range of inside.flatMap(({ ranges }) => ranges)) {
      const first = lineOf(range.startOffset);
      const last = lineOf(range.endOffset - 1);
      if (range.count > 0) for (let line = first; line <= last; line++) ran[line] = true;
      // a line on which a block only begins or ends has code beside the block
      else for (let line = first + 1; line < last; line++) ran[line] = false;
    }
    const pairs = ran.flatMap((is, line) =>
      is ? [...(ran[line - 1] ? [] : [line]), ...(ran[line + 1] ? [] : [line])] : [],
    );
    return pairs.length === 0 ? [] : [[name, pairs]];
  });
  return Object.fromEntries(entries);
}

/** Where a source begins in the code that runs, and the line in it of a place in that code. */
function readMap(path) {
  const { evaluatedModules, moduleExecutionInfo } = globalThis.__vitest_worker__;
  const { code } = evaluatedModules.getModuleById(path).meta;
  const [, base64] = /.*sourceMappingURL=data:application\/json.*?;base64,(\S+)/s.exec(code);
  const map = new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString()));
  const starts = [...code.matchAll(/^/gm)].map(({ index }) => index);
  const { startOffset } = moduleExecutionInfo.get(path);
  const lineOf = (offset) => {
    const at = Math.max(offset - startOffset, 0);
    const line = starts.findLastIndex((start) => start <= at);
    return map.findEntry(line, at - starts[line]).originalLine + 1;
  };
  return { startOffset, lineOf };
}
