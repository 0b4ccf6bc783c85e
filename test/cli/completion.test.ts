import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli, printed, tempFolder } from './cli.js';

const scripts: Record<string, string> = {};
beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const stdout = await printed(['completion', shell], { cwd: '/' });
    scripts[shell] = stdout;
  }
});

/** What bash offers for a line; the last word is the one that is being typed. */
function offered(...words: readonly string[]): readonly string[] {
  const typed = ['ccbench', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _ccbench; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-eu', '-c', `${scripts.bash}\n${ask}`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe.skipIf(process.platform === 'win32')('ccbench completion', () => {
  it.each([
    [['sw'], ['sweep']],
    [['comp'], ['compare', 'completion']],
    [['policies', 's'], ['show']],
    [
      ['fleet', 'w'],
      ['why', 'worker'],
    ],
    [['run', '--no-fi'], ['--no-files']],
    [['run', 'a.yaml', '--ju'], ['--junit']],
    [['policies', 'show', '--max'], ['--max-output']],
    [
      ['fleet', 'worker', '--redis-c'],
      ['--redis-ca', '--redis-cert'],
    ],
    [['--deb'], ['--debug']],
    [
      ['schema', 'p'],
      ['policy', 'provider'],
    ],
    [
      ['tune', '--method', ''],
      ['auto', 'random', 'halving'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    // files are left to the shell
    [['run', ''], []],
    [['run', '--out', '-'], []],
  ])('bash: offers for %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it('bash: leaves values that may be anything to the shell', () => {
    expect(scripts.bash).toContain("--out')  return");
    expect(scripts.bash).not.toContain("-W ''");
  });

  it('bash: offers help once, as a command and as an option of each', () => {
    expect(offered('')).toEqual(expect.arrayContaining(['run', 'fleet', 'help']));
    expect(offered('fleet', '')).toEqual(['run', 'tune', 'why', 'validate', 'worker']);
    expect(offered('run', '-')).toEqual(expect.arrayContaining(['--help', '-h']));
  });

  it.each([
    ['zsh', "    *':completion') found=('bash:' 'zsh:' 'fish:' 'powershell:');"],
    ['fish', "-n '__ccbench_at \\'completion\\'' -f -a 'bash zsh fish powershell'", "-a 'sweep' -d "],
    [
      'powershell',
      "'completion' = @{ Words = @('bash', 'zsh', 'fish', 'powershell');",
      "'fleet worker' = @{",
    ],
  ])('%s: knows the words of a command and its options', (shell, ...parts) => {
    for (const part of parts) expect(scripts[shell]).toContain(part);
    expect(scripts[shell]).toContain(shell === 'fish' ? '-l no-files' : '--no-files');
  });

  it('fish: -r where a file may be the value, -x with the words where only they may, neither without a value', () => {
    const line = (at: string, option: string) =>
      scripts
        .fish!.split('\n')
        .find((text) => text.includes(`__ccbench_at \\'${at}\\''`) && text.includes(` -l ${option} `));
    expect(line('run', 'out')).toContain(' -l out -r -d ');
    expect(line('run', 'no-files')).toContain(' -l no-files -d ');
    expect(line('tune', 'method')).toContain(" -l method -x -a 'auto random halving' -d ");
    expect(line('run', 'help')).toContain(' -l help -s h -d ');
  });

  it('prints the script in JSON, and refuses a shell that it does not know', async () => {
    const cwd = tempFolder();
    const { stdout } = await cli(['completion', 'bash', '--json'], { cwd });
    expect(JSON.parse(stdout)).toEqual({ shell: 'bash', script: scripts.bash });
    const unknown = await cli(['completion', 'tcsh'], { cwd });
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    expect(unknown.stderr).toContain('It must be bash, zsh, fish or powershell');
  });
});
