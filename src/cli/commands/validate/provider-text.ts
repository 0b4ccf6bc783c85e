import type { FidelityFigures } from '../../../analysis/validate/compare.js';
import type { BestEffort } from '../../../analysis/validate/providers/best-effort.js';
import type { ProviderFigures, TotalFidelity } from '../../../analysis/validate/validate.js';
import { formatCount, formatCounted, printable } from '../../../core/base/format.js';
import { providerRegistry } from '../../../provider/providers/providers.js';
import { type Column, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import { percent, signedPercent } from './validate-cells.js';

const PROVIDERS: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'requests', align: 'right', drop: 1 },
  { header: 'class', align: 'right', drop: null },
  { header: 'reads', align: 'right', drop: 2 },
  { header: 'cost, median', align: 'right', drop: null },
  { header: 'net', align: 'right', drop: null },
];

function row(name: string, requests: string, figures: FidelityFigures, tone: 'dim' | null): Row {
  return {
    cells: [
      name,
      requests,
      percent(figures.classAgreement),
      percent(figures.readError),
      percent(figures.costErrorMedian),
      signedPercent(figures.netError),
    ],
    ...(tone === null ? {} : { tone }),
  };
}

function rowsOf(provider: string, figures: ProviderFigures): Row[] {
  const models = Object.entries(figures.byModel);
  return [
    row(providerRegistry.get(provider).label, formatCount(figures.requests), figures.blind, null),
    ...(models.length < 2 ? [] : models.map(([model, own]) => row(`  ${printable(model)}`, '', own, null))),
    row('  breaks given (a bound)', '', figures.given, 'dim'),
    row('  the one-line rule', '', figures.baseline, 'dim'),
  ];
}

function chanceSentences({ sessions, netError, coverage, fit, curve }: BestEffort): string {
  const at = (seconds: number): string => {
    const point = curve.find((each) => each.seconds === seconds)!;
    return `${percent(point.chance)} (${percent(point.low)} to ${percent(point.high)}) after ${seconds} s`;
  };
  return [
    'Best effort: two equal requests may differ, and a single one cannot be foretold.',
    `${formatCount(fit.short)} of ${formatCount(fit.requests)} requests came up short: ${[5, 30, 120].map(at).join(', ')}.`,
    `Fitted to one half of the ${formatCount(sessions)} sessions and shown on the other, the cost of all is ${signedPercent(netError)} off,`,
    `and ${percent(coverage)} of the sessions lie in the interval that is stated for 90%.`,
  ].join(' ');
}

/** How runs forward of a provider's recordings fare; those of Anthropic have a table of their own. */
function forwardSentence({ forward, triggers }: ProviderFigures): string {
  const placed =
    triggers.recorded === 0
      ? ''
      : ` ${triggers.matched} of ${triggers.recorded} recorded compactions fire where the client counts them;`;
  const counted =
    forward.compactionCountRight === null
      ? ''
      : ` as many compactions as recorded in ${percent(forward.compactionCountRight)} of the sessions`;
  const near =
    forward.compactionPlaceRight === null
      ? ''
      : `, ${percent(forward.compactionPlaceRight)} of them within a request of their place`;
  const assumed =
    forward.writesAssumed === 0
      ? ''
      : ` ${formatCounted(forward.writesAssumed, 'recording')} ${forward.writesAssumed === 1 ? 'tells' : 'tell'} no writes, which are billed: what was not read is priced as written.`;
  return `Run forward, ${formatCounted(forward.sessions, 'session')} cost ${signedPercent(forward.netError)}, and ${percent(forward.costErrorMedian)} off in the median;${placed}${counted}${near}.${assumed}`;
}

/** How well the cache of each provider is foretold; nothing where all recordings are of Anthropic. */
export function providerLines({ byProvider }: TotalFidelity, screen: Screen): string[] {
  const providers = Object.entries(byProvider);
  if (providers.every(([name]) => name === 'anthropic')) return [];
  return [
    ...tableLines(
      PROVIDERS,
      providers.flatMap(([name, figures]) => rowsOf(name, figures)),
      { indent: '  ', ...screen },
    ),
    ...providers.flatMap(([name, figures]) =>
      name === 'anthropic' || figures.forward.sessions === 0
        ? []
        : wrapText(
            `${providerRegistry.get(name).label}: ${forwardSentence(figures)}`,
            screen.width,
            '  ',
            '  ',
          ),
    ),
    ...providers.flatMap(([name, { bestEffort }]) =>
      bestEffort === null
        ? []
        : wrapText(
            `${providerRegistry.get(name).label}: ${chanceSentences(bestEffort)}`,
            screen.width,
            '  ',
            '  ',
          ),
    ),
  ];
}
