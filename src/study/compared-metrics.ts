/** The metrics of a comparison for which nobody chose others. */
export const COMPARED_METRICS: readonly string[] = [
  'costUsd',
  'finishedShare',
  'callsLost',
  'cacheHitRate',
  'compactions',
  'compactionsPrevented',
  'tokensSaved',
  'tokensNotCarried',
  'cacheTokensDestroyed',
  'requestsRefused',
  'peakContextTokens',
  'breakerTrips',
];
