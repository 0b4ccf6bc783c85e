/** Content of a request that was deleted on the server: it is named in the bytes, but no longer part of the prompt (MIC-3). */
export interface DeletedContent {
  /** True tokens of all of it. */
  readonly tokens: number;
  /** True tokens of it up to and including a position of the request. */
  upTo(position: number): number;
}
