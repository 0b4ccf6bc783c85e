import { AGENTS } from './agents.mjs';
import { STUDY } from './bases.mjs';
import { job } from './jobs.mjs';
import { brokenLine, harmlessEnds, harmlessJson, harmlessLines, harmlessYaml, wrongYaml } from './known.mjs';
import { damageBytes } from './mutate.mjs';
import { plugin } from './plugins.mjs';
import { request } from './requests.mjs';

const RUN = ['run', 'a.yaml', '--no-files', '--json'];

/** How many runs were made and how many were there: the answer is in the rest. */
export const RAN = /^ {2}"(?:ran|resumed|kept)": .*$/gm;

/** The log names the plug-ins of its run by their content. */
const PLUGIN_DIGEST = /^ *"(?:digest|sha256)": .*$/gm;

/** A case whose input is changed without a meaning. */
const same = (files, as, argv, leftOut) => ({
  files: { ...as, ...files },
  argv,
  right: { is: 'same', as: { files: as, argv }, ...(leftOut === undefined ? {} : { leftOut }) },
});

/** A case whose damage must be named. */
const named = (files, as, argv, by) => ({
  files: { ...as, ...files },
  argv,
  right: { is: 'named', as: { files: as, argv }, by },
});

/** Keys below which a user writes names of their own. */
const FREE =
  /^(?:name|description|sources|label|source|doubts|models|clients|expect|variants\.name|set|prices|question)\b|overrides|\bname$|\btool$|file$/;
const isFree = (path) => FREE.test(path.join('.'));

/** Scenarios that stay sound with as few turns as cases have. */
const isWhole = (text) =>
  /^transcript:/m.test(text) &&
  [...text.matchAll(/[tT]urns?: (\d+)/g)].every(([, turn]) => Number(turn) <= 10);

/** Cases with a known answer, of kinds that are damaged at random otherwise. */
const KNOWN = {
  scenario: (bases, random) => {
    const text = random.pick(bases.scenarios.filter(isWhole));
    return random.chance(0.5)
      ? same({ 'a.yaml': harmlessYaml(text, random) }, { 'a.yaml': text }, RUN)
      : named({ 'a.yaml': wrongYaml(text, random, isFree) }, { 'a.yaml': text }, RUN, /\ba\.yaml:\d+/);
  },
  recording: (bases, random) => {
    const text = random.pick(bases.recordings);
    const scenario = { 'a.yaml': 'name: over\ntranscript: { file: r.jsonl }\npolicy: none\n' };
    const argv = random.pick([['inspect', 'r.jsonl'], ['ttl', 'r.jsonl'], ['validate', 'r.jsonl'], RUN]);
    if (random.chance(0.5))
      return same({ 'r.jsonl': harmlessLines(text, random) }, { ...scenario, 'r.jsonl': text }, argv);
    const { text: broken, line } = brokenLine(text, random);
    return named(
      { 'r.jsonl': broken },
      { ...scenario, 'r.jsonl': text },
      argv,
      new RegExp(`\\br\\b.*\\bline ${line}\\b|binary`, 's'),
    );
  },
  agent: (_bases, random) => {
    const [name, text] = random.pick(Object.entries(AGENTS));
    const as = { 'a.yaml': 'name: over\ntranscript: { file: r.jsonl }\npolicy: none\n', 'r.jsonl': text };
    const argv = random.pick([['inspect', 'r.jsonl'], ['ttl', 'r.jsonl'], RUN]);
    const isWhole = !text.includes('\n');
    // A table in CSV has no line that is no JSON.
    if (name === 'request-rows' || random.chance(0.5))
      return same({ 'r.jsonl': (isWhole ? harmlessJson : harmlessLines)(text, random) }, as, argv);
    const { text: broken, line } = brokenLine(text, random);
    return named(
      { 'r.jsonl': broken },
      as,
      argv,
      new RegExp(`\\br\\b.*(?:\\bline ${line}\\b|JSON|known format)`, 's'),
    );
  },
  trace: (bases, random) => {
    const scenario = { 'a.yaml': 'name: over\ntranscript: { file: t.json }\npolicy: none\n' };
    const argv = random.pick([['inspect', 't.json'], ['ttl', 't.json'], RUN]);
    if (random.chance(0.5))
      return same(
        { 't.json': harmlessJson(bases.trace, random) },
        { ...scenario, 't.json': bases.trace },
        argv,
      );
    const trace = JSON.parse(bases.trace);
    const request = random.pick(trace.requests);
    const key = random.pick(['t', 'in', 'out', 'hash_ids', 'model']);
    request[key] = random.pick(key === 'model' ? [7, {}, []] : ['x', {}, -5, true]);
    return named(
      { 't.json': JSON.stringify(trace) },
      { ...scenario, 't.json': bases.trace },
      argv,
      new RegExp(key === 'model' ? 'unknown' : `"${key}\\\\?" is`),
    );
  },
  log: (bases, random) => {
    const argv = ['report', 'run.jsonl', '--json'];
    const kind = random.below(3);
    if (kind === 0)
      return same(
        { 'run.jsonl': harmlessEnds(bases.log, random) },
        { 'run.jsonl': bases.log },
        argv,
        PLUGIN_DIGEST,
      );
    if (kind === 1) {
      const { text, line } = brokenLine(bases.log, random);
      return named(
        { 'run.jsonl': text },
        { 'run.jsonl': bases.log },
        argv,
        new RegExp(`run\\.jsonl:${line}\\b`),
      );
    }
    const lines = bases.log.trimEnd().split('\n');
    const requests = lines.flatMap((line, i) => (line.includes('"usage"') ? [i] : []));
    lines.splice(random.pick(requests), 1);
    return named({ 'run.jsonl': lines.join('\n') }, { 'run.jsonl': bases.log }, argv, /run\.jsonl/);
  },
  baseline: (bases, random) =>
    same(
      { 'before/small/summary.json': harmlessJson(bases.summary, random) },
      { 'a.yaml': bases.small, 'before/small/summary.json': bases.summary },
      ['run', 'a.yaml', '--baseline', 'before', '--no-files'],
    ),
  saved: (bases, random) =>
    same(
      { 'saved.json': harmlessJson(bases.saved, random) },
      { 'r.jsonl': bases.recording, 'saved.json': bases.saved },
      ['validate', 'r.jsonl', '--baseline', 'saved.json'],
    ),
};

