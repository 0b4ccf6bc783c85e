import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import { createFaultPlan } from '../../../src/provider/fake-llm/faults.js';
import { hideWarnings } from '../../helpers/hide-warnings.js';
import { refusalsOf } from '../../helpers/refusal.js';
import { fault } from '../fake-llm/build.js';
import { CLAUDE_TOOLS, goOn, SUMMARY_PROMPT, scripted, tool, wordsOf } from './agent.js';

hideWarnings();

const hello: MessageParam = { role: 'user', content: 'hello' };

describe('steps', () => {
  it('answer the requests of a conversation in order, then what stands under otherwise', async () => {
    const { send, source } = scripted('steps: [{ text: one }, { text: two }]\notherwise: { text: over }\n');
    const messages: MessageParam[] = [hello];
    const said: string[] = [];
    for (let i = 0; i < 4; i++) {
      const answer = await send(messages);
      said.push(wordsOf(answer));
      messages.push(...goOn(answer));
    }
    expect(said).toEqual(['one', 'two', 'over', 'over']);
    expect(source.given).toBe(2);
  });

  it('a request that comes again unchanged is a retry and gets the same answer', async () => {
    const { send } = scripted('steps: [{ read: a.ts }, { text: two }]\n');
    const first = await send([hello]);
    expect(await send([hello])).toMatchObject({ content: first.content });
    expect(wordsOf(await send([hello, ...goOn(first)]))).toBe('two');
  });

  it('a refused request takes no step', async () => {
    const faults = createFaultPlan([fault('overloaded', { call: 'main', nth: 1 })], createRandom(1));
    const { send } = scripted('steps: [{ text: one }]\n', { faults });
    await expect(send([hello])).rejects.toThrow('Overloaded');
    expect(wordsOf(await send([{ role: 'user', content: 'hello again' }]))).toBe('one');
  });

  it('thinking comes first where the request enables it, and a number is a size in tokens', async () => {
    const { send } = scripted('steps: [{ thinking: 200, text: 300, run: ls }]\n');
    const { content, usage } = await send([hello], {
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    });
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
    const sizes = content.map((block) =>
      block.type === 'thinking' ? block.thinking.length : block.type === 'text' ? block.text.length : 0,
    );
    expect(sizes).toEqual([200, 300, 0]);
    expect(usage.output_tokens).toBe(500 + 'Bash{"command":"ls"}'.length);
    const plain = scripted('steps: [{ thinking: 200, text: hi }]\n');
    expect((await plain.send([hello])).content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  it('stop, output tokens, latency and reported usage are as the step says', async () => {
    const { send, clock, answered } = scripted(
      'steps: [{ text: cut, stop: refusal, outputTokens: 77, latency: 2s, usage: { cacheRead: 5 } }]\n',
    );
    const answer = await send([hello]);
    expect(answer.stop_reason).toBe('refusal');
    expect(answer.usage).toMatchObject({ output_tokens: 77, cache_read_input_tokens: 5 });
    expect(clock.now).toBe(2_000);
    expect(answered[0]!.outcome.readTokens).toBe(0);
  });

  it('wait lets simulated time pass before the next request, once', async () => {
    const { send, clock } = scripted(
      'steps: [{ text: one, wait: 7min, latency: 0s }, { text: two, latency: 0s }]\n',
    );
    const first = await send([hello]);
    expect(clock.now).toBe(0);
    const messages = [hello, ...goOn(first)];
    await send(messages);
    expect(clock.now).toBe(420_000);
    await send(messages);
    expect(clock.now).toBe(420_000);
  });

  it('loops count with n and go through each item, inner ones by themselves', async () => {
    const { source, send } = scripted(`
steps:
  - repeat: 2
    steps:
      - text: outer \${n}
      - each: [a, b]
        steps: [{ text: "\${n} \${item}" }]
`);
    const messages: MessageParam[] = [hello];
    const said: string[] = [];
    for (let i = 0; i < 6; i++) {
      const answer = await send(messages);
      said.push(wordsOf(answer));
      messages.push(...goOn(answer));
    }
    expect(said).toEqual(['outer 1', '1 a', '2 b', 'outer 2', '1 a', '2 b']);
    expect(source.given).toBe(6);
  });
});

describe('actions call the tool that the request defines', () => {
  const step = async (action: string, tools: typeof CLAUDE_TOOLS, head = '') => {
    const { send, problems } = scripted(`${head}steps: [${action}]\n`);
    const { content, stop_reason } = await send([hello], { tools: [...tools] });
    const call = content.find((block) => block.type === 'tool_use');
    return { name: call?.name, input: call?.input, stop_reason, problems, content };
  };
  const shellOf = (items: object) => ({
    name: 'shell',
    input_schema: { type: 'object' as const, properties: { command: items }, required: ['command'] },
  });

  it.each([
    ['{ read: a.ts }', CLAUDE_TOOLS, 'Read', { file_path: '/w/a.ts' }],
    ['{ read: /b.ts }', CLAUDE_TOOLS, 'Read', { file_path: '/b.ts' }],
    ['{ read: a.ts }', [tool('read', 'path')], 'read', { path: '/w/a.ts' }],
    ['{ read: a.ts }', [tool('read', 'filePath')], 'read', { filePath: '/w/a.ts' }],
    ['{ read: a.ts }', [tool('read_file', 'absolute_path')], 'read_file', { absolute_path: '/w/a.ts' }],
    ['{ run: npm test }', [tool('exec_command', 'cmd')], 'exec_command', { cmd: 'npm test' }],
    [
      '{ run: npm test }',
      [tool('run_shell_command', 'command')],
      'run_shell_command',
      { command: 'npm test' },
    ],
    [
      '{ run: npm test }',
      [shellOf({ type: 'array', items: { type: 'string' } })],
      'shell',
      { command: ['bash', '-lc', 'npm test'] },
    ],
    ['{ read: "it\'s.ts" }', [tool('bash', 'command')], 'bash', { command: "cat '/w/it'\\''s.ts'" }],
    [
      '{ edit: { file: a.ts, from: foo, to: bar } }',
      CLAUDE_TOOLS,
      'Edit',
      { file_path: '/w/a.ts', old_string: 'foo', new_string: 'bar' },
    ],
    [
      '{ edit: { file: a.ts, from: foo, to: bar } }',
      [tool('str_replace_editor', 'command', 'path', 'old_str', 'new_str')],
      'str_replace_editor',
      { command: 'str_replace', path: '/w/a.ts', old_str: 'foo', new_str: 'bar' },
    ],
    [
      '{ agent: Look at the tests. }',
      CLAUDE_TOOLS,
      'Task',
      { description: 'text', prompt: 'Look at the tests.', subagent_type: 'general-purpose' },
    ],
    [
      '{ call: { tool: mcp__db, input: { sql: select 1 } } }',
      [tool('mcp__db', 'sql')],
      'mcp__db',
      { sql: 'select 1' },
    ],
    ['{ call: { tool: mcp__db } }', [tool('mcp__db', 'sql')], 'mcp__db', { sql: 'text' }],
    // another client's tool by its name
    ['{ call: { tool: Read, input: { file_path: /x } } }', [tool('read', 'path')], 'read', { path: '/x' }],
  ])('%s with %#', async (action, tools, name, input) => {
    const made = await step(action, tools, 'folder: /w\n');
    expect(made).toMatchObject({ name, input, stop_reason: 'tool_use', problems: [] });
  });

  it('a change in a list of changes, as some clients have it', async () => {
    const change = {
      type: 'object',
      properties: { oldText: {}, newText: {} },
      required: ['oldText', 'newText'],
    };
    const properties = { path: { type: 'string' }, edits: { type: 'array', items: change } };
    const edit = {
      name: 'edit',
      input_schema: { type: 'object' as const, properties, required: ['path', 'edits'] },
    };
    const made = await step('{ edit: { file: a.ts, from: foo, to: bar } }', [edit]);
    expect(made.input).toEqual({ path: 'a.ts', edits: [{ oldText: 'foo', newText: 'bar' }] });
  });

  it('a tool that nobody defines ends the turn, and is reported', async () => {
    const { problems, content, stop_reason } = await step('{ agent: x }', [tool('Read', 'file_path')]);
    expect(stop_reason).toBe('end_turn');
    expect(problems).toEqual([
      'the script needs a tool that starts subagents, which the request does not define; its tools: Read',
    ]);
    expect(content).toEqual([{ type: 'text', text: `Script problem: ${problems[0]}` }]);
  });

  it('ids of calls are unique, several at once too', async () => {
    const { send } = scripted('steps: [{ calls: [{ read: a }, { read: a }] }, { read: a }]\n');
    const first = await send([hello]);
    const second = await send([hello, ...goOn(first)]);
    const ids = [...first.content, ...second.content].flatMap((block) =>
      block.type === 'tool_use' ? [block.id] : [],
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe('patterns', () => {
  it('are asked before the steps, by prompt or by result, as often as they may', async () => {
    const { send } = scripted(`
steps: [{ read: a }, { text: two }, { text: three }]
when:
  - { prompt: ^hello, times: 1, answer: { text: first of all } }
  - { result: FAIL, consumes: true, answer: { text: mended } }
`);
    const first = await send([hello]);
    expect(wordsOf(first)).toBe('first of all');
    const again = [hello, ...goOn(first)];
    const read = await send(again);
    expect(read.stop_reason).toBe('tool_use');
    const failed = [...again, ...goOn(read, 'FAIL a.test.ts')];
    const mended = await send(failed);
    expect(wordsOf(mended)).toBe('mended');
    expect(wordsOf(await send([...failed, ...goOn(mended), hello]))).toBe('three');
  });
});

describe('a summary', () => {
  it('comes in the tags that the request asks for, and takes no step', async () => {
    const { send } = scripted('summary: 400\nsteps: [{ read: a }, { text: two }]\n');
    const first = await send([hello]);
    const full = [hello, ...goOn(first)];
    const summary = wordsOf(await send([...full, { role: 'user', content: SUMMARY_PROMPT }]));
    const [, inside] =
      /^<analysis>\n[^<]+\n<\/analysis>\n\n<summary>\n([^<]+)\n<\/summary>$/.exec(summary) ?? [];
    expect(inside).toHaveLength(400);
    expect(wordsOf(await send([{ role: 'user', content: `Continued: ${inside}` }]))).toBe('two');
  });

  it.each([
    ['You are performing a CONTEXT CHECKPOINT COMPACTION.', 'S'],
    ['Provide a detailed prompt for continuing our conversation above.', 'S'],
    ['Create a structured context checkpoint summary that another LLM will use.', 'S'],
    [
      'First, reason in your scratchpad. Then, generate the <state_snapshot>.',
      '<state_snapshot>\nS\n</state_snapshot>',
    ],
  ])('%s', async (asked, said) => {
    const { send, answered } = scripted('summary: S\nsteps: [{ text: one }]\n');
    const answer = await send([hello, { role: 'assistant', content: 'x' }, { role: 'user', content: asked }]);
    expect(wordsOf(answer)).toBe(said);
    expect(answered[0]!.purpose).toBe('compact');
  });
});

describe('threads', () => {
  it('subagents have steps of their own, found by what they are told to do', async () => {
    const { send } = scripted(`
steps: [{ calls: [{ agent: Count the files. }, { agent: Read the tests. }] }, { text: both are back }]
agents:
  - [{ run: ls }, { text: 7 files }]
  - [{ text: tests read }]
`);
    const started = await send([hello]);
    const tools = CLAUDE_TOOLS.slice(1);
    const system = 'You are a subagent.';
    const second = await send([{ role: 'user', content: 'Read the tests.' }], { tools, system });
    expect(wordsOf(second)).toBe('tests read');
    const count: MessageParam = { role: 'user', content: '<reminder>\nCount the files.' };
    const listed = await send([count], { tools, system });
    expect(listed.content[0]).toMatchObject({ name: 'Bash', input: { command: 'ls' } });
    expect(wordsOf(await send([count, ...goOn(listed)], { tools, system }))).toBe('7 files');
    expect(wordsOf(await send([hello, ...goOn(started)]))).toBe('both are back');
  });

  it('a subagent that begins as a copy of the conversation has its own steps too', async () => {
    const { send } = scripted(
      'steps: [{ agent: Look aside. }, { text: back }]\nagents: [[{ text: aside }]]\n',
    );
    const started = await send([hello]);
    const [answer, results] = goOn(started, 'the copy begins');
    const fork: MessageParam[] = [hello, answer!, results!, { role: 'user', content: 'Look aside.' }];
    expect(wordsOf(await send(fork))).toBe('aside');
    expect(wordsOf(await send([hello, ...goOn(started)]))).toBe('back');
  });

  it('a subagent and the main thread that compact at the same time each go on', async () => {
    const { send } = scripted(
      'steps: [{ agent: Look aside. }, { text: back }]\nagents: [[{ read: a }, { text: aside }]]\nsummary: 50\n',
    );
    const started = await send([hello]);
    const aside: MessageParam = { role: 'user', content: 'Look aside.' };
    const system = 'You are a subagent.';
    const read = await send([aside], { system });
    const asked: MessageParam = { role: 'user', content: SUMMARY_PROMPT };
    await send([hello, ...goOn(started), asked]);
    await send([aside, ...goOn(read), asked], { system });
    const continued = (n: number): MessageParam => ({ role: 'user', content: `Continued ${n}` });
    expect(wordsOf(await send([continued(1)]))).toBe('back');
    expect(wordsOf(await send([continued(2)], { system }))).toBe('aside');
  });

  it('what defines no tools is beside the work, before and between its requests', async () => {
    const { send, answered, problems } = scripted('steps: [{ read: a }, { text: two }]\n');
    const title = (n: number) =>
      send([{ role: 'user', content: `title ${n}` }], { tools: [], system: 'titles' });
    expect(wordsOf(await title(1))).toBe('Done.');
    // the same words as the prompt, but without tools
    expect(wordsOf(await send([hello], { tools: [] }))).toBe('Done.');
    const first = await send([hello]);
    await title(2);
    // a check of the whole conversation, and a test of the key
    await send([hello, ...goOn(first)], { tools: [] });
    await send([hello, ...goOn(first)], { max_tokens: 1 });
    expect(wordsOf(await send([hello, ...goOn(first)]))).toBe('two');
    const kinds = ['side', 'side', 'main', 'side', 'side', 'side', 'main'];
    expect(answered.map(({ place }) => place.kind)).toEqual(kinds);
    expect(problems).toEqual([]);
  });

  it('a truncated conversation goes on, though it begins with other words and other tools', async () => {
    const { send } = scripted('steps: [{ read: a }, { read: b }, { text: three }]\n');
    const first = await send([hello]);
    const second = await send([hello, ...goOn(first)]);
    const tail: MessageParam[] = [
      { role: 'user', content: '[earlier turns were left out]' },
      ...goOn(second),
    ];
    const tools = [...CLAUDE_TOOLS, tool('mcp__new', 'x')];
    expect(wordsOf(await send(tail, { tools, system: 'Another day.' }))).toBe('three');
  });

  /** What may come between two requests of the main thread. */
  const events = fc.constantFrom(
    'step',
    'compact',
    'other-frame',
    'truncate',
    'side',
    'agent',
    'retry',
    'prompt',
    'new-prompt',
  );

  it('whatever comes in between, the k-th main request gets step k', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(events, { maxLength: 30 }), async (order) => {
        const { send } = scripted(
          `steps: [{ repeat: 40, steps: [{ text: "step \${n}", read: "f\${n}" }] }]\nsummary: 50\n`,
        );
        let messages: MessageParam[] = [hello];
        let system = 'You are an agent.';
        let tools = [...CLAUDE_TOOLS];
        let steps = 0;
        let beside = 0;
        const step = async () => {
          const answer = await send(messages, { system, tools });
          steps += 1;
          expect(wordsOf(answer)).toBe(`step ${steps}`);
          messages = [...messages, ...goOn(answer, `result ${steps}`)];
        };
        for (const event of order) {
          beside += 1;
          if (event === 'side')
            await send([{ role: 'user', content: `title of ${beside}` }], { tools: [], system: 'titles' });
          if (event === 'agent' && steps > 0)
            await send([{ role: 'user', content: `look at ${beside}` }], {
              tools: [CLAUDE_TOOLS[2]!],
              system: 'subagent',
            });
          if (event === 'compact' || event === 'other-frame') {
            const summary = await send([...messages, { role: 'user', content: SUMMARY_PROMPT }], {
              system,
              tools,
            });
            if (event === 'other-frame') {
              system = `You are an agent, ${beside}.`;
              tools = [...CLAUDE_TOOLS, tool(`mcp__${beside}`, 'x')];
            }
            messages = [{ role: 'user', content: `Continued ${beside}: ${wordsOf(summary)}` }];
          }
          const cut = messages.findLastIndex(({ role }) => role === 'assistant');
          if (event === 'truncate' && cut > 0)
            messages = [{ role: 'user', content: `left out ${beside}` }, ...messages.slice(cut)];
          if (event === 'prompt') messages = [...messages, { role: 'user', content: `and ${beside}` }];
          if (event === 'new-prompt') messages = [{ role: 'user', content: `cleared ${beside}` }];
          if (event === 'retry') {
            const before = messages;
            await step();
            expect(wordsOf(await send(before, { system, tools }))).toBe(`step ${steps}`);
          }
          if (event === 'step') await step();
        }
        await step();
      }),
    );
  });
});

describe('a script file', () => {
  const problemsIn = (text: string): readonly string[] =>
    refusalsOf(() => scripted(text)).map(({ message, place }) => `${place?.line}: ${message}`);

  it.each([
    ['stepz: []\n', ['1: `steps` is missing', '1: unknown key `stepz`']],
    ['steps:\n  - reed: a.ts\n', ['2: unknown key `reed` in `steps[0]`']],
    ['steps:\n  - { read: a, run: b }\n', ['2: a step makes one call, and this one has read and run']],
    ['steps:\n  - wait: 5min\n', ['2: the step answers nothing']],
    ['steps:\n  - { text: a, wait: soon }\n', ['2: expected a time, got "soon"']],
    ['steps:\n  - { repeat: 3 }\n', ['2: a loop needs `steps`, and `repeat` or `each`']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
    ['steps:\n  - text: a ${item}\n', ['2: ${item} has no meaning here']],
    [
      'steps: [{ text: a }]\nwhen:\n  - { prompt: "(", answer: { text: b } }\n',
      ['3: "(" is not a regular expression'],
    ],
    ['', ['1: the script is empty']],
  ])('%j is refused with its place', (text, problems) => {
    expect(problemsIn(text)).toEqual(problems);
  });

  it('names the files that its steps are about', async () => {
    const { readScriptFile } = await import('../../../src/cli/commands/serve/start-server.js');
    const { files } = readScriptFile(
      'files: { "p*.ts": { count: 2, chars: 9 } }\nsteps: [{ text: x }]\n',
      's',
    );
    expect(files.map(({ path }) => path)).toEqual(['p1.ts', 'p2.ts']);
  });
});
