// A small agent with a fault that costs money: the time in its system prompt changes with every request, so nothing behind it
// is read from the cache. `--fixed` mends it. Try: ccbench exec --expect "cacheBreaks == 0" -- node docs/examples/agent.mjs

import { readFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic();
const isFixed = process.argv.includes('--fixed');
const rules = 'Answer briefly. Read a file before you speak about it. '.repeat(150);
const tools = [
  {
    name: 'read_file',
    description: 'Reads a file of the project.',
    input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

let requests = 0;
const clock = () => (isFixed ? '' : `Request ${++requests}, ${new Date().toISOString()}. `);
const cached = { cache_control: { type: 'ephemeral' } };
const messages = [];

for (const task of ['What does package.json say?', 'And the licence?', 'Which scripts are there?']) {
  messages.push({ role: 'user', content: task });
  for (;;) {
    const answer = await client.messages.create({
      model: 'claude-sonnet-4-6',
      max_tokens: 1_000,
      system: [{ type: 'text', text: clock() + rules, ...cached }],
      ...cached,
      tools,
      messages,
    });
    messages.push({ role: 'assistant', content: answer.content });
    const calls = answer.content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) break;
    const read = ({ id, input }) =>
      readFile(input.path, 'utf8').then((content) => ({ type: 'tool_result', tool_use_id: id, content }));
    messages.push({ role: 'user', content: await Promise.all(calls.map(read)) });
  }
}
