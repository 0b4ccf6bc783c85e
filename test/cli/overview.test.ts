import { describe, expect, it } from 'vitest';
import { claudeSession, codexSession, homeWith } from '../helpers/home.js';
import { cli, tempFolder } from './cli.js';

const HOME = {
  '.claude/projects/-code-shop/a.jsonl': claudeSession('a', '2026-03-05T10:00:00Z'),
  '.claude/projects/-code-shop/b.jsonl': claudeSession('b', '2026-03-09T10:00:00Z', { version: '2.0.76' }),
  '.codex/sessions/2026/03/03/rollout-d.jsonl': codexSession('d', '2026-03-03'),
};

describe('ccbench without a command', () => {
  it('knows a command that is misspelt', async () => {
    const { code, stderr } = await cli(['wy'], { cwd: '/', env: { HOME: tempFolder() } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean why?')]);
  });
});

describe('ccbench policies --mine', () => {
  it('has the policy of the newest session of each agent, with the size at which it compacts', async () => {
    const { stdout } = await cli(['policies', '--mine', '--json'], {
      cwd: '/',
      env: { HOME: homeWith(HOME) },
    });
    // 2.0.76: 200,000 − 32,000 for the answer − 13,000 (WIN-2, WIN-3). Codex: nine tenths of the 1,050,000 of gpt-5.5.
    expect(JSON.parse(stdout).mine).toMatchObject([
      {
        agent: 'claude-code',
        version: '2.0.76',
        profile: 'claude-code/2.0.76',
        model: 'claude-sonnet-4-5',
        thresholds: { autoCompact: 155_000 },
        day: '2026-03-09',
      },
      {
        agent: 'codex',
        version: '0.140.0',
        profile: 'peers/codex-remote',
        thresholds: { autoCompact: 945_000 },
      },
    ]);
  });

  it('says where it looked where there is none', async () => {
    const { code, stderr } = await cli(['policies', '--mine'], { cwd: '/', env: { HOME: tempFolder() } });
    expect([code, stderr]).toEqual([2, expect.stringContaining('~/.codex/sessions')]);
  });
});
