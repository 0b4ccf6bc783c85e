import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { ratio } from '../../../core/base/stats.js';
import { promptTokens, type Usage } from '../../../core/model/usage.js';
import { CAUSE_SENTENCES } from '../../../core/run/break-causes.js';
import type { Screen } from '../../../report/text/table.js';
import type { CommandOptions } from '../../commands.generated.js';
import type { Host } from '../../host.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';
import { agrees, type MissReason, type PromptChange, type ServedCall, type ServedTotals } from './ledger.js';
import { startServer } from './start-server.js';

/** Resolves when the user wants to stop. */
function stopped({ interrupt }: Host): Promise<void> {
  if (interrupt.aborted) return Promise.resolve();
  return new Promise((done) => interrupt.addEventListener('abort', () => done(), { once: true }));
}

/** `ccbench serve`: a stand-in for the Messages API that bills by the simulated cache. */
export async function serveCommand(session: CliSession, options: CommandOptions['serve']): Promise<ExitCode> {
  const { host, json } = session;
  const screen = screenFor(host.stdout, session.colors);
  const server = await startServer(session, options.port, options, (call) => {
    if (!json) host.stdout.write(`${callLine(call, screen)}\n`);
  });
  const key = options.upstream === undefined ? ' ANTHROPIC_API_KEY=any' : ', with its own key';
  const greeting = `listening at ${server.url}\npoint a client at it: ANTHROPIC_BASE_URL=${server.url}${key}; Ctrl-C ends\nothers: OPENAI_BASE_URL=${server.url}/v1 or GOOGLE_GEMINI_BASE_URL=${server.url}`;
  if (options.page === true) note(session, `page ${server.url}/ccbench, kept up to date`);
  if (json) note(session, greeting);
  else host.stdout.write(`${greeting}\n`);
  await stopped(host);
  await server.close();
  const { totals, calls } = server.ledger;
  if (json) printJson(session, { totals, calls });
  else host.stdout.write(`\n${totalsText(totals)}`);
  return EXIT.fine;
}

const REASONS: Readonly<Record<MissReason, string>> = {
  first: 'new conversation',
  'no-marker': 'no cache_control in the request',
  'too-short': 'shorter than the model caches',
  ...CAUSE_SENTENCES,
};

function reasonText({ missReason, missedTokens, change }: ServedCall): string {
  if (missReason === null) return '';
  const said = REASONS[missReason];
  if (missedTokens === 0) return said;
  return `${formatCount(missedTokens)} cached tokens missed: ${said}${change === null ? '' : `, ${changeText(change)}`}`;
}

function changeText({ place, before, after }: PromptChange): string {
  return before === null ? place : `${place}: "${before}" became "${after}"`;
}

/** One line for a cache break: which request, how much, and why. */
export function breakLine(call: ServedCall): string {
  return printable(`request ${call.number}  ${reasonText(call)}`);
}

/** What was billed, else what the simulated cache predicts. */
function paid({ usage, billed }: ServedCall): Usage | null {
  return usage === null ? null : (billed ?? usage);
}

function predictedText(call: ServedCall): string {
  if (call.predicted === null) return '';
  return ` (predicted ${formatCount(call.predicted.cacheRead)})`;
}

function written(usage: Usage, writtenForMs: number | null): string {
  const parts = [
    [usage.cacheWrite5m, writtenForMs === null ? '5 min' : formatDuration(writtenForMs)],
    [usage.cacheWrite1h, '1 h'],
  ] as const;
  const shown = parts.filter(([tokens]) => tokens > 0);
  return shown.length === 0
    ? '0'
    : shown.map(([tokens, ttl]) => `${formatCount(tokens)} (${ttl})`).join(' + ');
}

/** One line for a call. */
export function callLine(call: ServedCall, { style }: Pick<Screen, 'style'>): string {
  const { number, startMs, status, method, path } = call;
  const usage = paid(call);
  const head = `${String(number).padStart(4)}  +${formatDuration(startMs)}`.padEnd(16);
  if (usage === null) {
    const said = `${status === 0 ? 'cut' : status} ${method} ${path}${call.error === null ? '' : `: ${call.error}`}`;
    const line = `${head}${printable(said)}`;
    return status === 200 ? style.dim(line) : style.yellow(line);
  }
  const facts = [
    `#${call.conversation} ${call.model}`,
    `prompt ${formatCount(promptTokens(usage))}`,
    `read ${formatCount(usage.cacheRead)}${predictedText(call)}`,
    `wrote ${written(usage, call.writtenForMs)}`,
    `input ${formatCount(usage.input)}`,
    `out ${formatCount(usage.output)}`,
    formatMoney(call.costUsd),
  ];
  const error = call.error === null ? '' : `${call.error} half-way`;
  const other = agrees(call) === false ? 'reads not as predicted' : '';
  const notes = [other, reasonText(call), error].filter((note) => note !== '').join('; ');
  const line = `${head}${printable(facts.join('  '))}`;
  if (notes === '') return line;
  return `${line}  ${call.missedTokens > 0 || agrees(call) === false || error !== '' ? style.yellow(printable(notes)) : style.dim(notes)}`;
}

/** What came together, for the end. */
export function totalsText(totals: ServedTotals): string {
  const { usage } = totals;
  const prompt = promptTokens(usage);
  const others = totals.calls - totals.answered - totals.refused;
  const lines = [
    `${formatCounted(totals.calls, 'call')}: ${formatCount(totals.answered)} answered, ${formatCount(totals.refused)} refused${others > 0 ? `, ${formatCount(others)} that cost nothing` : ''}; ${formatCounted(totals.conversations, 'conversation')}`,
  ];
  if (totals.answered > 0) {
    lines.push(
      `prompt ${formatCount(prompt)} tokens: read ${formatCount(usage.cacheRead)} (${formatShare(ratio(usage.cacheRead, prompt))}), written 5 min ${formatCount(usage.cacheWrite5m)}, written 1 h ${formatCount(usage.cacheWrite1h)}, uncached ${formatCount(usage.input)}; output ${formatCount(usage.output)}`,
      `cost ${formatMoney(totals.costUsd)}; without a cache ${formatMoney(totals.uncachedUsd)}`,
    );
  }
  if (totals.upstream !== null) {
    const { billed, agreeing, billedUsd, predictedUsd } = totals.upstream;
    const more = billedUsd - predictedUsd;
    const off =
      more === 0
        ? 'as predicted'
        : `${formatMoney(Math.abs(more))} ${more < 0 ? 'less' : 'more'} than predicted`;
    lines.push(
      `upstream billed ${formatCounted(billed, 'request')}: ${formatCount(agreeing)} read what was predicted; billed ${formatMoney(billedUsd)}, ${off}`,
    );
  }
  const causes = Object.entries(totals.breaks);
  if (causes.length > 0) {
    const listed = causes.map(([cause, count]) => `${ownValue(REASONS, cause)} ×${formatCount(count)}`);
    lines.push(`cache broke: ${listed.join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}
