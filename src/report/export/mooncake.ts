import type { StreamFormat } from './stream-format.js';

/** Mooncake's trace: one request a line, by time. The fields are those of its published traces. */
export const mooncake: StreamFormat = {
  order: 'time',
  open: () => ({
    add: ({ promptTokens, outputTokens, hashIds }) => [
      `"input_length":${promptTokens},"output_length":${outputTokens},"hash_ids":[${hashIds.join(',')}]}`,
    ],
    end: () => [],
  }),
};
