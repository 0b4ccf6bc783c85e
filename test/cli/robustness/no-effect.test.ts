import { describe, expect, it } from 'vitest';
import { cli, snapshot, tempFolder } from '../cli.js';

const BASE = 'name: tiny\ntranscript: { synthetic: { turns: 5, text: none } }\n';

/** The lines on the screen of a refused command: sentence and hint. */
async function refused(argv: readonly string[], text: string): Promise<readonly string[]> {
  const cwd = tempFolder({ 'a.yaml': text });
  const before = snapshot(cwd);
  const { code, stderr } = await cli(argv, { cwd });
  expect(code).toBe(2);
  expect(snapshot(cwd)).toEqual(before);
  return stderr.trimEnd().split('\n');
}

async function accepted(argv: readonly string[], text: string): Promise<string> {
  const { code, stdout, stderr } = await cli([...argv, '--no-files'], {
    cwd: tempFolder({ 'a.yaml': text }),
  });
  expect([code, stderr.includes('error[')]).toEqual([0, false]);
  return stdout;
}

const TOKEN_KEEP = 'microcompact.token.keepRecent';
const SENTENCE = `${TOKEN_KEEP} has no effect under claude-code/2026: it belongs to microcompact-token, which this policy does not have`;
const HINT =
  '  hint: remove it, or set it under a policy that has the layer: claude-code/2.0, claude-code/2.1, claude-code/2.0.76, claude-code/2.1.7';

describe('a parameter of a layer that the policy does not have', () => {
  const policy = `${BASE}policy: claude-code/2026\n`;
  it.each([
    ['--set', ['run', 'a.yaml', '--set', `${TOKEN_KEEP}=5`], policy, `--set ${TOKEN_KEEP}=5`],
    [
      'the scenario',
      ['run', 'a.yaml'],
      `${BASE}policy: { use: claude-code/2026, set: { ${TOKEN_KEEP}: 5 } }\n`,
      'a.yaml:3:72',
    ],
    [
      'a variant',
      ['run', 'a.yaml'],
      `${policy}variants:\n  - { name: five, set: { ${TOKEN_KEEP}: 5 } }\n`,
      'a.yaml:5:57',
    ],
    ['sweep', ['sweep', 'a.yaml', '--vary', `${TOKEN_KEEP}=5,6`], policy, `--vary ${TOKEN_KEEP}=5`],
    [
      'tune',
      ['tune', 'a.yaml', '--vary', `${TOKEN_KEEP}=5,5`, '--minimise', 'costUsd'],
      policy,
      `--vary ${TOKEN_KEEP}=5`,
    ],
    ['compare', ['compare', 'a.yaml', '--set', `${TOKEN_KEEP}=5`], policy, `--set ${TOKEN_KEEP}=5`],
    [
      'policies show',
      ['policies', 'show', 'claude-code/2026', '--set', `${TOKEN_KEEP}=5`],
      policy,
      `--set ${TOKEN_KEEP}=5`,
    ],
  ])('C39 is refused at its place: %s', async (_where, argv, text, place) => {
    expect(await refused(argv, text)).toEqual([`error[no-effect] ${place}: ${SENTENCE}`, HINT]);
  });

  it('C39 is refused under the policy of --policy, which does not swallow it', async () => {
    const argv = ['run', 'a.yaml', '--set', 'storage.previewBytes=5', '--policy', 'none'];
    expect((await refused(argv, policy))[0]).toContain('storage.previewBytes has no effect under none');
  });

  it('C39 a policy that comes after its settings would swallow them', async () => {
    const argv = ['run', 'a.yaml', '--set', 'storage.previewBytes=5', '--set', 'policy=claude-code/2.1.112'];
    expect(await refused(argv, policy)).toEqual([
      'error[no-effect] --set policy=claude-code/2.1.112: it replaces what --set storage.previewBytes=5 has set',
      '  hint: put its content after it, or remove one of them',
    ]);
  });

  it('C39 a sweep over policies asks nothing of the variants it leaves out', async () => {
    const text = `${policy}variants:\n  - { name: five, set: { storage.previewBytes: 5 } }\n`;
    await accepted(['sweep', 'a.yaml', '--vary', 'policy=none,claude-code/2026'], text);
  });

  it('C39 policies show does not list it', async () => {
    const paths = async (name: string): Promise<readonly string[]> => {
      const { stdout } = await cli(['policies', 'show', name, '--json'], { cwd: tempFolder() });
      return JSON.parse(stdout).parameters.map(({ path }: { readonly path: string }) => path);
    };
    const none = await paths('none');
    expect(none).toContain('client.breakpoints');
    expect(none.filter((path) => /^(?:window|compact|storage|restore)\./.test(path))).toEqual([
      'window.beta1m',
      'window.bounded',
    ]);
    expect(await paths('claude-code/2026')).not.toContain(TOKEN_KEEP);
    expect(await paths('claude-code/2.1')).toContain(TOKEN_KEEP);
  });
});

