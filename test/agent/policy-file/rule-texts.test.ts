import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { helpFor } from '../../../src/agent/policy-file/read-policy.js';
import { readPolicyFile } from '../../../src/config/files/policy-file.js';

/** A rule in one line; it acts from a size on unless it says when. */
function readRule(body: string) {
  const when = body.startsWith('when:') ? '' : 'when: { tokens: 100k }, ';
  return readPolicyFile(`rules: [{ ${when}${body} }]`, 'p.yaml');
}

/** Lines of two parts; OWN asks for a summary, RESULTS selects results of tools, PAIRS calls with them, HISTORY messages. */
function rowsOf(text: string): readonly (readonly [string, string])[] {
  const words: Readonly<Record<string, string>> = {
    OWN: 'ask: { shape: own }',
    RESULTS: 'select: { what: tool-results }',
    PAIRS: 'select: { what: pairs }',
    HISTORY: 'select: { what: history, keep: { last: 2 } }',
  };
  const lines = text.trim().split('\n');
  return lines.map((line) => {
    const [body, rest] = line.replaceAll(/[A-Z]{3,}/g, (word) => words[word] ?? word).split(' → ');
    return [body!.trim(), rest!];
  });
}

const REFUSED = `
OWN, replace: { with: placeholder } → \`placeholder\` cannot replace whole messages
OWN, replace: { with: summary, tokens: 5 } → \`tokens\` has no effect where the history is replaced
OWN, replace: { with: summary, where: server } → \`where\` has no effect where the history is replaced
OWN, replace: { with: summary, where: at-end }, layout: [summary] → \`where\` has no effect with \`layout\`
OWN, HISTORY, replace: { with: summary, where: { at: 2 } }, layout: [summary, tail] → \`where\` has no effect with \`layout\`
ask: { shape: own, calls: per-pair } → \`per-pair\` has no effect where the history is replaced
OWN, layout: [summary, user-messages] → \`user-messages\` is in the layout, and \`select.keep.user\` does not say what it is
OWN, layout: [first, summary] → \`first\` is in the layout, and \`select.keep.first\` does not say what it is
HISTORY, layout: [summary, tail] → \`summary\` is in the layout, and \`ask\` does not say what it is
OWN, layout: [tail] → \`ask\` has no effect: \`summary\` is not in the layout
OWN, select: { what: history, keep: { user: 9k } }, layout: [summary] → \`select.keep.user\` has no effect: \`user-messages\` is not in the layout
OWN, select: { what: history, keep: { first: 1 } }, layout: [summary] → \`select.keep.first\` has no effect: \`first\` is not in the layout
OWN, HISTORY, layout: [summary] → \`select.keep.last\` has no effect: \`tail\` is not in the layout
OWN, select: { what: history, keep: { final-answers: true } }, layout: [summary] → \`select.keep.final-answers\` has no effect: \`tail\`
OWN, layout: [summary, tail, summary] → \`summary\` is in the layout twice
OWN, layout: [{ env: 5, ack: 4 }, summary] → expected one piece
OWN, layout: [{ first: 2 }, summary] → select.keep.first says how many messages that are
RESULTS, replace: { with: placeholder }, layout: [tail] → \`layout\` has no effect where blocks are replaced in place
PAIRS, replace: { with: summary }, ask: { shape: own, calls: verify } → \`verify\` has no effect where blocks are replaced
PAIRS, replace: { with: summary }, ask: { shape: own, run: background } → a summary that replaces blocks is always waited for
PAIRS, replace: { with: summary }, OWN, fail: { else: stop } → \`else\` has no effect where blocks are replaced
PAIRS, replace: { with: summary } → \`with\` is a summary, and \`ask\` does not say who writes it
RESULTS, replace: { with: placeholder }, OWN → a summary is asked for that nothing uses
RESULTS, replace: { with: nothing } → the API refuses a call without its result
select: { what: tool-inputs }, replace: { with: nothing } → the API refuses a call without its result
select: { what: thinking }, replace: { with: placeholder } → thinking cannot be replaced, only left out
PAIRS, replace: { with: nothing, tokens: 9 } → \`tokens\` has no effect on nothing
RESULTS, replace: { with: reference, head: 9 } → \`head\` has no effect without a preview
RESULTS, replace: { with: reference, tail: 9 } → \`tail\` has no effect without a preview
RESULTS, replace: { with: preview, tokens: 9 } → a preview needs \`head\` or \`tail\`
RESULTS, replace: { with: preview, lines: 3 } → not every transcript has the text
RESULTS, replace: { with: placeholder, where: { at: 2 } } → tool-results are replaced in place or at the end
OWN, select: { what: history, keep: { first: 1 } }, replace: { with: summary, where: { at: 2 } } → select.keep.first says that 1 stay before it
RESULTS, replace: { with: placeholder }, accept: [empty] → \`accept\` has no effect without a summary
select: { what: history, keep: { share: 0.5, chars: 9 } } → \`share\` and \`chars\` exclude each other
select: { what: history, keep: { none: true, last: 2 } } → \`none\` excludes other keys
select: { what: history, keep: { last: 2, min: 9 } } → \`min\` has no effect without tokens or share
select: { what: history, keep: { last: 2, max: 9 } } → \`max\` has no effect without tokens or share
select: { what: tool-results, keep: { first: opening } }, replace: { with: placeholder } → \`opening\` has no effect where blocks
select: { what: tool-inputs, except-media: true }, replace: { with: placeholder } → \`except-media\` has no effect where \`what\` is tool-inputs
select: { what: media, minChars: 9 }, replace: { with: placeholder } → \`minChars\` has no effect where \`what\` is media
select: { what: tool-results, move: back }, replace: { with: placeholder } → \`move\` has no effect where \`what\` is tool-results
select: { what: thinking, order: farthest-use }, replace: { with: nothing } → \`farthest-use\` has no effect where \`what\` is thinking
select: { what: history, order: largest }, OWN → \`order\` has no effect where \`what\` is history
select: { what: history, move: split }, OWN → write boundary: pair
RESULTS, replace: { with: placeholder }, until: { freed: 9k, every: 2 } → expected one of tokens, chars, freed, target and every
RESULTS, replace: { with: placeholder }, until: { tokens: ">= 3k" } → expected a bound with <= or <
ask: { shape: [none, own] } → \`none\` excludes other shapes
ask: { shape: own, model: gpt-x } → unknown model "gpt-x"
ask: { shape: extend, input: { last: 4k } } → \`input\` has no effect: the main request is sent (extend)
ask: { shape: [extend, fork], tools: 9 } → \`tools\` has no effect: the main request is sent (extend, fork)
ask: { shape: own, calls: { chunks: { tokens: 9k, parallel: 3 } } } → one after the other
OWN, accept: [{ above: 9k, below-progress: 0.1 }] → expected \`above\` or \`below-progress\`
OWN, fail: { shrink: [{ keep: 0.5, chars: 9 }] } → expected one of drop-oldest, drop-results
OWN, fail: { shrink: [{ keep: 0.5, times: 2 }] } → expected one of drop-oldest, drop-results
OWN, fail: { shrink: [{ cap-messages: 1.01 }] } → expected a number from 0.01 to 1
OWN, fail: { shrink: [{ cap-messages: 0.009 }] } → expected a number from 0.01 to 1
when: { event: turn-end, at: wake }, OWN → \`at\` has no effect with \`event: turn-end\`
when: { events: ">= 9", messages: ">= 9" }, OWN → \`events\` and \`messages\` are the same
when: {}, OWN → a group without a condition would fire at every turn
`;

