/**
 * What sessions read again after a compaction, against what they read before it and what sessions without one read: the fit behind
 * `faults.survival: fitted`, and how well it predicts the other half of the repositories (docs/faults.md).
 *
 *   npm run build && node scripts/event-study.mjs ../shared/data
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = new URL('../dist/', import.meta.url);
const { loadTranscript } = await import(new URL('transcripts/files/transcripts.js', ROOT).href);
const { usesOf } = await import(new URL('core/uses/find-uses.js', ROOT).href);

/** Calls on each side of a compaction. */
const WINDOW = 24;
/** Windows of other sessions that each compaction is held against. */
const CONTROLS = 5;
const SAMPLES = 2_000;

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.jsonl(\.gz)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);

/** Items by a name of theirs, in the order in which names come. */
function groupsOf(items, nameOf) {
  const groups = new Map();
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item]);
  return groups;
}

/** Owner and name of the repository, which the shared files are named after. */
const repositoryOf = (file) =>
  basename(file)
    .split('__')
    .slice(0, 2)
    .join('/')
    .replace(/-[0-9a-f]{8}.*$/, '');

/** One of two halves, by name alone. */
const halfOf = (name) => {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  return hash % 2;
};

/** What the calls on both sides of a place in a thread read again, and which results from before it the later ones need. */
function windowAt(place, { uses, items }, attached) {
  const restored = new Set(
    attached.filter(({ at }) => at === place || at === place + 1).map(({ path }) => path),
  );
  const needed = new Map();
  let [before, after] = [0, 0];
  for (const { kind, at, tokens, holders } of uses) {
    if (kind === 'reread' && at >= place - WINDOW && at < place) before += tokens;
    if (at < place || at >= place + WINDOW) continue;
    if (kind === 'reread') after += tokens;
    else if (kind !== 'repeat')
      for (const holder of holders) {
        const item = items[holder];
        if (item.origin === 'result' && item.seenAt <= place && !restored.has(item.path))
          needed.set(holder, item.tokens);
      }
  }
  return { before, after, needed: sum([...needed.values()], (tokens) => tokens) };
}

/** The main thread of a session: its compactions, and windows that hold none. */
function study(file, seen) {
  const { transcript } = loadTranscript(file, { cwd: process.cwd() });
  const thread = transcript.threads.find(({ parentId }) => parentId === null);
  const found = usesOf(transcript)?.find((each) => each.thread === thread?.id);
  if (found === undefined) return { compactions: [], controls: [] };
  const sizes = [];
  const places = [];
  const attached = [];
  let first = null;
  for (const step of thread.steps) {
    if (step.kind === 'call') {
      first ??= step.call.id;
      const { input = 0, cacheRead = 0, cacheWrite5m = 0, cacheWrite1h = 0 } = step.call.usage ?? {};
      sizes.push(input + cacheRead + cacheWrite5m + cacheWrite1h);
    } else if (step.kind === 'event') {
      if (step.event.kind === 'recorded-compaction') places.push(sizes.length);
    } else
      for (const { facts } of step.message.blocks)
        if (facts.attachment !== undefined && facts.path !== undefined)
          attached.push({ at: sizes.length, path: facts.path });
  }
  // A resumed session holds the calls of the one before it.
  if (first === null || seen.has(first)) return { compactions: [], controls: [] };
  seen.add(first);
  const about = { file: basename(file), agent: transcript.source, repository: repositoryOf(file) };
  const at = (place) => ({ ...about, place, size: sizes[place - 1], ...windowAt(place, found, attached) });
  const compactions = places.filter((place) => place >= 2 && sizes.length - place >= 4).map(at);
  const controls = [];
  for (let place = WINDOW; place + WINDOW <= sizes.length; place += WINDOW / 4)
    if (!places.some((other) => Math.abs(other - place) <= WINDOW)) controls.push(at(place));
  return { compactions, controls };
}

/** What a compaction read again beyond the change that the nearest windows of other sessions show. */
function extraOf(compaction, controls) {
  const distance = ({ place, size }) =>
    Math.abs(Math.log((place + 1) / (compaction.place + 1))) +
    Math.abs(Math.log((size + 1) / (compaction.size + 1)));
  const nearest = controls
    .filter(({ agent, file }) => agent === compaction.agent && file !== compaction.file)
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, CONTROLS);
  const usual =
    nearest.length === 0 ? 0 : sum(nearest, ({ before, after }) => after - before) / nearest.length;
  return compaction.after - compaction.before - usual;
}

