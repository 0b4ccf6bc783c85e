import { parentPort, workerData } from 'node:worker_threads';
import { CcbenchError, type ErrorCode, type Place } from '../../../core/base/errors.js';
import { FileDigests, type KnownFile } from '../../../transcripts/files/file-digests.js';
import { type ExplainOptions, explainFile, type FoundWhy } from './explain-file.js';

/** What a thread is started with. */
export interface WhyWorkerSetup {
  readonly options: ExplainOptions;
  readonly nowMs: number;
}

/** What a thread found of a file, or why it found nothing. */
export type WhyWorkerResult = { readonly file: string } & (
  | { readonly found: FoundWhy; readonly learned: readonly KnownFile[] }
  | { readonly problem: WhyProblem }
);

/** An error as plain data; null as code where it is a fault of ccbench. */
export interface WhyProblem {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly hint: string | null;
  readonly place: Place | null;
}

function problemOf(error: unknown): WhyProblem {
  if (error instanceof CcbenchError) {
    const { code, message, hint, place } = error;
    return { code, message, hint, place };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: null, message, hint: null, place: null };
}

const { options, nowMs } = workerData as WhyWorkerSetup;
const digests = new FileDigests(null, nowMs);

function explained(file: string): WhyWorkerResult {
  try {
    return { file, found: explainFile(file, options, digests), learned: digests.takeLearned() };
  } catch (error) {
    return { file, problem: problemOf(error) };
  }
}

parentPort?.on('message', (file: string) => parentPort?.postMessage(explained(file)));
