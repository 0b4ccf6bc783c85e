/** Data while it is laid out. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
