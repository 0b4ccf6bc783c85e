// The scripted work: files, prompts, and the script that the server answers by.

import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS =
  'account batch cache cursor detail entry field filter group handle index job key limit list map node order page part query queue range record result rule sample schema scope size slot source stage state store table task token total tree update user value view window worker'.split(
    ' ',
  );

/** Numbers that are the same every time. */
function createRandom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Program text of about this many characters. */
export function programText(chars, seed) {
  const random = createRandom(seed * 7919 + 17);
  const word = () => WORDS[random(WORDS.length)];
  const lines = [];
  for (let size = 0, n = 1; size < chars; n++) {
    const line = `  const ${word()}${n} = ${word()}.${word()}(${word()}, ${random(9000)}); // ${word()} of the ${word()} ${word()}`;
    lines.push(line);
    size += line.length + 1;
  }
  return `export function part${seed}() {\n${lines.join('\n')}\n}\n`;
}

/** Plain sentences of about this many characters. */
export function proseText(chars, seed) {
  const random = createRandom(seed * 104729 + 3);
  const word = () => WORDS[random(WORDS.length)];
  let text = '';
  while (text.length < chars)
    text += `The ${word()} ${word()} reads the ${word()} of each ${word()} before the ${word()}. `;
  return text.trimEnd();
}

const read = (file) => ({ read: file });
const bash = (file) => ({ run: `head -c 12000 ${file}` });
const edit = (file, from, to) => ({ edit: { file, from, to } });
const agent = (n) => ({ agent: `Subtask ${n}: ${proseText(600, n + 300)}` });
/** Ends a turn. */
const done = {};
const isDone = (step) => step === done;

const numbered = (n, stem = 'part') => `${stem}${String(n).padStart(3, '0')}.ts`;

/** Reads of files of 12,000 to 21,000 characters, every eighth through the shell. */
function steadyReads(count, prompts, sizeOf = (n) => 12_000 + ((n * 3_701) % 9_000)) {
  const steps = [];
  const files = {};
  const perPrompt = Math.ceil(count / prompts);
  for (let n = 0; steps.length < count; n++) {
    if ((steps.length + 1) % perPrompt === 0 || steps.length === count - 1) {
      steps.push(done);
      continue;
    }
    files[numbered(n)] = sizeOf(n);
    steps.push(n % 8 === 7 ? bash(numbered(n)) : read(numbered(n)));
  }
  return { files, steps };
}

/** Reads of small files with one near the limit of the tool in between. */
function hugeReads() {
  return steadyReads(34, 2, (n) =>
    n % 3 === 2 ? 62_000 + ((n * 911) % 9_000) : 12_000 + ((n * 733) % 5_000),
  );
}

/** Each file is read, changed twice and read again. */
function editsBetweenReads() {
  const steps = [];
  const files = {};
  for (let n = 0; steps.length < 58; n++) {
    const file = numbered(n);
    files[file] = 14_000 + ((n * 2_113) % 9_000);
    steps.push(
      read(file),
      edit(file, 'export function', 'export async function'),
      edit(file, 'export async', '/** Changed. */\nexport async'),
      read(file),
    );
    if (n === 6) steps.push(done);
  }
  return { files, steps: [...steps, done] };
}

/** Reads, and every tenth step a subagent that reads five files of its own. */
function readsAndAgents() {
  const { files, steps } = steadyReads(58, 2);
  const mixed = steps.map((step, i) => (i % 10 === 6 ? agent(Math.floor(i / 10) + 1) : step));
  for (let n = 1; n <= 6; n++)
    for (let k = 0; k < AGENT_READS; k++) files[agentFile(n, k)] = 10_000 + ((n * 5 + k) % 7) * 1_000;
  return { files, steps: mixed };
}

const AGENT_READS = 5;
const agentFile = (n, k) => numbered(n * 10 + k, 'aside');

const continued = { prompts: 'new-process' };
const streamed = { prompts: 'one-process' };

/** All workloads by name: files and their sizes, steps, and seconds of pause before each prompt but the first. */
export const WORKLOADS = {
  steady: { ...steadyReads(68, 3), gaps: [40, 75], ...streamed },
  /** The same work with a new process for each prompt. */
  continued: { ...steadyReads(68, 3), gaps: [40, 75], ...continued },
  huge: { ...hugeReads(), gaps: [60], ...streamed },
  edits: { ...editsBetweenReads(), gaps: [90], ...streamed },
  agents: { ...readsAndAgents(), gaps: [50], ...streamed },
  /** Seven prompts with pauses beyond five minutes, one beyond the hour. */
  pauses: { ...steadyReads(42, 7), gaps: [420, 100, 900, 2_400, 420, 4_200], ...continued },
  /** Ends before the window refuses it without compaction. */
  once: { ...steadyReads(31, 2, (n) => 16_600 + ((n * 1_301) % 2_000)), gaps: [30], ...streamed },
};

/** Empties a folder and writes the files of a workload into it, each a second younger than the one before: clients go by it. */
export function writeFiles({ files }, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const start = Date.now() / 1_000 - 86_400;
  for (const [i, [name, chars]] of Object.entries(files).entries()) {
    const path = join(folder, name);
    writeFileSync(path, programText(chars, i + 1));
    utimesSync(path, start + i, start + i);
  }
}

/** The prompts of a workload, one for each answer that ends a turn. */
export function promptsOf({ steps }) {
  const count = steps.filter(isDone).length;
  return Array.from({ length: count }, (_, i) => `Part ${i + 1} of the work: ${proseText(400, i + 1)}`);
}

/** What is said and thought beside what a step does. */
const withWords = (step, position) => ({
  thinking: proseText(300 + ((position * 137) % 700), position + 500),
  text: proseText(isDone(step) ? 900 : 120, position + 1_000),
  ...step,
});

/** A summary as the clients ask for it, always of the same size. */
const SUMMARY = `<analysis>\n${proseText(3_000, 9_001)}\n</analysis>\n\n<summary>\n${proseText(14_000, 9_002)}\n</summary>`;

/** A workload as a script of the server; time passes behind each turn but the last. */
export function scriptOf({ steps, gaps }, folder) {
  let turns = 0;
  const main = steps.map((step, i) => {
    const gap = isDone(step) ? gaps[turns++] : undefined;
    return { ...withWords(step, i), ...(gap === undefined ? {} : { wait: `${gap}s` }) };
  });
  const agents = steps
    .filter((step) => step.agent !== undefined)
    .map((_, i) =>
      [...Array.from({ length: AGENT_READS }, (__, k) => read(agentFile(i + 1, k))), done].map((step, k) =>
        withWords(step, (i + 1) * 1_000 + k),
      ),
    );
  return { folder, summary: SUMMARY, steps: main, agents };
}
