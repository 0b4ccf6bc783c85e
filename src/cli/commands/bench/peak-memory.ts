import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { builtModule } from '../../../core/base/built.js';

/** How a probe ends: it prints the most memory its process ever held, in kilobytes. */
const PRINT_PEAK = `
import { readFileSync } from 'node:fs';
const status = readFileSync('/proc/self/status', 'utf8');
process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(status)[1]);
`;

/** Whether the memory of a fresh process can be measured here: the system must say it, and the program must be built. */
export function canProbe(): boolean {
  return builtModule('cli/main') !== null && process.platform === 'linux';
}

/** Highest memory in bytes of a fresh process that runs a module's text with some arguments. */
export async function probe(module: string, args: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    module + PRINT_PEAK,
    ...args,
  ]);
  return Number(stdout) * 1_024;
}

const REPLAY = `
const { benchPlan, benchTranscript, NOWHERE } = await import(process.argv[1]);
const { replay } = await import(process.argv[2]);
replay(benchPlan(process.argv[3]), benchTranscript(Number(process.argv[4])), NOWHERE);
`;

/** Highest memory in bytes of a fresh process that replays this many turns; null where it cannot be measured. */
export async function peakOfReplay(policy: string, turns: number): Promise<number | null> {
  if (!canProbe()) return null;
  const modules = ['cli/commands/bench/plan', 'engine/run/replay'].map((name) => builtModule(name)!.href);
  return probe(REPLAY, [...modules, policy, String(turns)]);
}
