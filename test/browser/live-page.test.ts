import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../cli/cli.js';
import { serving } from '../cli/commands/serve/serving.js';
import { useBrowser } from './browser.js';

const browser = useBrowser();

describe('the page of a server', () => {
  it('follows along: requests as they come, and what they cost', async () => {
    const cwd = tempFolder();
    const { url, stop } = await serving(cwd, ['--record', join(cwd, 'out.jsonl'), '--page']);
    const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
    const ask = (content: string) =>
      client.messages.create({
        model: 'claude-sonnet-4-5',
        max_tokens: 100,
        cache_control: { type: 'ephemeral' },
        system: 's'.repeat(12_000),
        messages: [{ role: 'user', content }],
      });
    const page = await (await browser()).newPage();
    onTestFinished(() => page.close());
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${url}/ccbench`);
    expect(await page.textContent('body')).toContain('No request has been answered yet.');
    await ask('one');
    await page.locator('.card', { hasText: 'Sessions' }).waitFor(); // it loads itself again
    expect(await page.locator('.card', { hasText: 'Sessions' }).textContent()).toContain('1 request');
    await ask('one');
    await page.locator('.card', { hasText: '2 requests' }).waitFor();
    expect(await page.locator('#session svg.chart').count()).toBeGreaterThan(1);
    expect(problems).toEqual([]);
    await stop();
  });
});
