/** The JSON field that carries most of a tool's input. */
const BODY_FIELD: Readonly<Record<string, string>> = {
  Bash: 'command',
  Edit: 'new_string',
  Write: 'content',
  Grep: 'pattern',
  Glob: 'pattern',
  Task: 'prompt',
  WebFetch: 'prompt',
  WebSearch: 'query',
};

/** Beginning and end of a tool call as text: name and JSON input around a body of filler; no body for Read. */
export function toolInputFrame(
  tool: string,
  path: string | null,
): { readonly head: string; readonly tail: string } {
  if (tool === 'Read' && path !== null) return { head: `Read{"file_path":"${path}`, tail: '"}' };
  const file = path === null ? '' : `"file_path":"${path}",`;
  return { head: `${tool}{${file}"${BODY_FIELD[tool] ?? 'input'}":"`, tail: '"}' };
}
