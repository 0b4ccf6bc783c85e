import { aiperf } from './aiperf.js';
import { mooncake } from './mooncake.js';
import { otel } from './otel.js';
import type { StreamFormat } from './stream-format.js';
import { weka } from './weka.js';

/** The formats that request streams are written in. */
export const STREAM_FORMATS = { mooncake, aiperf, weka, otel } satisfies Readonly<
  Record<string, StreamFormat>
>;
