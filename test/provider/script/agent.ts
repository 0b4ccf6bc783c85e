import Anthropic from '@anthropic-ai/sdk';
import type {
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
  Tool,
} from '@anthropic-ai/sdk/resources/messages';
import { readScriptFile } from '../../../src/cli/commands/serve/start-server.js';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import {
  type AnsweredCall,
  createFakeApi,
  type FakeApiOptions,
} from '../../../src/provider/fake-api/fake-api.js';
import type { Script } from '../../../src/provider/script/script.js';
import { createScriptSource } from '../../../src/provider/script/script-source.js';
import { createClock } from '../../helpers/clock.js';

const text = { type: 'string' } as const;

/** A tool with these arguments, all required. */
export function tool(name: string, ...names: readonly string[]): Tool {
  const properties = Object.fromEntries(names.map((argument) => [argument, text]));
  return { name, input_schema: { type: 'object', properties, required: [...names] } };
}

/** Tools as Claude Code has them. */
export const CLAUDE_TOOLS: readonly Tool[] = [
  tool('Task', 'description', 'prompt', 'subagent_type'),
  tool('Bash', 'command'),
  tool('Read', 'file_path'),
  tool('Edit', 'file_path', 'old_string', 'new_string'),
];

export const SUMMARY_PROMPT =
  'Your task is to create a detailed summary of the conversation so far. Think in <analysis> tags, then write <summary>.';

type Body = Partial<MessageCreateParamsNonStreaming>;

/** A server with a script, and a client of it that keeps its conversation; one token a character. */
export function scripted(script: Script | string, given: Partial<FakeApiOptions> = {}) {
  const clock = createClock();
  const problems: string[] = [];
  const answered: AnsweredCall[] = [];
  const source = createScriptSource(typeof script === 'string' ? readScriptFile(script, 's.yaml') : script, {
    skip: (ms) => void clock.advanceTo(clock.now + ms),
    onProblem: (problem) => problems.push(problem),
  });
  const { fetch } = createFakeApi({
    clock,
    counter: { count: (words) => words.length },
    cache: createPromptCache(),
    answer: source,
    onCall: (_call, done) => void (done !== null && answered.push(done)),
    ...given,
  });
  const client = new Anthropic({ apiKey: 'test', fetch, maxRetries: 0, baseURL: 'http://fake.test' });

  function send(messages: readonly MessageParam[], more: Body = {}): Promise<Message> {
    return client.messages.create({
      model: 'claude-sonnet-4-5',
      max_tokens: 20_000,
      system: 'You are an agent.',
      tools: [...CLAUDE_TOOLS],
      messages: [...messages],
      ...more,
    });
  }

  return { send, clock, problems, answered, source };
}

/** The words of an answer. */
export function wordsOf({ content }: Message): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** An answer as the client sends it back, with a result for each call. */
export function goOn({ content }: Message, result = 'ok'): readonly MessageParam[] {
  const calls = content.filter((block) => block.type === 'tool_use');
  const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: result }) as const);
  return [
    { role: 'assistant', content },
    { role: 'user', content: results.length === 0 ? 'go on' : results },
  ];
}
