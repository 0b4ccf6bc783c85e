// Holds predicted differences against those of real runs.

/** Compactions and microcompactions of a simulated run, by the main request that they come before, from its events.csv. */
export function placesOf(csv) {
  const [head = '', ...lines] = csv.trimEnd().split('\n');
  const columns = head.split(',');
  const found = { 'full-compact': [], microcompact: [] };
  for (const line of lines) {
    const cells = line.split(',', 8);
    const cell = (name) => cells[columns.indexOf(name)];
    if (cell('thread') !== 'main' || cell('event') !== 'layer' || cell('outcome') !== 'done') continue;
    found[cell('name')]?.push(Number(cell('turn')));
  }
  return { compactions: found['full-compact'], microcompactions: found.microcompact };
}

/** The difference that `compare --json` predicts between two values of a setting. */
export function predictionOf(answer, { key, from, to }) {
  const variant = (value) => answer.variants.find(({ name }) => name.split(', ').includes(`${key}=${value}`));
  const base = variant(from) ?? answer.variants.find(({ name }) => name === 'base');
  const changed = variant(to);
  if (base === undefined || changed === undefined) return null;
  const { costUsd: baseUsd, costUsdMain: baseMainUsd } = base.metrics;
  const { costUsd, costUsdMain } = changed.metrics;
  return {
    baseUsd,
    deltaUsd: typeof changed.deltaUsd === 'number' ? changed.deltaUsd : costUsd - baseUsd,
    mainDeltaUsd: costUsdMain - baseMainUsd,
  };
}

const mainsOf = (events) => events.map(({ main }) => main);
const same = (a, b) => a.length === b.length && a.every((value, i) => value === b[i]);

/** Whether two runs take the same things away before the same main requests; clearing just before a summary is part of it. */
function hasSamePlaces(truth, places) {
  const compactions = mainsOf(truth.compactions);
  const alone = (list) => list.filter((main) => !compactions.includes(main));
  return (
    same(compactions, places.compactions) &&
    same(alone(mainsOf(truth.microcompactions)), alone(places.microcompactions))
  );
}

/** One pair: differences in percent of the true cost of the base. */
export function scorePair({ name, base, variant, prediction, places }) {
  const percent = (usd) => (usd / base.costUsd) * 100;
  const truePercent = percent(variant.costUsd - base.costUsd);
  const row = {
    name,
    truePercent,
    trueMainPercent: percent(variant.mainUsd - base.mainUsd),
    truePlaces: [mainsOf(variant.compactions), mainsOf(variant.microcompactions)],
  };
  if (prediction === null) return { ...row, predictedPercent: null };
  const predictedPercent = percent(prediction.deltaUsd);
  return {
    ...row,
    predictedPercent,
    predictedMainPercent: percent(prediction.mainDeltaUsd),
    baseErrorPercent: percent(prediction.baseUsd - base.costUsd),
    errorPercent: Math.abs(predictedPercent - truePercent),
    isSignRight: Math.sign(predictedPercent) === Math.sign(truePercent),
    places: [places.compactions, places.microcompactions],
    isPlacesRight: hasSamePlaces(variant, places),
  };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Differences smaller than this have no sign worth judging. */
const LEAST_PERCENT = 2;

/** What all pairs together show. */
export function summaryOf(rows) {
  const judged = rows.filter(({ predictedPercent }) => predictedPercent !== null);
  const large = judged.filter(({ truePercent }) => Math.abs(truePercent) > LEAST_PERCENT);
  const count = (list, field) => list.filter((row) => row[field]).length;
  return [
    `sign right in ${count(large, 'isSignRight')} of ${large.length} pairs above ${LEAST_PERCENT} %`,
    `median error of the difference ${judged.length === 0 ? '-' : median(judged.map(({ errorPercent }) => errorPercent)).toFixed(1)} % of the base cost`,
    `places exact in ${count(judged, 'isPlacesRight')} of ${judged.length}`,
    ...(judged.length < rows.length ? [`${rows.length - judged.length} without a counterpart`] : []),
  ].join('; ');
}

const number = (value) => (value === undefined || value === null ? '-' : value.toFixed(1));
const yes = (value) => (value === undefined ? '-' : value ? 'yes' : 'no');
const list = ([compactions, micro]) =>
  [compactions.join(' '), micro.length === 0 ? '' : `micro ${micro.join(' ')}`].filter(Boolean).join('; ') ||
  'none';

/** The pairs as a table in Markdown. */
export function tableOf(rows) {
  const head = [
    'pair',
    'true %',
    'predicted %',
    'main: true %',
    'main: predicted %',
    'base error %',
    'sign',
    'places',
    'true places',
    'predicted places',
  ];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const body = rows.map((row) =>
    line([
      row.name,
      number(row.truePercent),
      number(row.predictedPercent),
      number(row.trueMainPercent),
      number(row.predictedMainPercent),
      number(row.baseErrorPercent),
      yes(row.isSignRight),
      yes(row.isPlacesRight),
      list(row.truePlaces),
      row.places === undefined ? '-' : list(row.places),
    ]),
  );
  return [line(head), line(head.map(() => '---')), ...body].join('\n');
}
