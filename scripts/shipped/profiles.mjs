const KEYS = ['name', 'kind', 'description', 'client', 'layers', 'set', 'sources'];
const KINDS = ['bound', 'analysed', 'measured'];

/** The policy of a profile: layers of ccbench and their parameters, no rules. Refuses a key, a kind or a parameter that does not exist. */
export function profilePolicy(written, params) {
  const known = new Set(Object.values(params).flatMap((group) => Object.keys(group)));
  const fail = (what) => {
    throw new Error(`${written.name}: ${what}`);
  };
  if (!KINDS.includes(written.kind)) fail(`kind is one of ${KINDS.join(', ')}, not ${written.kind}`);
  for (const key of Object.keys(written)) if (!KEYS.includes(key)) fail(`unknown key ${key}`);
  for (const key of KEYS) if (key !== 'set' && written[key] === undefined) fail(`${key} is missing`);
  for (const path of [...Object.keys(written.set ?? {}), ...Object.keys(written.sources)])
    if (path !== '*' && !known.has(path)) fail(`unknown parameter ${path}`);
  const { name, kind, description: summary, layers, client, set = {}, sources } = written;
  return { name, kind, summary, layers, client, set, sources };
}
