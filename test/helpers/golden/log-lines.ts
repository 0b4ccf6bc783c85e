import { createHash } from 'node:crypto';
import type { LogEntry } from '../../../src/core/run/run-log.js';

const SUMS = [
  'read',
  'write5m',
  'write1h',
  'input',
  'output',
  'rewritten',
  'saved',
  'tokens',
  'calls',
  'cost',
];

/** What an entry is about. */
function groupOf(entry: LogEntry): string {
  switch (entry.type) {
    case 'request':
      return `request ${entry.purpose}`;
    case 'layer':
      return `${entry.layer} ${entry.action} ${entry.trigger} ${entry.outcome}`;
    case 'notice':
      return `notice ${entry.what}`;
    case 'break':
      return `break ${entry.cause}`;
    case 'fault':
      return `fault ${entry.kind} ${entry.use}`;
    case 'status':
    case 'crossing':
    case 'breaker':
      return `${entry.type} ${'state' in entry ? entry.state : ''}`.trim();
    default:
      return entry.type;
  }
}

/** A log in a line for each thing that happened: how often, its sums, and a digest of all that the log says of it. */
export function logLines(entries: readonly LogEntry[]): string {
  const groups = new Map<string, LogEntry[]>();
  for (const entry of entries) {
    const group = groupOf(entry);
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  const lines = [...groups].map(([group, own]) => {
    const sums = SUMS.flatMap((name) => {
      const values = own.map((entry) => (entry as unknown as Readonly<Record<string, unknown>>)[name]);
      const sum = values.reduce<number>((all, value) => all + (typeof value === 'number' ? value : 0), 0);
      return sum === 0 ? [] : [`${name} ${sum}`];
    });
    const digest = createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 8);
    return [group, `×${own.length}`, ...sums, digest].join('  ');
  });
  return `${lines.join('\n')}\n`;
}
