/** Inputs of well-known tools, in the order of their schemas. */
const KNOWN_INPUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Read', ['file_path', 'offset', 'limit', 'pages']],
  ['Edit', ['file_path', 'old_string', 'new_string', 'replace_all']],
  ['Write', ['file_path', 'content']],
  ['Bash', ['command', 'description', 'timeout', 'run_in_background', 'dangerouslyDisableSandbox']],
  ['Glob', ['pattern', 'path']],
  ['WebFetch', ['url', 'prompt']],
  ['WebSearch', ['query', 'allowed_domains', 'blocked_domains']],
]);

/** True when keys stand in the schema's order, others behind them. */
function isInOrder(keys: readonly string[], known: readonly string[]): boolean {
  let latest = 0;
  for (const key of keys) {
    const at = known.indexOf(key);
    const rank = at === -1 ? known.length : at;
    if (rank < latest) return false;
    latest = rank;
  }
  return true;
}

/**
 * Brings a tool's input into the form of its schema where that is known (FLT-3): keys in the schema's order, others behind
 * them, so that the same call always has the same bytes. Inputs of other tools stay as they are.
 */
export function normaliseInput(
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const known = KNOWN_INPUTS.get(tool);
  if (known === undefined) return input;
  if (isInOrder(Object.keys(input), known)) return input;
  const normal: Record<string, unknown> = {};
  for (const key of known) if (input[key] !== undefined) normal[key] = input[key];
  for (const key of Object.keys(input)) if (!known.includes(key)) normal[key] = input[key];
  return normal;
}
