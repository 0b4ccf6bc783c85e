import { describe, expect, it } from 'vitest';
import { claudeSession, codexSession, homeWith } from '../../../helpers/home.js';
import { cli, scenario, tempFolder } from '../../cli.js';

const SHOP = '.claude/projects/-code-shop';
const QUIET = ['--no-files', '--workers', '0'];

/** Two sessions of one profile, an older one of another, and an older one of Codex: 2.0.76 and 2.1.112 have profiles of their own. */
const HOME = {
  [`${SHOP}/a.jsonl`]: claudeSession('a', '2026-03-05T10:00:00Z', { version: '2.1.112' }),
  [`${SHOP}/b.jsonl`]: claudeSession('b', '2026-03-06T10:00:00Z', { version: '2.1.112' }),
  [`${SHOP}/c.jsonl`]: claudeSession('c', '2026-03-04T10:00:00Z', { version: '2.0.76' }),
  '.codex/sessions/2026/03/03/rollout-d.jsonl': codexSession('d', '2026-03-03'),
};

async function studied(home: string, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await cli([...argv, ...QUIET, '--json'], {
    cwd: home,
    env: { HOME: home },
  });
  const json = JSON.parse(stdout);
  const names = (json.compared ?? json.transcripts ?? [])
    .map((file: string) => file.replace(/^.*[/-](\w+)\.jsonl$/, '$1'))
    .sort();
  return { code, stderr, json, names };
}

