import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeSession, codexSession, homeWith } from '../../helpers/home.js';
import { cli, refused, tempFolder } from '../cli.js';

const SHOP = '.claude/projects/-code-shop';

/** Three sessions of a shop on two days, one of a blog, one of Codex. */
const HOME = {
  [`${SHOP}/a.jsonl`]: claudeSession('a', '2026-03-01T10:00:00Z'),
  [`${SHOP}/b.jsonl`]: claudeSession('b', '2026-03-05T09:00:00Z'),
  [`${SHOP}/c.jsonl`]: claudeSession('c', '2026-03-05T08:00:00Z'),
  '.claude/projects/-code-blog/d.jsonl': claudeSession('d', '2026-03-03T10:00:00Z', { cwd: '/code/Blog' }),
  '.codex/sessions/2026/03/04/rollout-e.jsonl': codexSession('e', '2026-03-04'),
};

/** The names of the sessions that a command took. */
async function taken(argv: readonly string[], home: string, cwd = '/') {
  const { code, stdout, stderr } = await cli(['inspect', ...argv, '--json'], { cwd, env: { HOME: home } });
  const json = JSON.parse(stdout);
  const names: string[] = (json.sessions ?? []).map(({ file }: { file: string }) =>
    file.replace(/^(?:.*[/-])?([a-z]\w*)\.jsonl(\.gz)?$/, '$1'),
  );
  return { code, stderr, json, names: names.sort() };
}

