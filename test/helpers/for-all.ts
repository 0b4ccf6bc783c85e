import fc from 'fast-check';

/** Generators, and what must hold of every value they make. */
type Claim<T extends [unknown, ...unknown[]]> = [
  ...arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
  holds: (...values: T) => boolean | undefined,
];
type Settings = fc.Parameters<unknown>;

/** Checks that something holds of all values; the settings come first where they are not the usual ones. */
export function forAll<T extends [unknown, ...unknown[]]>(...claim: Claim<T>): void;
export function forAll<T extends [unknown, ...unknown[]]>(settings: Settings, ...claim: Claim<T>): void;
export function forAll(...given: readonly unknown[]): void {
  const usual = given[0] instanceof fc.Arbitrary;
  const claim = (usual ? given : given.slice(1)) as Claim<[unknown]>;
  fc.assert(fc.property(...claim), usual ? {} : (given[0] as Settings));
}