describe('a percentage', () => {
  it.each(['150', '0', '-5'])('WIN-4 of %s is refused with the range', async (percent) => {
    const [sentence] = await refused(['run', 'a.yaml', '--set', `window.percent=${percent}`], BASE);
    expect(sentence).toBe(
      `error[bad-value] --set window.percent=${percent}: window.percent must be a number above 0 and at most 100, or null; found ${percent}`,
    );
  });

  it.each(['150', '0', '-5'])('WIN-4 of %s as an override too', async (percent) => {
    const text = `${BASE}overrides: { autoCompactPercent: ${percent} }\n`;
    expect(await refused(['run', 'a.yaml'], text)).toEqual([
      `error[bad-value] a.yaml:3:34: \`overrides.autoCompactPercent\`: expected a number above 0, up to 100 or null, got ${percent}`,
      '  hint: Compact at this share of the window, in percent; can only make compaction earlier.',
    ]);
  });

  it('WIN-4 of 0.5 and of 100 is taken', async () => {
    await accepted(['sweep', 'a.yaml', '--vary', 'window.percent=0.5,100'], BASE);
  });
});

describe('a window that the client is told to assume', () => {
  const ANYWAY = 'has no effect: the client assumes 200,000 tokens for claude-sonnet-4-5 with and without it';
  const OTHER = '  hint: remove it or change it; `window` simulates a model with another window';

  it('WIN-1 is refused where it is what holds anyway', async () => {
    expect(await refused(['run', 'a.yaml'], `${BASE}overrides: { contextWindow: 200000 }\n`)).toEqual([
      `error[no-effect] a.yaml:3:29: \`overrides.contextWindow\` ${ANYWAY}`,
      OTHER,
    ]);
    expect(await refused(['run', 'a.yaml', '--set', 'window.explicit=200000'], BASE)).toEqual([
      `error[no-effect] --set window.explicit=200000: \`policy.set.window.explicit\` ${ANYWAY}`,
      OTHER,
    ]);
  });

  it('WIN-1 is refused beside a window that decides by itself', async () => {
    const text = `${BASE}window: 100000\noverrides: { contextWindow: 50000 }\n`;
    expect(await refused(['run', 'a.yaml'], text)).toEqual([
      'error[no-effect] a.yaml:4:29: `overrides.contextWindow` has no effect: `window` is 100,000 tokens, for the model and for what its client assumes',
      '  hint: remove one of them',
    ]);
  });

  it('WIN-1 is refused in the variant that writes it, not in one that inherits it', async () => {
    const variants = (rest: string) =>
      `${BASE}overrides: { contextWindow: 100000 }\nvariants:\n  - ${rest}\n`;
    const own = variants('{ name: own, overrides: { contextWindow: 200000 } }');
    expect((await refused(['run', 'a.yaml'], own))[0]).toBe(
      `error[no-effect] a.yaml:5:46: \`variants[0].overrides.contextWindow\` ${ANYWAY}`,
    );
    await accepted(['run', 'a.yaml'], variants('{ name: bound, policy: unbounded }'));
  });

  it('WIN-1 may be one of the values of a study', async () => {
    await accepted(['sweep', 'a.yaml', '--vary', 'window.explicit=100000,200000'], BASE);
    await accepted(['compare', 'a.yaml', '--set', 'overrides.contextWindow=100000,200000'], BASE);
  });

  it('WIN-1 is taken where it differs, and where the client only asks whether one is set', async () => {
    await accepted(['run', 'a.yaml', '--set', 'window.explicit=150000'], BASE);
    const listed = `${BASE}policy: { use: claude-code/2.1.325, set: { autoCompact.exceptModels: [claude-sonnet-4-5], window.explicit: 200000 } }\n`;
    await accepted(['run', 'a.yaml'], listed);
  });
});

describe('a parameter behind an override', () => {
  it('is refused: the override wins', async () => {
    const text = `${BASE}overrides: { autoCompactPercent: 60 }\n`;
    const said =
      'window.percent has no effect here: `overrides.autoCompactPercent` sets it too, and an override wins';
    expect(await refused(['run', 'a.yaml', '--set', 'window.percent=50'], text)).toEqual([
      `error[no-effect] --set window.percent=50: ${said}`,
      '  hint: remove one of them',
    ]);
    const variant = `${text}variants:\n  - { name: later, set: { window.percent: 70 } }\n`;
    expect((await refused(['run', 'a.yaml'], variant))[0]).toBe(`error[no-effect] a.yaml:5:43: ${said}`);
  });

  it('an override of a variant changes what the base has set', async () => {
    const text = `${BASE}policy: { use: claude-code/2026, set: { window.percent: 50 } }\nvariants:\n  - { name: later, overrides: { autoCompactPercent: 70 } }\n`;
    await accepted(['run', 'a.yaml'], text);
  });
});
