import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { clientPolicy } from '../../../agent/policies/own-policy.js';
import { diffLanes } from '../../../analysis/diff/diff-lanes.js';
import { type Lane, LaneWriter, laneOfLog, laneOfRecording } from '../../../analysis/diff/lane.js';
import { forwardPlan } from '../../../analysis/validate/forward.js';
import { openRef } from '../../../config/files/open-ref.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { Transcript } from '../../../core/model/transcript.js';
import { LOG_HEAD } from '../../../core/run/run-log.js';
import { replay } from '../../../engine/run/replay.js';
import { billNotes } from '../../../report/text/as-recorded.js';
import { fileHead } from '../../../transcripts/files/disk-file.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import type { CommandOptions } from '../../commands.generated.js';
import { inputOptions } from '../../files/input-options.js';
import { openLog } from '../../files/open-log.js';
import { execute } from '../../runs/execute.js';
import { BASE, planScenarios } from '../../runs/plan-runs.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present } from '../../terminal/present.js';
import { adviceOn, diffBlocks, sumSentence } from './diff-document.js';

const LOG = 'run.jsonl';

/** One side of a diff. */
type Side =
  | { readonly kind: 'log'; readonly file: string }
  | { readonly kind: 'scenario'; readonly file: string; readonly variant: string | null }
  | { readonly kind: 'recording'; readonly file: string };

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function isLog(path: string): boolean {
  const head = fileHead({ name: path, path, place: { file: path } });
  return Buffer.from(head.subarray(0, LOG_HEAD.length)).toString('utf8') === LOG_HEAD;
}