describe('the sessions that options choose', () => {
  it.each([
    [['--last', '1'], ['b']],
    [
      ['--last', '2'],
      ['b', 'c'],
    ],
    [
      ['--last', '9'],
      ['a', 'b', 'c', 'd', 'e'],
    ],
    [
      ['--last', '9', '--since', '2026-03-04'],
      ['b', 'c', 'e'],
    ],
    [
      ['--last', '9', '--since', '2026-03-05'],
      ['b', 'c'],
    ],
    [['--last', '9', '--project', 'blog'], ['d']],
    [['--last', '9', '--agent', 'codex'], ['e']],
    [['--last', '1', '--agent', 'claude-code', '--project', '/code/', '--since', '2026-03-02'], ['b']],
  ])('%j of those on this machine', async (options, names) => {
    expect((await taken(options, homeWith(HOME))).names).toEqual(names);
  });

  it('are chosen among those that were named, too', async () => {
    const home = homeWith(HOME);
    expect((await taken([SHOP, '--last', '1'], home, home)).names).toEqual(['b']);
    expect((await taken([SHOP, '.codex', '--agent', 'codex'], home, home)).names).toEqual(['e']);
    expect((await taken(['.claude', '--since', '2026-03-04'], home, home)).names).toEqual(['b', 'c']);
  });

  it('are the newest by their last time, whatever the order of their names', async () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(minutes, fc.integer({ min: 1, max: 7 }), async (ends, last) => {
        const start = Date.parse('2026-03-01T10:00:00Z');
        const files = ends.map((end, i) => {
          const id = `s${i}`;
          return [
            `logs/${id}.jsonl`,
            claudeSession(id, new Date(start + end * 60_000).toISOString()),
          ] as const;
        });
        const home = homeWith(Object.fromEntries(files));
        const newest = ends
          .map((end, i) => ({ end, name: `s${i}` }))
          .sort((a, b) => b.end - a.end)
          .slice(0, last);
        const { names } = await taken(['logs', '--last', String(last)], home, home);
        expect(names).toEqual(newest.map(({ name }) => name).sort());
      }),
      { numRuns: 10 },
    );
  });

  it('are read where the end of the file does not tell when they ended', async () => {
    const cwd = tempFolder({
      'a.jsonl.gz': gzipSync(claudeSession('a', '2026-03-09T10:00:00Z')),
      'b.jsonl': claudeSession('b', '2026-03-05T10:00:00Z'),
    });
    expect((await taken(['.', '--last', '1'], cwd, cwd)).names).toEqual(['a']);
    expect((await taken(['.', '--since', '2026-03-06'], cwd, cwd)).names).toEqual(['a']);
  });

  it('include what cannot be read, which is reported', async () => {
    const cwd = tempFolder({ 'a.jsonl': claudeSession('a', '2026-03-09T10:00:00Z') });
    const { code, names, json } = await taken(['a.jsonl', 'gone.jsonl', '--last', '1'], cwd, cwd);
    expect([code, names]).toEqual([0, ['a']]);
    expect(json.skipped).toMatchObject([{ file: 'gone.jsonl', reason: 'there is no file gone.jsonl' }]);
  });

  it.each(['why', 'inspect', 'ttl', 'validate', 'compare', 'sweep', 'tune'])(
    '%s refuses an agent that it does not know, and says where it looked where there is nothing',
    async (command) => {
      const wrong = await cli([command, '--agent', 'claude'], { cwd: '/', env: { HOME: homeWith(HOME) } });
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain('unknown agent "claude"');
      expect(wrong.stderr).toContain('did you mean "claude-code"?');
      const none = await cli([command], { cwd: '/', env: { HOME: tempFolder() } });
      expect(none.code).toBe(2);
      expect(none.stderr).toContain('~/.claude/projects');
      expect(none.stderr).toContain(`ccbench ${command} <path>`);
    },
  );

  it('are an error that says what there is, where none is left', async () => {
    const home = homeWith(HOME);
    const said = async (...argv: readonly string[]) => {
      const stderr = await refused(['why', ...argv], { cwd: '/', env: { HOME: home } });
      return stderr;
    };
    expect(await said('--agent', 'pi')).toMatch(/none of 5 sessions is of pi\n.*claude-code, codex/);
    expect(await said('--project', 'bank')).toMatch(
      /none of 5 sessions is of a project with "bank" in its name\n.*\/code\/Blog, \/code\/other, \/code\/shop/,
    );
    expect(await said('--since', '2026-03-06')).toContain('no session ended on 2026-03-06 or later');
    for (const share of [[], ['--share']])
      expect(await said('--since', 'monday', ...share)).toContain('--since monday is not a day');
    const watched = await cli(['compare', '--watch'], { cwd: '/', env: { HOME: home } });
    expect([watched.code, watched.stderr]).toEqual([2, expect.stringContaining('--watch has no effect')]);
  });

  it('may end with the first moment of the day', async () => {
    const cwd = tempFolder({
      'a.jsonl': claudeSession('a', '2026-03-05T00:00:00.000Z'),
      'b.jsonl': claudeSession('b', '2026-03-04T23:59:59.999Z'),
    });
    expect((await taken(['.', '--since', '2026-03-05'], cwd, cwd)).names).toEqual(['a']);
  });

  it('list alone what was chosen', async () => {
    const { json } = await taken(['--agent', 'codex'], homeWith(HOME));
    expect(json.projects).toMatchObject([{ agent: 'codex', project: '/code/other', sessions: 1 }]);
  });

  it('validate takes the newest 20 where nothing is named, says so, and takes all that is named', async () => {
    const files = Array.from({ length: 22 }, (_, i) => {
      const id = `s${String(i).padStart(2, '0')}`;
      return [
        `${SHOP}/${id}.jsonl`,
        claudeSession(id, `2026-03-${String(i + 1).padStart(2, '0')}T10:00:00Z`),
      ];
    });
    const home = homeWith(Object.fromEntries(files));
    const validated = async (...argv: readonly string[]) => {
      const { stdout, stderr } = await cli(['validate', ...argv, '--json'], {
        cwd: home,
        env: { HOME: home },
      });
      const names = JSON.parse(stdout).files.map(({ file }: { file: string }) => file);
      return { names, first: stderr.split('\n')[0] };
    };
    const usual = await validated();
    expect(usual.names).toHaveLength(20);
    expect(usual.names.join()).not.toMatch(/s0[01]\.jsonl/);
    expect(usual.first).toBe(
      'the newest 20 of 22 sessions on this machine; --last, --since, --project and --agent choose others',
    );
    expect((await validated('--last', '3')).first).toMatch(/^the newest 3 of 22 sessions/);
    expect((await validated(SHOP)).names).toHaveLength(22);
  });
});
