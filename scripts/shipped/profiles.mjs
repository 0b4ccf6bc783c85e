const KEYS = ['name', 'kind', 'description', 'client', 'layers', 'set', 'versions', 'checked', 'sources'];
const OPTIONAL = ['set', 'versions', 'checked'];
/** What a profile takes over from the one it is `like`; tables are taken over entry by entry. */
const TAKEN_OVER = ['kind', 'client', 'layers'];
const RANGE_KEYS = ['from', 'microcompact', 'set', 'evidence'];
const KINDS = ['bound', 'analysed', 'measured'];

/** A profile with what it takes over from the one it is `like`, by name among the files. */
function wholeProfile({ like, ...own }, others) {
  if (like === undefined) return own;
  const base = others.find(({ name }) => name === like);
  if (base === undefined) throw new Error(`${own.name}: it is like ${like}, which does not exist`);
  const whole = wholeProfile(base, others);
  const taken = Object.fromEntries(TAKEN_OVER.map((key) => [key, own[key] ?? whole[key]]));
  const set = { ...whole.set, ...own.set };
  return { ...own, ...taken, set, sources: { ...whole.sources, ...own.sources } };
}

/** The policy of a profile: layers of ccbench and their parameters, no rules. Refuses a key, a kind or a parameter that does not exist. */
export function profilePolicy(profile, params, others = []) {
  const written = wholeProfile(profile, others);
  const known = new Set(Object.values(params).flatMap((group) => Object.keys(group)));
  const fail = (what) => {
    throw new Error(`${written.name}: ${what}`);
  };
  if (!KINDS.includes(written.kind)) fail(`kind is one of ${KINDS.join(', ')}, not ${written.kind}`);
  for (const key of Object.keys(written)) if (!KEYS.includes(key)) fail(`unknown key ${key}`);
  for (const key of KEYS)
    if (!OPTIONAL.includes(key) && written[key] === undefined) fail(`${key} is missing`);
  const versions = written.versions?.map((range) => {
    for (const key of Object.keys(range))
      if (!RANGE_KEYS.includes(key)) fail(`unknown key ${key} of versions`);
    if (typeof range.from !== 'string' || !range.evidence) fail('versions need from, a text, and evidence');
    const { from, microcompact = 'not-recorded', set = {}, evidence } = range;
    return { from, microcompact, set, evidence };
  });
  const paths = [written.set ?? {}, written.sources, ...(versions ?? []).map((range) => range.set)].flatMap(
    Object.keys,
  );
  for (const path of paths) if (path !== '*' && !known.has(path)) fail(`unknown parameter ${path}`);
  const { name, kind, description: summary, layers, client, set = {}, checked = null, sources } = written;
  return { name, kind, summary, layers, client, set, checked, sources, ...(versions && { versions }) };
}
