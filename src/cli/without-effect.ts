import type { Command } from 'commander';
import { CcbenchError } from '../core/base/errors.js';

/** An option that does nothing in the company it has. */
interface Idle {
  readonly option: string;
  /** How it is written. */
  readonly written: string;
  /** Why it does nothing, behind "has no effect"; null where it does something. */
  readonly why: (command: Command) => string | null;
  readonly hint: string;
}

function isGiven(command: Command, name: string): boolean {
  return command.getOptionValueSource(name) === 'cli';
}

function has(command: Command, name: string): boolean {
  return command.options.some((option) => option.attributeName() === name);
}

function withoutFiles(command: Command): string | null {
  return isGiven(command, 'files') ? 'with --no-files' : null;
}

/** Where a report is usual, a results folder takes its place, and a shard has none. */
function withResults(command: Command): string | null {
  if (!has(command, 'shard') || !has(command, 'files')) return null;
  if (isGiven(command, 'results')) return 'with --results, which writes no report';
  return isGiven(command, 'shard') ? 'with --shard, which writes no report' : null;
}

/** Limits have one table of their own, and no page. */
function withLimits(command: Command): string | null {
  return isGiven(command, 'limits') ? 'with --limits' : null;
}

const IDLE: readonly Idle[] = [
  {
    option: 'tolerance',
    written: '--tolerance',
    why: (command) =>
      has(command, 'baseline') && !isGiven(command, 'baseline') ? 'without --baseline' : null,
    hint: 'name the reports to hold this run against: --baseline <folder>',
  },
  {
    option: 'guard',
    written: '--guard',
    why: (command) => (isGiven(command, 'baseline') ? null : 'without --baseline'),
    hint: 'name the reports to hold this run against: --baseline <folder>',
  },
  {
    option: 'noise',
    written: '--noise',
    why: (command) => (isGiven(command, 'baseline') ? null : 'without --baseline'),
    hint: 'name the result to compare with: --baseline <file>',
  },
  {
    option: 'png',
    written: '--png',
    why: (command) => {
      if (isGiven(command, 'charts')) return 'with --no-charts';
      if (has(command, 'files')) return withoutFiles(command);
      return isGiven(command, 'out') ? null : 'without --out';
    },
    hint: 'charts are written with a report, into a folder',
  },
  {
    option: 'watch',
    written: '--watch',
    // Without a file `why` looks at the sessions on this machine.
    why: (command) =>
      command.args.length === 0 && command.name() !== 'why' ? 'without a file to look at' : null,
    hint: 'name the scenario or the recording',
  },
  {
    option: 'limits',
    written: '--limits',
    why: (command) => (isGiven(command, 'share') ? 'with --share' : null),
    hint: 'leave out one of them',
  },
  {
    option: 'observed',
    written: '--observed',
    why: (command) => (isGiven(command, 'limits') ? null : 'without --limits'),
    hint: 'add --limits: readings are of the meters of limits',
  },
  {
    option: 'top',
    written: '--top',
    why: withLimits,
    hint: 'leave out one of them',
  },
  {
    option: 'out',
    written: '--out',
    why: (command) =>
      isGiven(command, 'share')
        ? 'with --share'
        : (withLimits(command) ?? withResults(command) ?? withoutFiles(command)),
    hint: 'leave out one of them',
  },
  {
    option: 'page',
    written: '--page',
    why: (command) => (isGiven(command, 'record') ? null : 'without --record'),
    hint: 'name the file to record to: --record session.jsonl',
  },
  {
    option: 'keepText',
    written: '--keep-text',
    why: (command) => (isGiven(command, 'record') ? null : 'without --record'),
    hint: 'name the file to record to: --record session.jsonl',
  },
  ...(['fault', 'midStream', 'latencyScale', 'clock'] as const).map((option) => ({
    option,
    written: `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    why: (command: Command) =>
      isGiven(command, 'upstream') ? 'with --upstream: the real API answers, in real time' : null,
    hint: 'leave out one of them',
  })),
  {
    option: 'by',
    written: '--by',
    why: (command) => (isGiven(command, 'share') ? 'with --share' : null),
    hint: 'leave out one of them; --share names kinds of content and nothing else',
  },
  {
    option: 'files',
    written: '--no-files',
    why: withResults,
    hint: 'leave out one of them',
  },
];

/** Refuses what would do nothing on a command line: whoever typed it expects something. */
export function refuseWithoutEffect(command: Command): void {
  // What `exec` starts may take an empty argument.
  if (command.name() !== 'exec' && command.args.includes(''))
    throw new CcbenchError('bad-usage', 'an argument is empty', {
      hint: 'a variable of the shell may have no value; leave the argument out, or name a file',
    });
  for (const { option, written, why, hint } of IDLE) {
    const reason = isGiven(command, option) ? why(command) : null;
    if (reason !== null) throw new CcbenchError('bad-usage', `${written} has no effect ${reason}`, { hint });
  }
}
