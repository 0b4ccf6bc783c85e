import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCount, formatCounted, formatValue, printable } from '../../../core/base/format.js';
import { findMetric } from '../../../metrics/registry.js';
import * as doc from '../../../report/document/document.js';
import { chosenMetric } from '../../../study/chosen-metrics.js';
import { ResultStore, readStudies } from '../../../study/results/result-store.js';
import { splitValues } from '../../../study/vary.js';
import type { CommandOptions } from '../../commands.generated.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import { yieldToEventLoop } from '../../terminal/interrupt.js';
import { screenFor } from '../../terminal/paint.js';
import { closingText, present } from '../../terminal/present.js';
import {
  type Answer,
  askDuckdb,
  askTables,
  chosenColumn,
  type Group,
  Grouping,
  parseCondition,
} from './questions.js';
import { SESSION_TABLES, type SessionTable, sessionTables } from './session-tables.js';
import { settingsText, studiesConclusion, summarise, summaryLines } from './summary.js';

type ResultsOptions = CommandOptions['results'];

/** The metric by which a study is summed up where none is asked for. */
const USUAL_METRIC = 'costUsd';

/** `ccbench results`: questions on the Parquet files of sweeps. */
export async function resultsCommand(
  session: CliSession,
  folder: string,
  options: ResultsOptions,
): Promise<ExitCode> {
  const path = resolve(session.host.cwd, folder);
  if (!existsSync(path))
    throw new CcbenchError('file-missing', `there is no folder ${folder}`, {
      hint: 'ccbench sweep … --results <folder> and ccbench why … --results <folder> make one',
    });
  const { studies, damaged } = readStudies(path);
  for (const file of damaged) note(session, damagedNote(file));
  const tables = sessionTables(path);
  for (const table of tables) noteMissing(session, table);
  if (studies.length === 0 && tables.length > 0) return answerOnSessions(session, folder, tables, options);
  if (studies.length === 0)
    throw new CcbenchError('bad-input', `${folder} holds no results`, {
      hint: 'name the folder that was given to --results',
    });
  const asks = [options.best, options.count, options.group, options.mean, options.columns, options.sql];
  const isAsked = asks.some((value) => value !== undefined);
  if (options.where !== undefined && !isAsked)
    throw new CcbenchError('bad-usage', '--where has no effect alone', {
      hint: 'add --count, --group or --mean',
    });
  if (options.where !== undefined && (options.sql ?? options.best ?? options.columns) !== undefined)
    throw new CcbenchError('bad-usage', '--where works only with --count, --group and --mean', {
      hint: 'put the condition into the query, or use --group',
    });
  const chosen = studies.filter(({ id }) => id.startsWith(options.study ?? ''));
  if (chosen.length === 0)
    throw new CcbenchError('unknown-name', `${folder} has no study ${options.study}`, {
      hint: `there are ${studies.map(({ id }) => id).join(', ')}`,
    });
  if (chosen.length > 1 && isAsked)
    throw new CcbenchError('bad-usage', `${folder} holds ${studies.length} studies, which are not mixed`, {
      hint: `add --study with one of: ${chosen.map(({ id, name, version }) => `${id} (${name}, ccbench ${version})`).join(', ')}`,
    });
  const opened = chosen.map((study) => new ResultStore(path, study));
  const bad = opened.flatMap((store) => store.putDamagedAside());
  for (const file of bad) note(session, damagedNote(file));
  if (options.verify === true) return verified(session, opened, [...damaged, ...bad]);
  return isAsked
    ? answer(session, opened[0]!, options, tables)
    : overview(session, opened, folder, options.top);
}

function noteMissing(session: CliSession, { name, files, of }: SessionTable): void {
  if (of !== null && files.length < of)
    note(session, `${name}: ${files.length} of ${of} shares are there; the rest is left out`);
}

