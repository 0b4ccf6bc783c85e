/** The metrics of a comparison for which nobody chose others. */
export const COMPARED_METRICS: readonly string[] = [
  'costUsd',
  'finishedShare',
  'cacheHitRate',
  'compactions',
  'tokensSaved',
  'layerRequests',
  'callsLost',
  'compactionsPrevented',
  'keptContentShare',
  'tokensNotCarried',
  'cacheTokensDestroyed',
  'requestsRefused',
  'peakContextTokens',
  'breakerTrips',
];
