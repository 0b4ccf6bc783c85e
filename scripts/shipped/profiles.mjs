const KEYS = ['name', 'kind', 'description', 'client', 'layers', 'set', 'sources'];
const KINDS = ['bound', 'analysed', 'measured'];

/** The policy that a profile is, checked; an unknown key, kind or parameter is refused. What has no kind has rules and is given back. */
export function profileOf(written, params) {
  if (written.kind === undefined) return written;
  const known = new Set(Object.values(params).flatMap((group) => Object.keys(group)));
  const fail = (what) => {
    throw new Error(`${written.name}: ${what}`);
  };
  if (!KINDS.includes(written.kind)) fail(`kind is one of ${KINDS.join(', ')}, not ${written.kind}`);
  for (const key of Object.keys(written)) if (!KEYS.includes(key)) fail(`unknown key ${key}`);
  for (const key of KEYS) if (key !== 'set' && written[key] === undefined) fail(`${key} is missing`);
  for (const path of [...Object.keys(written.set ?? {}), ...Object.keys(written.sources)])
    if (path !== '*' && !known.has(path)) fail(`unknown parameter ${path}`);
  const { name, kind, description: summary, layers: tiers, client, set = {}, sources } = written;
  return { name, kind, summary, tiers, client, set, sources };
}