/** Questions on the sessions of `why --results` and `validate --results`. */
async function answerOnSessions(
  session: CliSession,
  folder: string,
  tables: readonly SessionTable[],
  { sql, columns }: ResultsOptions,
): Promise<ExitCode> {
  if (sql !== undefined) {
    presentAnswer(session, await askTables(tables, sql), {});
    return EXIT.fine;
  }
  if (columns !== true)
    throw new CcbenchError('bad-usage', `${folder} holds tables of sessions, which are queried with SQL`, {
      hint: `add --sql "select … from ${tables.map(({ name }) => name).join(' or ')}", or --columns`,
    });
  const listed = tables.map(({ name }) => ({
    table: name,
    columns: SESSION_TABLES[name].map(({ name: column, kind, about }) => ({ name: column, kind, about })),
  }));
  if (session.json) printJson(session, { tables: listed });
  else
    for (const { table, columns: all } of listed)
      for (const { name, kind, about } of all)
        session.host.stdout.write(`${table}.${name} (${kind}): ${about}\n`);
  return EXIT.fine;
}

function presentAnswer(session: CliSession, { columns, rows }: Answer, head: object): void {
  const table = doc.table(
    columns.map((name, i) => doc.text(name, (row: (typeof rows)[number]) => String(row[i] ?? ''))),
    rows,
  );
  present(session, {
    blocks: [table],
    closing: null,
    json: {
      ...head,
      rows: rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
    },
  });
}

function damagedNote(file: string): string {
  return `${file} is damaged and left out: the command that made it repeats its runs`;
}

/** `--verify`: what is sound, and whether everything is. */
function verified(session: CliSession, stores: readonly ResultStore[], damaged: readonly string[]): ExitCode {
  const studies = stores.map((store) => ({
    study: store.study.id,
    name: store.study.name,
    files: store.sources().length,
    finished: store.finishedRuns(),
    runs: store.study.partition.runs,
  }));
  if (session.json) printJson(session, { damaged, studies });
  else
    for (const { name, study, files, finished, runs } of studies)
      session.host.stdout.write(
        `${printable(name)} (${study}): ${formatCounted(files, 'file')} as written, with ${formatCount(finished)} of ${formatCounted(runs, 'run')}\n`,
      );
  return damaged.length > 0 ? EXIT.input : EXIT.fine;
}

async function overview(
  session: CliSession,
  studies: readonly ResultStore[],
  folder: string,
  top: number,
): Promise<ExitCode> {
  const summaries = [];
  for (const results of studies)
    summaries.push(await summarise(results, USUAL_METRIC, top, session.host.interrupt));
  if (session.json) printJson(session, { results: folder, studies: summaries });
  else {
    const screen = screenFor(session.host.stdout, session.colors);
    const closing = closingText(studiesConclusion(summaries), screen);
    const rest = 'left to the command that began the study or to its other shards';
    const lines = summaries.flatMap((summary) => summaryLines(summary, rest));
    session.host.stdout.write(`${lines.join('\n')}\n\n${closing}`);
  }
  return EXIT.fine;
}

async function answer(
  session: CliSession,
  results: ResultStore,
  options: ResultsOptions,
  tables: readonly SessionTable[],
): Promise<ExitCode> {
  const { host } = session;
  const { study } = results;
  const open = study.partition.runs - results.finishedRuns();
  if (open > 0) note(session, `${formatCounted(open, 'run is', 'runs are')} not finished and left out`);
  const head = { study: study.id, version: study.version };
  if (options.sql !== undefined) {
    presentAnswer(session, await askDuckdb(results, options.sql, tables), head);
    return EXIT.fine;
  }
  if (options.columns === true) {
    if (session.json) printJson(session, { ...head, columns: study.columns });
    else host.stdout.write(`${study.columns.map(({ name, kind }) => `${name} (${kind})`).join('\n')}\n`);
    return EXIT.fine;
  }
  if (options.best !== undefined) {
    const metric = chosenMetric(options.best, '--best').name;
    chosenColumn(metric, study.columns, '--best');
    const { best } = await summarise(results, metric, options.top, host.interrupt);
    const { unit } = findMetric(metric)!;
    if (session.json) printJson(session, { ...head, best });
    else if (best.reason !== null) host.stdout.write(`no point is best in ${metric}: ${best.reason}\n`);
    else {
      const lines = best.points.map(
        ({ settings, value }) => `${formatValue(value, unit)}  ${settingsText(settings)}`,
      );
      host.stdout.write(`${lines.join('\n')}\n`);
    }
    return EXIT.fine;
  }
  await grouped(session, results, options, head);
  return EXIT.fine;
}

