import { readFileSync } from 'node:fs';
import { benchPlan, benchTranscript, NOWHERE } from '../src/cli/commands/bench/plan.js';
import { replay } from '../src/engine/run/replay.js';
import { loadTranscript } from '../src/transcripts/files/transcripts.js';

// A process of its own that does one thing and prints the most memory it ever held, in kilobytes.
const [what, name, where] = process.argv.slice(2) as [string, string, string];
if (what === 'replay') replay(benchPlan(name), benchTranscript(Number(where)), NOWHERE);
else loadTranscript(name, { cwd: where, cache: 'off' });
const status = readFileSync('/proc/self/status', 'utf8');
process.stdout.write(/VmHWM:\s+(\d+)/.exec(status)![1]!);
