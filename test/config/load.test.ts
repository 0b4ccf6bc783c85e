import { describe, expect, it } from 'vitest';
import { kindOfFile, readDocument, replaceAt } from '../../src/config/files/document.js';
import { errorsOf, problemsOf, recorded, synthetic } from './compile-yaml.js';

describe('positions of problems', () => {
  it('points at an unknown key and suggests the nearest known one', () => {
    const text = recorded('sede: 7');
    expect(problemsOf(text)).toEqual(['s.yaml:3:1: unknown key `sede`']);
    expect(errorsOf(text)[0]?.hint).toMatch(/^did you mean `seed`\? known here: name, /);
  });

  it('points at an unknown key inside a flow group', () => {
    const text = recorded('cache: { ttl: 1h, fad: off }');
    expect(problemsOf(text)).toEqual(['s.yaml:3:19: unknown key `fad` in `cache`']);
    expect(errorsOf(text)[0]?.hint).toContain('did you mean `fade`?');
  });

  it('says where a key belongs that stands at the wrong level', () => {
    expect(errorsOf(recorded('subagentTtl: 1h'))[0]?.hint).toContain(
      '`subagentTtl` belongs to cache.subagentTtl; known here: ',
    );
  });

  it('says of a key that stands at the top alone that it does, and never suggests the same word', () => {
    const text = recorded('variants:', '  - { name: other, transcript: { file: y.jsonl } }');
    expect(problemsOf(text)).toEqual(['s.yaml:4:20: unknown key `transcript` in `variants[0]`']);
    const hint = errorsOf(text)[0]?.hint;
    expect(hint).toMatch(/^`transcript` belongs at the top of the file; known here: /);
    expect(hint).not.toContain('did you mean');
  });

  it('points at a wrong value and says in words what is accepted', () => {
    const text = 'name: a\ntranscript:\n  synthetic:\n    workload: bugfix\n    turns: many\n';
    expect(problemsOf(text)).toEqual([
      's.yaml:5:12: `transcript.synthetic.turns`: expected a whole number from 1 to 1,000,000, got "many"',
    ]);
  });

  it.each([
    ['name: a\ntranscript: a.jsonl', 'did you mean `transcript: { file: a.jsonl }`?'],
    ['name: a\ntranscripts: [a.jsonl]', 'did you mean `- { file: a.jsonl }`?'],
    [recorded('cache: 1h'), 'did you mean `cache: { ttl: 1h }`?'],
    [recorded('cache: long'), null],
  ])('says which key of a group a text was meant for: %j', (text, hint) => {
    expect(errorsOf(text)[0]?.hint).toBe(hint);
  });

  it('asks for quotes only where the number would be taken as a text', () => {
    expect(errorsOf('name: 4\ntranscript: { file: a.jsonl }')[0]?.hint).toBe('put it in quotes');
    expect(errorsOf(recorded('cache: { ttl: 60000 }'))[0]?.hint).not.toContain('quotes');
  });

  it.each([
    ['seed: -1', 's.yaml:3:7: `seed`: expected a whole number of 0 or more, got -1'],
    // 2^53 - 1, the largest whole number that a file holds exactly.
    [
      'seed: 1e300',
      's.yaml:3:7: `seed`: expected a whole number from 0 to 9,007,199,254,740,991, got 1e+300',
    ],
    ['seed: 1.5', 's.yaml:3:7: `seed`: expected a whole number of 0 or more, got 1.5'],
    ['cache: { ttl: 2h }', 's.yaml:3:15: `cache.ttl`: expected 5m, 1h or recorded, got "2h"'],
    ['cache:', 's.yaml:3:1: `cache`: expected a group of keys (mode, ttl, subagentTtl, fade), got nothing'],
    ['estimatorFactor: 0', 's.yaml:3:18: `estimatorFactor`: expected a number above 0, up to 100, got 0'],
    [
      'estimatorFactor: .nan',
      's.yaml:3:18: `estimatorFactor`: expected a number above 0, up to 100, got .nan',
    ],
    [
      'estimatorFactor: -.INF',
      's.yaml:3:18: `estimatorFactor`: expected a number above 0, up to 100, got -.inf',
    ],
    ['model: 4.5', 's.yaml:3:8: `model`: expected a text or null, got 4.5'],
    [
      'overrides: { disableCompact: yes }',
      's.yaml:3:30: `overrides.disableCompact`: expected true or false, got "yes"',
    ],
    ['expect: cost < 1', 's.yaml:3:9: `expect`: expected a list, got "cost < 1"'],
    [
      'policy: [none]',
      's.yaml:3:9: `policy`: expected a text or a group of keys (use, set), got a list of 1',
    ],
    ['policy: { usee: none }', 's.yaml:3:11: unknown key `usee` in `policy`'],
    [
      'llm: { fake: { summaryTokens: { median: 5 } } }',
      's.yaml:3:31: `llm.fake.summaryTokens.p90` is missing',
    ],
  ])('explains %s', (line, problem) => {
    expect(problemsOf(recorded(line))[0]).toBe(problem);
  });

  it('points at an item of a list', () => {
    const text = recorded('expect:', '  - apiCalls > 0', '  - 7');
    expect(problemsOf(text)).toEqual(['s.yaml:5:5: `expect[1]`: expected a text, got 7']);
  });

  it('names a key that is missing, at the group that lacks it', () => {
    expect(problemsOf('transcript: { file: x.jsonl }\n')).toEqual(['s.yaml:1:1: `name` is missing']);
    expect(problemsOf(recorded('llm:', '  faults:', '    - call: compact'))).toEqual([
      's.yaml:5:7: `llm.faults[0].error` is missing',
    ]);
  });

  it('refuses a fault for a purpose that does not exist', () => {
    expect(problemsOf(recorded('llm:', '  faults:', '    - { call: compakt, error: overloaded }'))).toEqual([
      's.yaml:5:15: `llm.faults[0].call`: expected main, subagent, compact, session_memory, auto_memory, dream, agent_summary, plan_again, suggestion, keep_alive or refetch, got "compakt"',
    ]);
  });

  it('counts columns from the first character behind a byte order mark', () => {
    expect(problemsOf('\uFEFFnam: a\nname: b\ntranscript: { file: x }\n')).toEqual([
      's.yaml:1:1: unknown key `nam`',
    ]);
  });

  it('counts lines in files with Windows line ends', () => {
    expect(problemsOf('name: a\r\ntranscript: { file: x }\r\nsede: 1\r\n')).toEqual([
      's.yaml:3:1: unknown key `sede`',
    ]);
  });

  it('finds the place behind an alias', () => {
    const text = recorded('cache: &c { ttl: 2h }', 'variants:', '  - { name: v, cache: *c }');
    expect(problemsOf(text)).toEqual([
      's.yaml:3:18: `cache.ttl`: expected 5m, 1h or recorded, got "2h"',
      's.yaml:3:18: `variants[0].cache.ttl`: expected 5m, 1h or recorded, got "2h"',
    ]);
  });
});

