import { readFileSync } from 'node:fs';
import { clearedBlock } from '../../agent/layers/support/compactable.js';
import { changeReport, sizeBefore } from '../../agent/layers/support/compaction-report.js';
import { sha256Hex } from '../../core/base/digest.js';
import { CcbenchError, messageOf, type Place, ProblemList } from '../../core/base/errors.js';
import { createBlock } from '../../core/model/block.js';
import { createMessage } from '../../core/model/message.js';
import { readTranscript } from '../../transcripts/read-transcript.js';
import { importFile } from './import-file.js';
import type { Plugin, PluginFile, PluginModule, PluginTools } from './plugin.js';

/** What plug-ins that are functions are handed. */
const pluginTools: PluginTools = {
  readTranscript: (text, { id }) => readTranscript(Buffer.from(text, 'utf8'), { id, agents: [] }).transcript,
  createBlock,
  createMessage,
  clearedBlock,
  sizeBefore,
  changeReport,
};

/** A plug-in's file as it is now. */
export function findPlugin(path: string, shown: string, place: Place): PluginFile {
  try {
    return { path, sha256: sha256Hex(readFileSync(path)) };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code ?? String(cause)})`;
    throw new CcbenchError(
      code === 'ENOENT' ? 'file-missing' : 'file-unreadable',
      `plug-in ${shown}: ${why}`,
      {
        place,
        cause,
      },
    );
  }
}

/** Loads a plug-in's file, unchecked: an ES module whose default export is the plug-in, or a function that gives it. */
export async function loadPlugin({ path, sha256 }: PluginFile, shown: string, place: Place): Promise<Plugin> {
  let module: { readonly default?: PluginModule };
  try {
    module = await inTime(importFile(path, sha256), shown, place);
  } catch (error) {
    if (error instanceof CcbenchError) throw error;
    const line = new RegExp(`${sha256}:(\\d+)`).exec(error instanceof Error ? (error.stack ?? '') : '')?.[1];
    throw new CcbenchError(
      'bad-plugin',
      `plug-in ${shown} cannot be loaded: ${messageOf(error)}${line === undefined ? '' : ` (line ${line})`}`,
      { place, cause: error },
    );
  }
  const plugin = module.default;
  if (plugin === undefined)
    throw new CcbenchError('bad-plugin', `plug-in ${shown} has no default export`, {
      place,
      hint: 'write export default { name, layers, policies, readers, metrics }',
    });
  try {
    return await inTime(typeof plugin === 'function' ? plugin(pluginTools) : plugin, shown, place);
  } catch (error) {
    if (error instanceof CcbenchError) throw error;
    throw new CcbenchError('bad-plugin', `plug-in ${shown} threw when it was called: ${messageOf(error)}`, {
      place,
      cause: error,
    });
  }
}

/** How long a plug-in may take to load: what never comes to an end would let the process end without a result. */
const LOAD_MS = 10_000;

/** What comes of a promise of a plug-in, unless it takes too long. */
async function inTime<T>(work: T | Promise<T>, shown: string, place: Place): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => {
      const sentence = `plug-in ${shown} was not loaded within ${LOAD_MS / 1_000} seconds`;
      const hint = 'whatever it awaits at the top level or in its default export must finish';
      fail(new CcbenchError('bad-plugin', sentence, { place, hint }));
    }, LOAD_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An error, or each of several, at the place that names the plug-in. */
export function placed(error: CcbenchError, place: Place): CcbenchError {
  if (error instanceof ProblemList)
    return new ProblemList(
      error.code,
      place.file,
      error.problems.map((problem) => placed(problem, place)),
    );
  return new CcbenchError(error.code, error.message, {
    place,
    ...(error.hint === null ? {} : { hint: error.hint }),
    cause: error,
  });
}
