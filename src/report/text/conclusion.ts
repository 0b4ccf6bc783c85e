/** What came of a command, and what to do about it or how far to trust it: a sentence each. */
export interface Conclusion {
  readonly result: string;
  readonly advice: string;
}
