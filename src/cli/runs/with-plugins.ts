import { type OpenPlugins, openPlugins, type ScenarioText } from '../../config/files/open-plugins.js';
import { isRecording } from '../../config/files/scenario-text.js';
import { CcbenchError } from '../../core/base/errors.js';
import { readTextInput } from '../../transcripts/files/read-input.js';
import type { CliSession, ExitCode } from '../session.js';
import { runWithoutListening } from '../terminal/interrupt.js';

/** The option of a command that loads plug-ins. */
export interface PluginOptions {
  readonly plugin?: readonly string[];
}

/** A scenario's text; a recording has no plug-ins, and one that cannot be read says so when it is planned. */
function textOf(file: string, cwd: string): readonly ScenarioText[] {
  if (isRecording(file, cwd)) return [];
  try {
    return [{ file, text: readTextInput(file, { cwd }) }];
  } catch (error) {
    if (error instanceof CcbenchError) return [];
    throw error;
  }
}

/** Does the work of a command with the plug-ins of its options and scenarios, which are gone afterwards. */
export async function withPlugins<T>(
  session: CliSession,
  scenarios: readonly string[],
  { plugin = [] }: PluginOptions,
  work: (plugins: OpenPlugins) => T | Promise<T>,
): Promise<T> {
  const { cwd } = session.host;
  const texts = scenarios.flatMap((file) => textOf(file, cwd));
  const plugins = await runWithoutListening(() => openPlugins(texts, plugin, cwd));
  try {
    return await work(plugins);
  } finally {
    plugins.close();
  }
}

/** A command on scenarios that has their plug-ins while it runs. */
export function pluggedIn<Options extends PluginOptions>(
  command: (
    session: CliSession,
    files: readonly string[],
    options: Options,
    plugins: OpenPlugins,
  ) => Promise<ExitCode>,
) {
  return (session: CliSession, files: readonly string[], options: Options): Promise<ExitCode> =>
    withPlugins(session, files, options, (plugins) => command(session, files, options, plugins));
}