describe('a study over sessions', () => {
  it.each(['compare', 'sweep', 'tune'])(
    '%s without a name takes those on this machine, run as the client of the newest; other clients are left out',
    async (command) => {
      const { code, stderr, json, names } = await studied(homeWith(HOME), command);
      // None of these sessions compacts: no size at which it does is better than another.
      expect(code, stderr).toBe(command === 'tune' ? 99 : 0);
      expect(names).toEqual(['a', 'b']);
      const [first] = stderr.split('\n');
      expect(first).toBe(
        'all 4 sessions on this machine; --last, --since, --project and --agent choose others',
      );
      expect(stderr).toContain('left out: 2 of 4 sessions, whose client differs from that of the newest one');
      expect(stderr).toContain('(claude-code 2.1.112): 1 of claude-code 2.0.76, 1 of codex 0.140.0;');
      expect(stderr).toContain('2 sessions, the newest b: run as its own client (claude-code/2.1.112');
      const reasons = json.skipped.map(({ reason }: { reason: string }) => reason);
      if (command === 'compare')
        expect(reasons).toEqual(
          Array(2).fill(expect.stringContaining('differs from that of the newest session')),
        );
    },
  );

  it('says in the short form too that sessions which were named are left out', async () => {
    const home = homeWith(HOME);
    const argv = ['compare', '.claude', '.codex', '--policy', 'none', ...QUIET];
    const { stderr } = await cli(argv, { cwd: home, env: { HOME: home }, detail: 'as-given' });
    expect(stderr).toContain('left out: 2 of 4 sessions, whose client differs from that of the newest one');
  });

  it('takes folders, patterns and several recordings, which the options filter', async () => {
    const home = homeWith(HOME);
    expect((await studied(home, 'compare', SHOP)).names).toEqual(['a', 'b']);
    expect((await studied(home, 'compare', `${SHOP}/*.jsonl`)).names).toEqual(['a', 'b']);
    expect((await studied(home, 'compare', '--transcripts', SHOP)).names).toEqual(['a', 'b']);
    expect((await studied(home, 'compare', `${SHOP}/a.jsonl`, `${SHOP}/b.jsonl`)).names).toEqual(['a', 'b']);
    expect((await studied(home, 'compare', SHOP, '--last', '1')).names).toEqual(['b']);
    expect((await studied(home, 'compare', '.claude', '.codex', '--agent', 'codex')).names).toEqual(['d']);
    expect((await studied(home, 'sweep', SHOP, '--vary', 'cache.ttl=5m,1h')).names).toEqual(['a', 'b']);
  });

  it('sweeps and searches the size at which the policy compacts, by cost, and says so', async () => {
    const home = homeWith(HOME);
    const swept = await studied(home, 'sweep');
    expect(swept.stderr).toContain('no --vary: using --vary window.percent=auto');
    expect(swept.json.axes[0]).toMatchObject({
      path: 'window.percent',
      values: ['30', '40', '50', '60', '70', '80', '90', '100'],
    });
    const codex = await studied(home, 'sweep', '--agent', 'codex');
    expect(codex.json.axes[0].path).toBe('rules.compact.when.0.tokens');
    const tuned = await studied(home, 'tune');
    expect(tuned.stderr).toContain('no goal given: using --minimise costUsd');
    expect(tuned.json.best).toHaveProperty('costUsd');
    const none = await studied(tempFolder({ 'a.yaml': scenario('tiny') }), 'sweep', 'a.yaml');
    expect([none.code, none.json.error.message]).toEqual([2, expect.stringContaining('--vary must name')]);
  });

  it('is repeated by what chose its sessions where they are many', async () => {
    const files = [1, 2, 3, 4, 5].map((day) => [
      `${SHOP}/s${day}.jsonl`,
      claudeSession(`s${day}`, `2026-03-0${day}T10:00:00Z`, { version: '2.1.112' }),
    ]);
    const home = homeWith(Object.fromEntries(files));
    const named = await studied(home, 'sweep', SHOP, '--since', '2026-03-02');
    expect(named.json.best.command).toMatch(
      /^ccbench sweep \.claude\/projects\/-code-shop --since 2026-03-02 --vary window\.percent=\d+$/,
    );
    const usual = await studied(home, 'sweep');
    expect(usual.json.best.command).toMatch(/^ccbench sweep --last 20 --vary window\.percent=\d+$/);
  });

  it('is called after the project and the number of its sessions', async () => {
    const home = homeWith(HOME);
    const folderOf = async (...argv: readonly string[]) =>
      JSON.parse(
        (await cli([...argv, '--workers', '0', '--json'], { cwd: home, env: { HOME: home } })).stdout,
      ).report;
    expect(await folderOf('compare', SHOP)).toMatch(/^reports\/shop-2-sessions-[0-9a-f]{8}-compare$/);
    const other = claudeSession('e', '2026-03-07T10:00:00Z', { version: '2.1.112', cwd: 'D:\\blog' });
    const two = homeWith({ 'in/a.jsonl': HOME[`${SHOP}/a.jsonl`]!, 'in/e.jsonl': other });
    const { stdout } = await cli(['compare', 'in', '--workers', '0', '--json'], { cwd: two });
    expect(JSON.parse(stdout).report).toMatch(/^reports\/2-projects-2-sessions-[0-9a-f]{8}-compare$/);
  });

  it('into columns is over the same sessions', async () => {
    const argv = ['sweep', SHOP, '--vary', 'cache.ttl=5m,1h', '--results', 'out', '--workers', '0', '--json'];
    const home = homeWith(HOME);
    const { code, stdout } = await cli(argv, { cwd: home });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { runs: 4 }]);
    const bare = await cli(['sweep', SHOP, '--results', 'out'], { cwd: home });
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('add --vary')]);
  });

  it.each([
    [['compare', 'a.yaml', '--last', '3'], '--last has no effect on the sessions of a scenario'],
    [['sweep', 'a.yaml', 'b.yaml'], 'ccbench sweep takes one scenario'],
    [['compare', SHOP, '--transcripts', '.codex'], `ccbench compare ${SHOP} .codex`],
    [['compare', 'x/*.jsonl'], 'no file matches x/*.jsonl'],
    [['tune', 'nothing.jsonl'], 'there is no file nothing.jsonl'],
  ])('refuses %j', async (argv, sentence) => {
    const home = homeWith({ ...HOME, 'a.yaml': scenario('a'), 'b.yaml': scenario('b') });
    const { code, stderr } = await cli(argv, { cwd: home });
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