function sideOf(written: string, cwd: string): Side {
  const path = resolve(cwd, written);
  if (isFile(join(path, LOG))) return { kind: 'log', file: join(written, LOG) };
  const [, scenario, variant] = /^(.+\.ya?ml)(?:#(.*))?$/s.exec(written) ?? [];
  if (scenario !== undefined) return { kind: 'scenario', file: scenario, variant: variant ?? null };
  if (existsSync(path) && statSync(path).isDirectory())
    throw new CcbenchError('bad-input', `${written} holds no ${LOG}`, {
      place: { file: written },
      hint: 'name the folder of one run, a log, a scenario or a recording',
    });
  if (isFile(path) && written.endsWith('.jsonl') && isLog(path)) return { kind: 'log', file: written };
  return { kind: 'recording', file: written };
}

async function runScenario(
  session: CliSession,
  { file, variant }: Extract<Side, { kind: 'scenario' }>,
  options: PluginOptions,
): Promise<Lane> {
  const { host } = session;
  return withPlugins(session, [file], options, async (plugins) => {
    const changes = { set: [], variant: variant ?? BASE };
    const [planned] = await planScenarios(session, [file], changes, plugins, () => {});
    const { runs } = planned!;
    if (runs.length !== 1)
      throw new CcbenchError('bad-usage', `${file} makes ${runs.length} runs, and a diff takes one`, {
        place: { file },
        hint: 'name one recording in the scenario, or diff the folders of two runs',
      });
    return plugins.within(file, async () => {
      const { run } = runs[0]!;
      const transcript = await runInterruptible(host.interrupt, () =>
        openRef(run.transcript, inputOptions(session)),
      );
      const writer = new LaneWriter();
      await execute(session, run.plan, transcript, { sink: writer });
      return writer.finish();
    });
  });
}

function forwardLane(transcript: Transcript): Lane {
  const writer = new LaneWriter();
  const plan = forwardPlan(transcript);
  replay(plan, transcript, writer);
  const set = Object.entries(clientPolicy(transcript).set).map(([path, value]) => `${path}=${String(value)}`);
  const settings = set.length === 0 ? '' : ` with ${set.join(', ')}`;
  return { ...writer.finish(), title: `${transcript.id} predicted · ${plan.policy.name}${settings}` };
}

async function open(session: CliSession, side: Side, options: PluginOptions): Promise<Lane> {
  const { host } = session;
  if (side.kind === 'scenario') return runScenario(session, side, options);
  return runInterruptible(host.interrupt, () => {
    if (side.kind === 'log') return laneOfLog(openLog(side.file, { cwd: host.cwd }).entries);
    return laneOfRecording(loadTranscript(side.file, inputOptions(session)).transcript);
  });
}

/** What a side is held against when nothing else is named. */
async function opposite(session: CliSession, side: Side, options: PluginOptions): Promise<Lane> {
  if (side.kind === 'recording')
    return runInterruptible(session.host.interrupt, () =>
      forwardLane(loadTranscript(side.file, inputOptions(session)).transcript),
    );
  if (side.kind === 'scenario' && side.variant === null) {
    const variants = await variantsOf(session, side.file, options);
    if (variants.length === 1) return open(session, { ...side, variant: variants[0]! }, options);
    throw new CcbenchError(
      'bad-usage',
      variants.length === 0
        ? `${side.file} has no variant to compare it with`
        : `${side.file} has ${variants.length} variants`,
      {
        place: { file: side.file },
        hint:
          variants.length === 0
            ? 'name a second run, scenario or recording'
            : `name one: ccbench diff ${side.file} "${side.file}#${variants[0]}"`,
      },
    );
  }
  throw new CcbenchError('bad-usage', 'there is nothing to compare it with', {
    hint: 'name a second run, scenario or recording',
  });
}

async function variantsOf(
  session: CliSession,
  file: string,
  options: PluginOptions,
): Promise<readonly string[]> {
  return withPlugins(session, [file], options, async (plugins) => {
    const [planned] = await planScenarios(session, [file], { set: [] }, plugins, () => {});
    return [...new Set(planned!.runs.flatMap(({ run }) => run.variant ?? []))];
  });
}

/** Opens what two arguments of `ccbench diff` name; the second may be left out. */
export async function openLanes(
  session: CliSession,
  a: string,
  b: string | undefined,
  options: PluginOptions,
): Promise<readonly [Lane, Lane]> {
  const { cwd } = session.host;
  const first = sideOf(a, cwd);
  const second = b === undefined ? null : sideOf(b, cwd);
  const laneA = await open(session, first, options);
  const laneB =
    second === null ? await opposite(session, first, options) : await open(session, second, options);
  return [laneA, laneB];
}

/** Beside a recording the simulated prompt is estimated: so much is the same. */
const RECORDED_TOLERANCE = 2;

const PAGE = 'diff.html';

/** `ccbench diff`: where two runs part, and why. */
export async function diffCommand(
  session: CliSession,
  a: string,
  b: string | undefined,
  options: CommandOptions['diff'],
): Promise<ExitCode> {
  const [laneA, laneB] = await openLanes(session, a, b, options);
  const isRecorded = laneA.source === 'recorded' || laneB.source === 'recorded';
  const tolerance = (options.tolerance ?? (isRecorded ? RECORDED_TOLERANCE : 0)) / 100;
  const diff = diffLanes(laneA, laneB, tolerance);
  const notes = billNotes([laneA, laneB].flatMap(({ bill }) => bill ?? []));
  const page = options.out === undefined ? null : join(options.out, PAGE);
  const { pairs, ...shown } = diff;
  present(session, {
    blocks: diffBlocks(diff, { tolerance, notes, rows: options.rows }),
    closing: { result: sumSentence(diff), advice: adviceOn(diff, isRecorded) },
    json: { tolerance, aligned: pairs.length, ...shown, notes, page },
  });
  if (options.out !== undefined) {
    const { writePage } = await import('../../terminal/report-pictures.js');
    const { diffPage } = await import('./diff-page.js');
    await writePage(session, options.out, PAGE, diffPage(diff, { tolerance, notes }), options);
  }
  return EXIT.fine;
}