describe('all problems at once', () => {
  it('reports shape, names and relations together, in the order of the file', () => {
    const text = [
      'name: Bad Name',
      'transcript: { synthetic: { workload: bugfx, turns: 10, idle: [{ afterTurn: 11, minutes: 5 }] } }',
      'model: claude-sonet-4-5',
      'policy: { use: none, set: { microcompact.timeBased.gapMinute: 3 } }',
      'cache: { tll: 1h }',
      'seed: x',
      'expect: [ cacheHitRat >= 0.9 ]',
      '',
    ].join('\n');
    expect(problemsOf(text)).toEqual([
      's.yaml:1:7: `name`: expected lower-case letters and digits, joined by single "-", "." or "_" (at most 64), got "Bad Name"',
      's.yaml:2:38: unknown workload "bugfx"',
      's.yaml:2:76: `transcript.synthetic.idle[0].afterTurn` is turn 11, but the session has 10',
      's.yaml:3:8: unknown model "claude-sonet-4-5"',
      's.yaml:4:29: unknown policy parameter "microcompact.timeBased.gapMinute"',
      's.yaml:5:10: unknown key `tll` in `cache`',
      's.yaml:6:7: `seed`: expected a whole number of 0 or more, got "x"',
      's.yaml:7:11: unknown metric "cacheHitRat"',
    ]);
  });

  it('never shows the words of the validator', () => {
    const text = synthetic(
      'cache: 3',
      'variants: { a: 1 }',
      'policy: 4',
      'timing: soon',
      'llm: { faults: [1] }',
    );
    for (const problem of problemsOf(text))
      expect(problem).not.toMatch(/invalid|received|zod|option|object|array|string/i);
    expect(problemsOf(text)).toHaveLength(5);
  });
});

