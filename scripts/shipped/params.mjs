const TYPES = ['choice', 'switch', 'integer', 'number', 'names', 'table', 'text', 'model'];

/** A parameter of params.yaml as the program holds it. */
function paramSpec(path, written) {
  const [type] = Object.keys(written);
  if (!TYPES.includes(type) || typeof written.help !== 'string')
    throw new Error(`${path} needs a type (${TYPES.join(', ')}) first, and help`);
  const { [type]: value, default: other, unit = null, help, min = 0, max = 1e9, above } = written;
  const { nullable = value === null } = written;
  const kinds = {
    choice: { type, values: value },
    model: { type, own: value },
    table: { type, min, max },
    integer: { type, min, max, nullable },
    number: { type, min: above ?? min, ...(above === undefined ? {} : { minIs: 'excluded' }), max, nullable },
  };
  const first = other ?? (type === 'choice' ? value[0] : value);
  return { path, kind: kinds[type] ?? { type }, default: first, unit, help };
}

/** The parameters of layers by group, as one JSON text. */
export function paramsModule(groups) {
  const specs = Object.entries(groups).map(([name, group]) => [
    name,
    Object.entries(group).map(([path, written]) => paramSpec(path, written)),
  ]);
  return `/** Parameters of layers by group, as JSON. */
export const PARAMS = ${JSON.stringify(JSON.stringify(Object.fromEntries(specs)))};
`;
}
