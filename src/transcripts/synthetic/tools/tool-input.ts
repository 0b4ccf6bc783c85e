/** The JSON field that carries most of a tool's input. */
const BODY_FIELD: Readonly<Record<string, string>> = {
  Bash: 'command',
  Write: 'content',
  Grep: 'pattern',
  Glob: 'pattern',
  Task: 'prompt',
  WebFetch: 'prompt',
  WebSearch: 'query',
  ExitPlanMode: 'plan',
};

/** A tool call as text: name and JSON input, with filler between head and tail where it has a body. */
export interface InputFrame {
  readonly head: string;
  readonly tail: string;
  readonly hasBody: boolean;
}

/** The frame of a call: one text field of filler, behind a path where it is about a file. */
export function toolInputFrame(tool: string, path: string | null): InputFrame {
  const file = path === null ? '' : `"file_path":"${path}",`;
  return { head: `${tool}{${file}"${BODY_FIELD[tool] ?? 'input'}":"`, tail: '"}', hasBody: true };
}

/** The frame of a call whose input is known to the letter. */
export function exactInput(tool: string, input: Readonly<Record<string, unknown>>): InputFrame {
  const json = JSON.stringify(input);
  return { head: `${tool}${json.slice(0, -1)}`, tail: '}', hasBody: false };
}

/** The frame of a call with filler in one field of its input; the others stand in the order given, before and behind it. */
export function inputAround(
  tool: string,
  before: Readonly<Record<string, unknown>>,
  field: string,
  behind: Readonly<Record<string, unknown>> = {},
): InputFrame {
  const opening = JSON.stringify(before).slice(0, -1);
  const closing = JSON.stringify(behind).slice(1);
  const comma = opening === '{' ? '' : ',';
  return {
    head: `${tool}${opening}${comma}"${field}":"`,
    tail: closing === '}' ? '"}' : `",${closing}`,
    hasBody: true,
  };
}
