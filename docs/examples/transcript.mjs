// Reads a recording and replays it without any context management, as it was sent.
import { loadScenario, readTranscript, replay } from 'ccbench';

const trace = {
  id: 'four-requests',
  models: ['claude-sonnet-4-5'],
  block_size: 64,
  requests: [0, 20, 420, 4420].map((t) => ({
    t,
    type: 'n',
    model: 'claude-sonnet-4-5',
    in: 1000,
    out: 10,
    hash_ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000 + t],
    input_types: ['text'],
    output_types: ['text'],
    stop: 'end_turn',
  })),
};

// A path works as well: readTranscript('session.jsonl').
const transcript = readTranscript(JSON.stringify(trace), { id: 'four-requests' });

// Any plan fits any transcript.
const { runs } = await loadScenario(
  '{ name: bare, transcript: { synthetic: { workload: bugfix, turns: 1 } }, policy: none }',
);
const { metrics } = replay(runs[0].plan, transcript);
console.log(
  `${transcript.threads.length} thread, ${metrics.apiCalls} calls, ${metrics.promptTokens} prompt tokens`,
);
