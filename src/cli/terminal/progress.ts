import { formatCount, formatDecimal, formatDuration } from '../../core/base/format.js';
import { textWidth } from '../../report/text/table.js';
import type { CliSession } from '../session.js';
import { WIPE_LINE } from './own-codes.js';

/** What is counted. */
type Unit = 'calls' | 'runs' | 'files' | 'points' | 'shares';

const REDRAW_MS = 100;
/** The same where nothing can be drawn again: a line each time, and none for short work. */
const LINE_MS = 10_000;
/** Time before a rate means something. */
const RATE_AFTER_MS = 300;

/** A rate that is shown as more than 0. */
const LEAST_RATE = 0.05;

/** Says how far the work is: on a line at the bottom of the terminal, or on a new line every few seconds. */
export interface Progress {
  /** Begins a piece of work of a known size. */
  start(label: string, total: number): void;
  update(done: number): void;
  /** Wipes the line, before anything else is printed. */
  clear(): void;
}

const SILENT: Progress = { start() {}, update() {}, clear() {} };

/** Progress on stderr; none if a program reads the answer. */
export function createProgress(
  { host, json }: Pick<CliSession, 'host' | 'json'>,
  unit: Unit = 'calls',
): Progress {
  if (json) return SILENT;
  const isDrawn = host.stderr.isTerminal;
  let label = '';
  let total = 0;
  let startedMs = 0;
  let drawnMs = Number.NEGATIVE_INFINITY;
  let shown = false;
  const draw = (text: string): void => {
    if (!isDrawn) {
      host.stderr.write(`${text}\n`);
      return;
    }
    const width = (host.stderr.columns ?? 80) - 1;
    const line = textWidth(text) > width ? text.slice(0, width) : text;
    host.stderr.write(`${WIPE_LINE}${line}`);
    shown = true;
  };
  return {
    start(name, size) {
      label = name;
      total = size;
      startedMs = host.now();
      if (isDrawn) draw(label);
      else drawnMs = startedMs;
    },
    update(done) {
      const now = host.now();
      if (now - drawnMs < (isDrawn ? REDRAW_MS : LINE_MS)) return;
      drawnMs = now;
      draw(`${label}  ${progressText(done, total, now - startedMs, unit)}`);
    },
    clear() {
      if (shown) host.stderr.write(WIPE_LINE);
      shown = false;
    },
  };
}

const BAR_CELLS = 20;

function bar(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.min(BAR_CELLS, Math.floor((done * BAR_CELLS) / total));
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CELLS - filled)}] `;
}

/** `40% · 4,000 of 10,000 calls · 2,000 calls/s · 3 s left`; many runs have a bar in front. @internal */
export function progressText(done: number, total: number, elapsedMs: number, unit: Unit = 'calls'): string {
  const drawn = unit === 'calls' ? '' : bar(done, total);
  const share = total === 0 ? '' : `${Math.min(99, Math.floor((done * 100) / total))}% · `;
  const count = `${drawn}${share}${formatCount(done)} of ${formatCount(total)} ${unit}`;
  if (elapsedMs < RATE_AFTER_MS || done === 0) return count;
  const perSecond = (done * 1_000) / elapsedMs;
  const left = Math.max(0, total - done) / perSecond;
  const rate = perSecond >= 10 ? formatCount(perSecond) : formatDecimal(perSecond, 1);
  const shown = perSecond < LEAST_RATE ? '' : ` · ${rate} ${unit}/s`;
  return `${count}${shown} · ${formatDuration(Math.ceil(left) * 1_000)} left`;
}