it.each(rowsOf(REFUSED))('a rule is refused with the reason: %s', (body, message) => {
  const [first] = readRule(body).problems;
  expect(`${first?.message} (${first?.hint})`).toContain(message);
});

/** What is written, and what of it the rule has. */
const FILLED = `
OWN → ask: { systemTokens: 60, toolTokens: 0, marks: off, run: { kind: wait }, model: null, output: null, calls: { kind: one } }
OWN → accept: [{ kind: empty }, { kind: tool-call }], threads: all, after: stop, replace: null, until: null
OWN → fail: { retry: { n: 0, backoffMs: 0 }, shrink: [], else: { kind: go-on } }, layout: [{ kind: summary }, { kind: tail }]
threads: main, then: go-on, OWN → threads: main, after: go-on
ask: { shape: [extend, own], model: same } → ask: { marks: on, model: null }
ask: { shape: own, marks: true, system: 9, tools: 8 } → ask: { marks: on, systemTokens: 9, toolTokens: 8 }
ask: { shape: extend, input: { scope: all } } → ask: { shapes: [extend] }
ask: { shape: none } → ask: null, accept: []
ask: { shape: own, calls: 1 } → ask: { calls: { kind: one } }
ask: { shape: own, calls: 2 } → ask: { calls: { kind: verify } }
ask: { shape: own, calls: split-turn } → ask: { calls: { kind: split-turn } }
ask: { shape: own, calls: { chunks: { tokens: 9k } } } → ask: { calls: { kind: chunks, tokens: 9k, depth: 1 } }
ask: { shape: own, run: wait } → ask: { run: { kind: wait } }
ask: { shape: own, run: background } → ask: { run: { kind: background, applyAt: null, stale: prefix-unchanged } }
ask: { shape: own, run: { background: when-ready } } → ask: { run: { kind: background, applyAt: null, stale: prefix-unchanged } }
ask: { shape: own, run: { background: { stale: ids-present, apply: { at: ">= 9k" } } } } → ask: { run: { applyAt: { op: ">=", amount: 9k }, stale: ids-present } }
PAIRS, replace: { with: summary }, ask: { shape: own, calls: per-pair } → replace: { with: summary, tokens: 12 }
RESULTS, replace: { with: placeholder } → replace: { with: placeholder, tokens: 12, where: in-place, lasts: frozen }, layout: []
RESULTS, replace: { with: reference } → replace: { with: reference, tokens: 60 }
RESULTS, replace: { with: hash-ref } → replace: { with: reference, tokens: 20 }
RESULTS, replace: { with: preview, head: 9 } → replace: { with: preview, tokens: 12, head: 9, tail: 0 }
RESULTS, replace: { with: preview, tail: 9 } → replace: { with: preview, tokens: 12, head: 0, tail: 9 }
PAIRS, replace: { with: nothing, where: at-end, tokens: 40 } → replace: { tokens: 40, where: at-end, lasts: frozen }
PAIRS, replace: { with: nothing, where: at-end, tokens: 40, sticky: true } → replace: { lasts: frozen }
PAIRS, replace: { with: nothing, where: at-end, tokens: 40, sticky: false } → replace: { lasts: each-request }
RESULTS, replace: { with: placeholder }, until: { target: 9k } → until: { kind: tokens, is: { op: <=, amount: 9k } }
RESULTS, replace: { with: placeholder }, until: { every: 3 } → until: { kind: every, n: 3 }
HISTORY, OWN → layout: [{ kind: summary, role: user, frame: none }, { kind: tail }], select: { move: back }
HISTORY, OWN, replace: { with: summary, where: at-end } → layout: [{ kind: tail }, { kind: summary }]
OWN, replace: { with: summary, where: { at: 2 } } → layout: [{ kind: first }, { kind: summary }, { kind: tail }], select: { keep: { first: 2 } }
OWN, select: { what: history, keep: { first: 1, user: 9k, recent-files: { n: 2 } } } → layout: [{ kind: first }, { kind: user-messages }, { kind: summary }, { kind: tail }, { kind: files }]
OWN, layout: [system, env, ack, trailer, summary] → layout: [{ kind: env, tokens: 200 }, { kind: ack, tokens: 12 }, { kind: trailer, tokens: 60 }, { kind: summary }]
OWN, layout: [images, { summary: { role: assistant } }] → layout: [{ kind: images, n: 3 }, { kind: summary, role: assistant, frame: none }]
OWN, layout: [{ env: 5 }, { ack: 6 }, { images: 8 }, summary] → layout: [{ kind: env, tokens: 5 }, { kind: ack, tokens: 6 }, { kind: images, n: 8 }, { kind: summary }]
OWN, fail: { retry: 2 } → fail: { retry: { n: 2, backoffMs: 0 } }
OWN, fail: { retry: { n: 2, backoff: 5s } } → fail: { retry: { n: 2, backoffMs: 5000 } }
OWN, fail: { retry: { backoff: 5s } } → fail: { retry: { n: 0, backoffMs: 5000 } }
OWN, fail: { else: stop } → fail: { else: { kind: stop } }
OWN, fail: { else: { truncate: {} } } → fail: { else: { kind: truncate, keep: 0.5 } }
OWN, fail: { shrink: [{ drop-oldest: item }, { drop-oldest: 0.2 }] } → fail: { shrink: [{ kind: drop-oldest, share: null, times: 1000000000 }, { kind: drop-oldest, share: 0.2, times: 1 }] }
OWN, fail: { shrink: [{ drop-oldest: 0.3, times: 4 }, { keep: 0.5 }] } → fail: { shrink: [{ share: 0.3, times: 4 }, { kind: keep, share: 0.5 }] }
OWN, fail: { shrink: [{ drop-results: [0, 0.5, 1] }, { chars: [9, 8] }] } → fail: { shrink: [{ kind: drop-results, share: 0.5 }, { share: 1 }, { kind: chars, chars: 9 }, { chars: 8 }] }
OWN, fail: { shrink: [{ cap-messages: 1 }, { cap-event: 0.01 }] } → fail: { shrink: [{ kind: cap-messages, share: 1 }, { kind: cap-messages, share: 0.01 }] }
OWN, fail: { shrink: [{ cap-messages: ×0.8, times: 2 }] } → fail: { shrink: [{ kind: cap-messages, share: 0.8 }, { kind: cap-messages, share: 0.8 }] }
OWN, accept: [{ above: 9k }, { below-progress: 0.1 }] → accept: [{ kind: above, amount: 9k }, { kind: below-progress, share: 0.1 }]
when: [{ tokens: 9k }, { idle: 5m }], at: wake, OWN → when: [{ at: [wake] }, { at: [wake] }]
when: [{ expiresIn: 5m }, { event: manual }], OWN → when: [{ at: [wake] }, { at: [manual] }]
when: { tokens: 9k }, at: [refused, wake], OWN → when: [{ at: [wake] }]
when: { tokens: 9k }, at: refused, OWN → when: [{ at: [before-request] }]
`;

it.each(rowsOf(FILLED))('a rule has what it leaves open filled in: %s → %s', (body, expected) => {
  const { read, problems } = readRule(body);
  expect(problems).toEqual([]);
  expect(read!.rules.rules[0]).toMatchObject(parse(`{ ${expected} }`) as object);
});

describe('the unit of a value of a policy file', () => {
  it.each([
    [['rules', 0, 'when', 0, 'tokens'], 'tokens'],
    [['rules', 0, 'select', 'keep', 'user', 'head'], 'tokens'],
    [['rules', 0, 'replace', 'head'], 'characters'],
    [['rules', 0, 'until', 'chars'], 'characters'],
    [['rules', 0, 'select', 'keep', 'share'], 'share'],
    [['rules', 0, 'select', 'keep', 'chars'], 'characters'],
    [['rules', 0, 'fail', 'shrink', 0, 'times'], 'attempts'],
    [['rules', 0, 'fail', 'shrink', 0, 'chars', 0], 'characters'],
    [['base', 'times'], 'share'],
    [['cache', 'keepAlive', 'times'], 'times'],
  ])('%j is %s', (path, unit) => {
    expect(helpFor(path).unit).toBe(unit);
  });
});
