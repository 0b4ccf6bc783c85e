import fc from 'fast-check';
import { policyValues } from '../../../src/agent/policy-file/paths.js';
import type { Written } from './arbitrary-policy-file.js';

/** Something that does not belong where it is put. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    -1,
    0,
    1e300,
    '',
    ' ',
    '>= ',
    '0.9·Q',
    '5 min or so',
    '1e5',
    '((',
    [],
    {},
    'W/0',
  ),
  fc.string({ maxLength: 8 }),
  fc.double({ noNaN: true }),
  fc.array(fc.constantFrom<unknown>(1, 'x', null), { maxLength: 2 }),
  fc.constant({ at: 1, tokens: 2 }),
);

type Path = readonly (string | number)[];

/** Every path of a document, groups and lists included. */
function pathsOf(value: unknown, at: Path = []): readonly Path[] {
  const inner: readonly Path[] =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, item]) =>
          pathsOf(item, [...at, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  return at.length === 0 ? inner : [at, ...inner];
}

function changed(
  value: unknown,
  [part, ...rest]: Path,
  change: (at: object, key: string | number) => void,
): unknown {
  const copy = (
    Array.isArray(value) ? [...(value as readonly unknown[])] : { ...(value as object) }
  ) as Record<string | number, unknown>;
  if (rest.length === 0) change(copy, part!);
  else copy[part!] = changed(copy[part!], rest, change);
  return copy;
}

/** One way to damage a policy: a value is taken out, renamed, put in the place of another, or replaced. */
export function damaged(written: Written): fc.Arbitrary<Written> {
  const paths = pathsOf(written);
  return fc
    .tuple(
      fc.constantFrom(...paths),
      fc.constantFrom('remove', 'rename', 'replace', 'swap'),
      oddValue,
      fc.constantFrom(...policyValues(written)),
    )
    .map(([path, how, value, other]) => {
      return changed(written, path, (group, key) => {
        const at = group as Record<string | number, unknown>;
        const old = at[key];
        if (how === 'replace') at[key] = value;
        else if (how === 'swap') at[key] = other.value;
        else {
          if (Array.isArray(group)) group.splice(Number(key), 1);
          else delete at[key];
          if (how === 'rename' && !Array.isArray(group)) at[`${String(key)}s`] = old;
        }
      }) as Written;
    });
}