describe('YAML that cannot be read', () => {
  it.each([
    ['a key twice', recorded('seed: 1', 'seed: 2'), 's.yaml:4:1: `seed` is written twice'],
    [
      'a tab',
      'name: a\ncache:\n\tttl: 1h\n',
      's.yaml:3:1: a tab is used for indentation; YAML allows only spaces',
    ],
    ['an open quotation', 'name: "a\n', 's.yaml:2:1: a quotation mark is not closed'],
    ['an empty file', '', 's.yaml:1:1: the scenario is empty'],
    ['only comments', '# nothing\n', 's.yaml:1:1: the scenario is empty'],
    [
      'a second document',
      'name: a\n---\nname: b\n',
      's.yaml:2:1: a second document starts here; a scenario file holds one',
    ],
    ['a lost alias', recorded('cache: *c'), 's.yaml:3:8: there is no anchor &c'],
    ['an unknown tag', recorded('seed: !x 3'), 's.yaml:3:7: the tag `!x` means nothing here'],
    [
      'two keys on a line',
      'name: a: b\n',
      's.yaml:1:7: a second `key:` on one line; put the value in quotes or on its own line',
    ],
  ])('reports %s', (_, text, problem) => {
    expect(problemsOf(text)[0]).toBe(problem);
  });

  it.each(['just a sentence', '- name: a', '3'])('wants a group of keys, not %s', (text) => {
    expect(problemsOf(text)).toHaveLength(1);
    expect(problemsOf(text)[0]).toMatch(/^s\.yaml:1:1: expected a group of keys \(name, /);
  });

  it('goes on checking behind a key that is written twice', () => {
    expect(problemsOf(recorded('seed: 1', 'seed: 2', 'sede: 3'))).toEqual([
      's.yaml:4:1: `seed` is written twice',
      's.yaml:5:1: unknown key `sede`',
    ]);
  });

  it('refuses keys that are special in JavaScript', () => {
    expect(problemsOf(recorded('__proto__: 1'))).toEqual(['s.yaml:3:1: unknown key `__proto__`']);
    expect(problemsOf(recorded('policy: { set: { __proto__: 1 } }'))).toEqual([
      's.yaml:3:18: unknown policy parameter "__proto__"',
    ]);
  });
});

describe('a document', () => {
  const { document } = readDocument('list:\n  - a: 1\n  - { b: , c: "x" }\nempty:\n7: seven\n', 'f.yaml');
  const at = (line: number, column: number) => ({ file: 'f.yaml', line, column });

  it('knows the places of keys and values, and of what encloses them where they are absent', () => {
    expect(document!.placeOf(['list', 0, 'a'])).toEqual(at(2, 8));
    expect(document!.placeOfKey(['list', 0, 'a'])).toEqual(at(2, 5));
    expect(document!.placeOf(['list', 1, 'c'])).toEqual(at(3, 15));
    expect(document!.placeOf(['list', 1, 'missing'])).toEqual(at(3, 5));
    expect(document!.placeOf(['list', 9, 'a'])).toEqual(at(2, 3));
    // What has no value stands where its key does.
    expect(document!.placeOf(['list', 1, 'b'])).toEqual(at(3, 7));
    expect(document!.placeOf(['empty', 'deeper'])).toEqual(at(4, 1));
    expect(document!.placeOf(['7'])).toEqual(at(5, 4));
    expect(document!.placeOf([])).toEqual(at(1, 1));
  });

  it('may have a value replaced, in lists too', () => {
    expect(replaceAt({ a: [1, { b: 2 }] }, ['a', 1, 'b'], 3)).toEqual({ a: [1, { b: 3 }] });
    expect(replaceAt({ a: 1 }, ['c', 'd'], 2)).toEqual({ a: 1, c: { d: 2 } });
    expect(replaceAt(1, [], 2)).toBe(2);
  });

  it.each([
    [{ transcript: {} }, 'scenario'],
    [{ transcripts: [] }, 'scenario'],
    [{ sessions: [] }, 'scenario'],
    [{ rules: [] }, 'policy'],
    [{ rules: [], sessions: [] }, null],
    [{ name: 'x' }, null],
    [null, null],
    [[], null],
  ])('%j is meant as %s', (value, kind) => {
    expect(kindOfFile(value)).toBe(kind);
  });

  it('that is empty or holds too many aliases says what it should hold', () => {
    const problem = (text: string, kind?: 'policy') => readDocument(text, 'f.yaml', kind).problems[0]!;
    expect(problem('', 'policy')).toMatchObject({
      ...{ code: 'bad-scenario', message: 'the policy is empty', place: at(1, 1) },
      hint: 'write at least `rules:`; `ccbench policies new` makes a starter file',
    });
    const bomb = ['a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'];
    for (const [name, of] of ['ba', 'cb', 'dc'])
      bomb.push(`${name}: &${name} [${`*${of}, `.repeat(9)}*${of}]`);
    expect(problem(bomb.join('\n'))).toMatchObject({ message: 'too many aliases', place: at(1, 1) });
  });
});
