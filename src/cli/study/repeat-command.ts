const PLAIN = /^[\w@%+=:,./-]+$/;

/** A word of a command line as a shell takes it. */
function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a run of a study was made from. */
export interface RunRecipe {
  readonly file: string;
  /** `path=value`, in order. */
  readonly set: readonly string[];
  /** A recording in the place of the scenario's transcripts; null for the scenario's own. */
  readonly recording: string | null;
  /** Text of the scenario: it says how its transcripts are written. */
  readonly text: string;
}

/** The command that repeats a run alone. */
export function repeatCommand(recipe: RunRecipe): string {
  const { file, set, recording, text } = recipe;
  const settings = [...set];
  if (recording !== null) {
    const several = /^transcripts\s*:/m.test(text);
    settings.unshift(
      several ? `transcripts=[{file: ${JSON.stringify(recording)}}]` : `transcript.file=${recording}`,
    );
  }
  return ['ccbench run', shellWord(file), ...settings.map((item) => `--set ${shellWord(item)}`)].join(' ');
}
