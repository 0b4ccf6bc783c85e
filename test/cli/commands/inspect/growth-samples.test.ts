import { expect, it } from 'vitest';
import { growthSamples } from '../../../../src/cli/commands/inspect/count-check.js';
import { assistant, type Fields, readSession, result, say, usage, user } from '../../../helpers/session.js';

const IMAGE: Fields = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x' } };
const call = (n: number, prompt: number, model = 'claude-x'): Fields =>
  assistant(`a${n}`, 10 * n, `m${n}`, say(`answer ${n}`), { model, usage: usage(prompt, 0, 0, 10) });

it('TOK-1 a stretch is what came between its calls: the texts, and 2,000 tokens for each picture', () => {
  const transcript = readSession([
    user('u1', 1, 'before the first call'),
    call(1, 10_000),
    user('u2', 11, [{ type: 'text', text: 'two pictures' }, IMAGE, IMAGE]),
    call(2, 14_100),
    result('r3', 21, 't3', [{ type: 'text', text: 'and one of a tool' }, IMAGE]),
    call(3, 16_300),
  ]);
  expect(growthSamples(transcript)).toMatchObject([
    {
      calls: 3,
      recordedTokens: 6_300,
      texts: ['answer 1', 'two pictures', 'answer 2', 'and one of a tool'],
      flatTokens: 6_000,
      sealedBlocks: 0,
    },
  ]);
});

it('a prompt that shrank or another model begins a new stretch; one call is none', () => {
  const lines = [1_000, 1_100, 900, 950, 990].map((prompt, i) => call(i + 1, prompt));
  expect(
    growthSamples(readSession(lines)).map(({ calls, recordedTokens }) => [calls, recordedTokens]),
  ).toEqual([
    [2, 100],
    [3, 90],
  ]);
  const models = [call(1, 1_000), call(2, 1_100), call(3, 1_200, 'claude-y')];
  expect(growthSamples(readSession(models))).toMatchObject([{ model: 'claude-x', calls: 2 }]);
});