/** Mixes cases with a known answer into kinds that damage at random. */
export function withKnown(kinds) {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, make]) => [
      kind,
      (bases, random) =>
        KNOWN[kind] !== undefined && random.chance(0.4) ? KNOWN[kind](bases, random) : make(bases, random),
    ]),
  );
}

/** What may happen to a file of results: its bytes, its content, its name. */
function damageStudy(files, random) {
  const damaged = { ...files };
  const name = random.pick(Object.keys(files));
  const kind = random.below(6);
  if (kind < 3) damaged[name] = damageBytes(files[name], random);
  else if (kind === 3) damaged[name] = files[random.pick(Object.keys(files))];
  else if (kind === 4) damaged[name] = random.pick(['', '{}', '\n', 'PAR1', '\0'.repeat(200)]);
  else {
    delete damaged[name];
    if (random.chance(0.5)) damaged[name.replace(/\d(?=\.)/, '7')] = files[name];
  }
  return { damaged, name };
}

const below = (folder, files) =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]));

/** Kinds of which every case has a known answer. */
export const NAMED_KINDS = {
  request,
  job,
  parts: (bases, random) => {
    const which = random.pick(['whole', 'half']);
    const files = bases.studies[which];
    const { damaged, name } = damageStudy(files, random);
    const scenario = { 'prune.yaml': bases.prune };
    if (random.chance(0.6))
      return same(
        below('out', damaged),
        // Only what is damaged is in the folder: what was deleted must not come back from the sound one.
        scenario,
        [...STUDY, '--results', 'out'],
        RAN,
      );
    const ask = random.pick([[], ['--count'], ['--best', 'costUsd'], ['--mean', 'costUsd'], ['--verify']]);
    const argv = ['results', 'out', ...ask, '--json'];
    const stem = name.split('/').at(-1).split('.')[0];
    const finished = which === 'whole' ? 0 : 2;
    return {
      files: below('out', damaged),
      argv,
      right: {
        is: 'either',
        as: { files: below('out', files), argv },
        by: new RegExp(
          `${stem}.*damaged|${6 - finished} runs are not finished|"finished": ${finished},|holds no results`,
          's',
        ),
      },
    };
  },
  policy: (bases, random) => {
    const text = random.pick(bases.policies);
    const as = { 'a.yaml': bases.small.replace('claude-code/2.1', './p.yaml'), 'p.yaml': text };
    return random.chance(0.4)
      ? same({ 'p.yaml': harmlessYaml(text, random) }, as, RUN)
      : named({ 'p.yaml': wrongYaml(text, random, isFree) }, as, RUN, /\bp\.yaml:\d+/);
  },
  provider: (bases, random) => {
    const scenario = `${bases.small}provider: ./p.yaml\nmodels:\n  own-weights: { provider: own-gateway, window: 262144, maxOutput: 32768, prices: { input: 0.4, output: 1.6 } }\n`;
    const as = { 'a.yaml': scenario, 'p.yaml': bases.gateway };
    return random.chance(0.4)
      ? same({ 'p.yaml': harmlessYaml(bases.gateway, random) }, as, RUN)
      : named({ 'p.yaml': wrongYaml(bases.gateway, random, isFree) }, as, RUN, /\bp\.yaml:\d+/);
  },
  plugin: (bases, random) => {
    const { text, isHarmless } = plugin(bases.plugin, random);
    const as = {
      'a.yaml': `${bases.small.replace('claude-code/2.1', 'clear-old')}plugins: [./p.mjs]\n`,
      'p.mjs': bases.plugin,
    };
    return isHarmless
      ? same({ 'p.mjs': text }, as, RUN, PLUGIN_DIGEST)
      : named({ 'p.mjs': text }, as, RUN, /plug-in(?::| \.\/p\.mjs| "clear-old-results")|layer "clear-odd"/);
  },
};
