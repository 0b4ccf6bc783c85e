/** A cause of a cache break as people read it: `ttl-5m` stays, `not-readable-yet` becomes `not readable yet`; what is words already stays. */
export function causeWords(cause: string): string {
  return cause.startsWith('ttl-') || cause.includes(' ') ? cause : cause.replaceAll('-', ' ');
}
