import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SummarySource } from '../../config/normalise.js';
import { CcbenchError } from '../../core/base/errors.js';
import { formatCounted, formatMoney } from '../../core/base/format.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { shownUrl } from '../../provider/fake-llm/live-api.js';
import { Cassette, cassetteLine, UnknownRequest } from '../../provider/fake-llm/summaries/cassette.js';
import type { LiveSummaries } from '../../provider/fake-llm/summaries/live-summaries.js';
import { type CliSession, note } from '../session.js';
import { Interrupted } from '../terminal/interrupt.js';
import { execute } from './execute.js';

/** The cassette of a run. With `live`, the API is asked for what the run needs and the cassette does not have. */
export async function openSummaries(
  session: CliSession,
  source: SummarySource,
  plan: RunPlan,
  transcript: Transcript,
): Promise<Cassette> {
  const cassette = readCassette(session, source);
  if (source.mode === 'live') await record(session, source, plan, transcript, cassette);
  return cassette;
}

function readCassette({ host }: CliSession, { mode, cassette: file }: SummarySource): Cassette {
  let lines = '';
  try {
    lines = readFileSync(resolve(host.cwd, file), 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || mode === 'cassette')
      throw new CcbenchError(
        isMissing ? 'file-missing' : 'file-unreadable',
        isMissing ? `there is no cassette ${file}` : `the cassette cannot be read: ${reasonOf(error)}`,
        {
          place: { file },
          hint: '--set llm.mode=live records one; llm.cassette names another',
          cause: error,
        },
      );
  }
  return new Cassette(file, lines);
}

function reasonOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/**
 * Replays the run until it needs no answer that is not kept: the engine never waits, so that each unknown request ends a pass, is
 * asked for, and the run begins again. Each answer is on the disk before the next is asked for.
 */
async function record(
  session: CliSession,
  source: SummarySource,
  plan: RunPlan,
  transcript: Transcript,
  cassette: Cassette,
): Promise<void> {
  const before = cassette.usd;
  let live: LiveSummaries | null = null;
  let file: number | null = null;
  let count = 0;
  try {
    for (;;) {
      const unknown = await firstUnknown(session, plan, transcript, cassette);
      if (unknown === null) break;
      file ??= openToAppend(session, source);
      live ??= await openLive(session, source, cassette);
      const answer = await live.write(unknown, cassette, source.budgetUsd, session.host.epochMs());
      writeSync(file, cassetteLine(answer));
      fsyncSync(file);
      cassette.add(answer);
      count++;
    }
  } catch (error) {
    if (session.host.interrupt.aborted) throw new Interrupted();
    throw error;
  } finally {
    if (file !== null) closeSync(file);
    if (count > 0)
      note(
        session,
        `${formatCounted(count, 'summary was', 'summaries were')} written for ${formatMoney(cassette.usd - before)}; the cassette has cost ${formatMoney(cassette.usd)}`,
      );
  }
}

/** The first request of a run that its cassette does not answer; null if it answers all. */
async function firstUnknown(
  session: CliSession,
  plan: RunPlan,
  transcript: Transcript,
  cassette: Cassette,
): Promise<UnknownRequest | null> {
  try {
    await execute(session, plan, transcript, { cassette });
    return null;
  } catch (error) {
    if (error instanceof UnknownRequest) return error;
    throw error;
  }
}

/** Opened before anything is paid for: an answer that cannot be kept would be lost. */
function openToAppend({ host }: CliSession, { cassette: file }: SummarySource): number {
  try {
    return openSync(resolve(host.cwd, file), 'a');
  } catch (error) {
    throw new CcbenchError('output-unwritable', `the cassette cannot be written: ${reasonOf(error)}`, {
      place: { file },
      hint: 'name a file in a folder that exists with llm.cassette',
      cause: error,
    });
  }
}

/** Opens the API as the environment describes it, and says where it is. */
async function openLive(
  session: CliSession,
  { budgetUsd }: SummarySource,
  cassette: Cassette,
): Promise<LiveSummaries> {
  const { env, interrupt: signal } = session.host;
  const apiKey = env.ANTHROPIC_API_KEY ?? '';
  if (apiKey === '')
    throw new CcbenchError('bad-usage', 'llm: live needs a key', {
      hint: 'set ANTHROPIC_API_KEY, or take the answers of a cassette with --set llm.mode=cassette',
    });
  const baseUrl = (env.ANTHROPIC_BASE_URL ?? '') === '' ? null : env.ANTHROPIC_BASE_URL!;
  note(
    session,
    `llm: live sends the session's text to ${shownUrl(baseUrl)} to have it summarised; budget ${formatMoney(budgetUsd)}, ${formatMoney(cassette.usd)} spent; answers go to ${cassette.file}`,
  );
  const { openLiveSummaries } = await import('../../provider/fake-llm/summaries/live-summaries.js');
  return openLiveSummaries({ apiKey, baseUrl, signal });
}
