import { formatCount, formatDecimal, formatDuration } from '../../core/base/format.js';
import { textWidth } from '../../report/text/style.js';
import type { Host } from '../host.js';
import { WIPE_LINE } from './own-codes.js';

/** What is counted. */
type Unit = 'calls' | 'runs' | 'files' | 'points';

const REDRAW_MS = 100;
/** Time before a rate means something. */
const RATE_AFTER_MS = 300;

/** A line at the bottom of the terminal that says how far the work is. */
export interface Progress {
  /** Begins a piece of work of a known size. */
  start(label: string, total: number): void;
  update(done: number): void;
  /** Wipes the line, before anything else is printed. */
  clear(): void;
}

const SILENT: Progress = { start() {}, update() {}, clear() {} };

/** Progress on stderr when it is a terminal; silent otherwise. */
export function createProgress(host: Host, wanted: 'shown' | 'silent', unit: Unit = 'calls'): Progress {
  if (wanted === 'silent' || !host.stderr.isTerminal) return SILENT;
  let label = '';
  let total = 0;
  let startedMs = 0;
  let drawnMs = Number.NEGATIVE_INFINITY;
  let shown = false;
  const draw = (text: string): void => {
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
      draw(label);
    },
    update(done) {
      const now = host.now();
      if (now - drawnMs < REDRAW_MS) return;
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
  return `${count} · ${rate} ${unit}/s · ${formatDuration(Math.ceil(left) * 1_000)} left`;
}
