import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import type { ResultRow } from '../../../study/result-rows.js';
import { encodePart } from '../../../study/results/part-file.js';
import type { ResultStore } from '../../../study/results/result-store.js';
import { writeWhole } from '../../../study/results/write-whole.js';

/** A text as SQL takes it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Answers a query on the table `results` with the command duckdb: rows as JSON, or as it prints them. */
export async function askDuckdb(
  results: ResultStore,
  query: string,
  {
    form,
    env,
  }: { readonly form: 'json' | 'text'; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-results-'));
  try {
    const sources = results.sources();
    const files = sources.filter(({ kind }) => kind === 'part').map(({ path }) => path);
    const loose: ResultRow[] = [];
    for (const { kind, place } of sources)
      if (kind === 'batch') for (const row of results.rowsOf(place) ?? []) loose.push(row);
    if (loose.length > 0) {
      const path = join(folder, 'unfinished.parquet');
      writeWhole(path, await encodePart(results.study.columns, loose));
      files.push(path);
    }
    if (files.length === 0) throw new CcbenchError('bad-input', 'there are no rows yet to ask about');
    const view = `create view results as select * from read_parquet([${files.map(quoted).join(', ')}])`;
    return await run(['-c', `${view}; ${query}`], form, env);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(
  args: readonly string[],
  form: 'json' | 'text',
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn('duckdb', [...(form === 'json' ? ['-json'] : []), ...args], {
      env: env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => {
      out += String(data);
    });
    child.stderr.on('data', (data) => {
      err += String(data);
    });
    child.on('error', (cause) => {
      fail(
        new CcbenchError('not-supported', 'SQL needs the command duckdb, which is not there', {
          hint: 'install it (https://duckdb.org), or ask without SQL: --best, --group, --mean, --where, --count',
          cause,
        }),
      );
    });
    child.on('close', (code) => {
      if (code === 0) done(out);
      else
        fail(new CcbenchError('bad-input', `duckdb refused the query: ${err.trim() || `exit code ${code}`}`));
    });
  });
}
