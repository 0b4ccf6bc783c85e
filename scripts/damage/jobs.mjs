import { join } from 'node:path';
import { filesIn, STUDY } from './bases.mjs';
import { layOut } from './judge.mjs';
import { harmlessJson } from './known.mjs';
import { damageJson, damageText } from './mutate.mjs';

/** The batches of the study. */
const BATCHES = 6;

/** The study as `fleet run` publishes it. */
function published() {
  const vary = STUDY.flatMap((arg, i) => (STUDY[i - 1] === '--vary' ? [arg] : []));
  return { spec: { file: 'prune.yaml', vary, set: [] }, results: 'out' };
}

/** What a worker finds in the queue and on the server, and what must come of it. */
function makeJob(id, random) {
  const job = { study: id, batch: random.below(BATCHES) };
  const study = published();
  const text = JSON.stringify(study);
  const kind = random.below(8);
  if (kind === 0)
    return { is: 'same', job: { ...job, other: 1 }, batch: job.batch, text: harmlessJson(text, random) };
  if (kind < 3) {
    const wrong = [null, 7, 'x', [], {}, { study: id }, { ...job, study: 7 }, { ...job, study: 'other' }];
    const batches = [-1, 0.5, '0', BATCHES, 1e9, 2 ** 60, null, [0], {}, true].map((batch) => ({
      study: id,
      batch,
    }));
    return { is: 'named', job: random.pick([...wrong, ...batches]), text };
  }
  if (kind === 3) {
    const results = random.pick([
      '/tmp/x',
      '../x',
      'a/../../x',
      7,
      null,
      '~/x/../../../y',
      'x'.repeat(5_000),
    ]);
    return { is: 'named', job, text: JSON.stringify({ ...study, results }) };
  }
  if (kind === 4) {
    const file = random.pick(['/etc/passwd', '../prune.yaml', 'none.yaml', 7, null, '', 'out']);
    return { is: 'named', job, text: JSON.stringify({ ...study, spec: { ...study.spec, file } }) };
  }
  if (kind === 5)
    return {
      is: 'either',
      job,
      batch: job.batch,
      text: damageText(JSON.stringify(study.spec), random).replace(/^(.*)$/s, '{"spec":$1,"results":"out"}'),
    };
  return {
    is: 'either',
    job,
    batch: job.batch,
    text: JSON.stringify({ spec: damageJson(study.spec, random), results: 'out' }),
  };
}

const rowsIn = (files) => Object.keys(files).filter((name) => /\.(?:rows|open|parquet)$/.test(name));

/** A job of a fleet as its worker takes it, without the server. What is refused writes no row; what is made is what was asked for. */
export function job(bases, random) {
  const item = makeJob(bases.studyId, random);
  const work = async (folder, { job: data, text }) => {
    layOut(folder, { 'prune.yaml': bases.prune });
    let error = null;
    try {
      await bases.doJob(folder, data, async (key) => (key.endsWith(`:${bases.studyId}`) ? text : null));
    } catch (thrown) {
      error = thrown;
    }
    const files = filesIn(folder);
    return {
      error,
      files,
      rows: Object.fromEntries(rowsIn(files).map((name) => [name, files[name].toString('latin1')])),
    };
  };
  return {
    async check(folder) {
      const { error, files, rows } = await work(folder, item);
      const outside = Object.keys(files).filter((name) => !/^(?:prune\.yaml$|out\/|\.ccbench\/)/.test(name));
      const what = ` (${JSON.stringify(item.job)}, ${item.text})`.slice(0, 900);
      const say = (problem) => ({
        code: error === null ? 'done' : error.code,
        problem: problem === null ? null : problem + what,
      });
      if (outside.length > 0) return say(`files outside the results: ${outside.join(', ')}`);
      if (error !== null && !bases.isNamed(error)) return say(`${error}`);
      if (error !== null && Object.keys(rows).length > 0) return say('refused, and rows are written');
      if (error !== null)
        return say(item.is === 'same' ? `a harmless change is refused: ${error.message}` : null);
      if (item.is === 'named') return say('it is taken');
      bases.jobs ??= new Map();
      if (!bases.jobs.has(item.batch)) {
        const sound = { job: { study: bases.studyId, batch: item.batch }, text: JSON.stringify(published()) };
        bases.jobs.set(item.batch, (await work(join(folder, '..', 'sound'), sound)).rows);
      }
      return say(
        JSON.stringify(rows) === JSON.stringify(bases.jobs.get(item.batch))
          ? null
          : 'other rows without a word',
      );
    },
  };
}
