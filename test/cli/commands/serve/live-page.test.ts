import { expect, it, onTestFinished } from 'vitest';
import { createLivePage } from '../../../../src/cli/commands/serve/live-page.js';

const HOST = 'http://localhost:1';
const HEADERS = new Headers({ host: 'localhost:1' });

it('tells a page at once of what happened between its making and its listening', async () => {
  const live = createLivePage((events) => events);
  onTestFinished(() => live.close());
  const firstNews = async (events: string): Promise<string> => {
    const reader = live.answer(`${HOST}${events}`, HEADERS)!.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return new TextDecoder().decode(value);
  };
  const make = () => live.answer(`${HOST}/ccbench`, HEADERS)!.text();
  const events = await make();
  expect(await firstNews(events)).toMatch(/^:/); // a comment: nothing to load
  live.changed();
  expect(await firstNews(events)).toBe('data: changed\n\n');
  expect(await firstNews(await make())).toMatch(/^:/);
});