async function grouped(
  session: CliSession,
  results: ResultStore,
  options: ResultsOptions,
  head: object,
): Promise<void> {
  const { columns } = results.study;
  const conditions = (options.where ?? []).map((text) => parseCondition(text, columns));
  const by = options.group === undefined ? [] : splitValues(options.group);
  const means = options.mean === undefined ? [] : splitValues(options.mean);
  for (const name of by) chosenColumn(name, columns, '--group');
  for (const name of means) {
    if (chosenColumn(name, columns, '--mean').kind === 'text')
      throw new CcbenchError('bad-usage', `${name} is text, and has no mean`, {
        place: { file: `--mean ${name}` },
      });
  }
  const names = [...conditions.map(({ column }) => column), ...by, ...means];
  const grouping = new Grouping(by, means);
  let rows = 0;
  const pause = () => yieldToEventLoop(session.host.interrupt);
  for await (const cells of results.rows(['finishedShare', ...names], pause)) {
    if (!conditions.every(({ isMet }, i) => isMet(cells[1 + i] ?? null))) continue;
    rows++;
    const start = 1 + conditions.length;
    if (options.group !== undefined || options.mean !== undefined)
      grouping.add(cells.slice(start, start + by.length), cells.slice(start + by.length), cells[0] === 1);
  }
  const groups = grouping.list();
  const remark = means.length === 0 ? null : unfinishedNote(groups);
  if (remark !== null) note(session, remark);
  if (session.json) {
    printJson(session, { ...head, rows, ...(groups.length === 0 ? {} : { groups }) });
    return;
  }
  const shown = groups.slice(0, options.top).map(groupLine);
  const more = groups.length - shown.length;
  const lines = [
    ...shown,
    ...(more > 0 ? [`… and ${formatCounted(more, 'more group')}; --top shows them`] : []),
  ];
  session.host.stdout.write(`${[...lines, formatCounted(rows, 'row')].join('\n')}\n`);
}

/** What is to be known of means over runs that did not finish; null if all did. */
function unfinishedNote(groups: readonly Group[]): string | null {
  const marked = groups.filter(({ unfinished }) => unfinished > 0);
  if (marked.length === 0) return null;
  const sum = (of: (group: Group) => number) =>
    formatCount(groups.reduce((all, group) => all + of(group), 0));
  const runs = `${sum(({ unfinished }) => unfinished)} of ${sum((group) => group.rows)} runs did not finish`;
  const place = `in ${formatCount(marked.length)} of ${formatCounted(groups.length, 'group')}`;
  return `${runs}, ${place}: their means cover only answered calls and do not show which group is best; --best ranks runs that finished`;
}

function groupLine({ group, rows, unfinished, means }: Group): string {
  const named = Object.entries(means).map(
    ([name, value]) => `${name} ${formatValue(value, findMetric(name)?.unit ?? 'count')}`,
  );
  const key = settingsText(group);
  const counted = `${formatCounted(rows, 'row')}${unfinished === 0 ? '' : ` (${formatCount(unfinished)} of ${formatCount(rows)} unfinished)`}`;
  return `${key === '' ? 'all' : key}  ${counted}  ${printable(named.join('  '))}`;
}
