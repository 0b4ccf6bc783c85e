import { describe, expect, it } from 'vitest';
import { newName, RENAMED } from '../../../src/core/base/nearest.js';
import { cli, refused, scenario, TRACE, tempFolder } from '../cli.js';

const LETTERS =
  'name: mail\ntranscript: { synthetic: { workload: bugfix, turns: 5, letters: [{ afterTurn: 2, to: main }] } }\n';
const PLUGIN = 'export default { name: "mine", tiers: [] };\n';

/** The command lines in which a user meets an old name; `a.yaml` may hold it too. */
const MET: Readonly<Record<string, readonly (readonly [line: string, extra?: string])[]>> = {
  costUsdUnseen: metricLines('costUsdUnseen'),
  keptContentShare: metricLines('keptContentShare'),
  compactionsPutOff: metricLines('compactionsPutOff'),
  'layers.*.putOff': metricLines('layers.snip.putOff'),
  '--against': [['validate t.json --against old'], ['bench hot-paths --against old']],
  '--trace': [['serve --trace x.json']],
  'parts.enabled': settingLines('parts.enabled=false'),
  'baselines.prune.batchTokens': settingLines('baselines.prune.batchTokens=5'),
  tiers: [['run a.yaml --plugin ./p.mjs']],
  letters: [['run letters.yaml']],
};

function metricLines(name: string): readonly (readonly [string, string?])[] {
  return [
    ['run a.yaml', `expect: [${name} >= 0]\n`],
    [`sweep a.yaml --vary seed=1,2 --metrics ${name}`],
    [`compare a.yaml --policy none,baselines/prune --metrics ${name}`],
  ];
}

function settingLines(change: string): readonly (readonly [string, string?])[] {
  const [path, value] = change.split('=');
  const inPlace = `variants: [{ name: other, set: { ${path}: ${value} } }]\n`;
  return [[`run a.yaml --set ${change}`], [`sweep a.yaml --vary ${change}`], ['run a.yaml', inPlace]];
}

describe('a name that was changed', () => {
  it('has a line here for each row of the table', () => {
    expect(Object.keys(MET)).toEqual(RENAMED.map(([old]) => old));
  });

  const rows = RENAMED.flatMap(([old, now]) =>
    (MET[old] ?? []).map(([line, extra = '']) => [old, now, line, extra] as const),
  );

  it.each(rows)('%s is now called %s: %s', async (old, now, line, extra) => {
    const cwd = tempFolder({
      'a.yaml': scenario('tiny', extra),
      't.json': TRACE,
      'p.mjs': PLUGIN,
      'letters.yaml': LETTERS,
    });
    const stderr = await refused(line.split(' '), { cwd });
    const hint = `"${old}" is now called "${now}"`.replaceAll('*', 'snip');
    expect(stderr.replaceAll('`', '"')).toContain(hint);
  });

  it('is suggested only where the new one is known', async () => {
    expect(newName('tiers', ['policies'])).toBeNull();
    expect(newName('layers.a.b.putOff', [])).toBeNull();
    const cwd = tempFolder({ 'a.yaml': scenario('tiny', 'tiers: []\n') });
    expect((await cli(['run', 'a.yaml'], { cwd })).stderr).not.toContain('is now called');
    expect((await cli(['inspect', 'a.yaml', '--against', 'x'], { cwd })).stderr).not.toContain(
      'is now called',
    );
  });
});
