/** A function of an object that is computed once for each. */
export function oncePer<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let entry = known.get(key);
    if (entry === undefined) {
      entry = { value: compute(key) };
      known.set(key, entry);
    }
    return entry.value;
  };
}

/** What a map holds under a name; made when it is first asked for. */
export function entryOf<V>(map: Map<string, unknown>, name: string, create: () => V): V {
  if (!map.has(name)) map.set(name, create());
  return map.get(name) as V;
}

/** The value under a key, made where there is none. */
export function getOrMake<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