const ranksOf = (values) => {
  const ranks = new Array(values.length);
  values
    .map((value, i) => [value, i])
    .sort(([a], [b]) => a - b)
    .forEach(([, i], rank) => {
      ranks[i] = rank;
    });
  return ranks;
};

function rankCorrelation(pairs) {
  const mean = (pairs.length - 1) / 2;
  const [a, b] = [0, 1].map((side) => ranksOf(pairs.map((pair) => pair[side])).map((rank) => rank - mean));
  const product = (x, y) =>
    sum(
      x.map((value, i) => value * y[i]),
      (value) => value,
    );
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

const shareOf = (compactions) =>
  sum(compactions, ({ extra }) => extra) / sum(compactions, ({ needed }) => needed);

/** The 90 % interval of a figure, sessions drawn with replacement. */
function intervalOf(compactions, figure) {
  const sessions = [...groupsOf(compactions, ({ file }) => file).values()];
  let state = 12_345;
  const draw = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return sessions[Math.floor((state / 2_147_483_648) * sessions.length)];
  };
  const values = Array.from({ length: SAMPLES }, () => figure(sessions.flatMap(draw))).sort((a, b) => a - b);
  return [values[Math.floor(0.05 * SAMPLES)], values[Math.floor(0.95 * SAMPLES)]];
}

const folders = process.argv.slice(2);
if (folders.length === 0 || !folders.every((folder) => existsSync(folder))) {
  process.stderr.write('name folders with recordings: node scripts/event-study.mjs ../shared/data\n');
  process.exit(2);
}
const seen = new Set();
const all = { compactions: [], controls: [] };
for (const file of folders.flatMap(filesIn)) {
  try {
    const { compactions, controls } = study(file, seen);
    all.compactions.push(...compactions);
    all.controls.push(...controls);
  } catch (error) {
    process.stderr.write(`left out: ${file}: ${error.message}\n`);
  }
}
const judged = all.compactions.map((compaction) => ({
  ...compaction,
  extra: extraOf(compaction, all.controls),
}));
const whole = (value) => Math.round(value).toLocaleString('en-US');
const percent = (value) => `${value > 0 ? '+' : ''}${Math.round(100 * value)} %`;
for (const [agent, compactions] of groupsOf(judged, (each) => each.agent)) {
  const mean = (of) => sum(compactions, of) / compactions.length;
  const repositories = new Set(compactions.map(({ repository }) => repository));
  const sessions = [...groupsOf(compactions, ({ file }) => file).values()];
  const pairs = sessions.map((own) => [sum(own, ({ needed }) => needed), sum(own, (each) => each.extra)]);
  const [low, high] = intervalOf(compactions, (items) => sum(items, (each) => each.extra) / items.length);
  const [least, most] = intervalOf(compactions, shareOf);
  const lines = [
    `${agent}: ${compactions.length} compactions in ${sessions.length} sessions of ${repositories.size} repositories`,
    `  tokens read again in ${WINDOW} calls: ${whole(mean(({ before }) => before))} before, ${whole(mean(({ after }) => after))} after`,
    `  extra, against ${CONTROLS} windows each without a compaction: ${whole(mean((each) => each.extra))} [${whole(low)}, ${whole(high)}]`,
    `  tokens needed of results from before: ${whole(mean(({ needed }) => needed))}; share fetched again ${shareOf(compactions).toFixed(2)} [${least.toFixed(2)}, ${most.toFixed(2)}]`,
    `  rank correlation over sessions: ${rankCorrelation(pairs).toFixed(2)}`,
  ];
  for (const half of [0, 1]) {
    const fitted = compactions.filter(({ repository }) => halfOf(repository) === half);
    const tested = compactions.filter(({ repository }) => halfOf(repository) !== half);
    if (fitted.length === 0 || tested.length === 0) continue;
    const predicted = shareOf(fitted) * sum(tested, ({ needed }) => needed);
    const recorded = sum(tested, (each) => each.extra);
    lines.push(
      `  fitted on ${fitted.length}, predicted for ${tested.length}: ${whole(predicted)} against ${whole(recorded)} tokens (${percent(predicted / recorded - 1)})`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
