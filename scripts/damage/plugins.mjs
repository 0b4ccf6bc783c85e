/** Changes of the plug-in of the documentation that break what a plug-in must be. */
const WRONG = [
  ['export default', 'export const other ='],
  ["name: 'clear-old-results'", 'name: 5'],
  ["name: 'clear-old-results'", "nam: 'clear-old-results'"],
  ["points: ['before-request']", "points: ['nowhere']"],
  ["points: ['before-request']", 'points: 7'],
  ["needs: ['tools']", "needs: ['toolz']"],
  ["needs: ['tools']", 'needs: {}'],
  ["path: 'clear-old.keep'", "path: ''"],
  ["path: 'clear-old.keep'", "path: 'clear-old.from'"],
  ["type: 'integer'", "type: 'whole'"],
  ['min: 0, max: 1000', "min: 'x', max: 1000"],
  ['default: 5', "default: 'x'"],
  ['default: 5', 'default: -1'],
  ['default: 1_000', 'default: NaN'],
  ['create: ({ params }) => ({', 'create: 7, other: ({ params }) => ({'],
  ['create: ({ params }) => ({', 'create: () => ({ due: 7 }), other: ({ params }) => ({'],
  ['saved,\n', 'saved: NaN,\n'],
  ['saved,\n', "saved: 'x',\n"],
  ["trigger: 'auto'", "trigger: 'odd'"],
  ["action: 'clear'", 'action: 7'],
  ['details: { results: edits.length }', 'details: 7'],
  ['yield changeReport(view, before, {', 'yield changeReport(view, { tokens: NaN }, {'],
  ['view.seenTokens >= params', 'nothing.seenTokens >= params'],
  ['const before = sizeBefore(view);', 'throw new Error("no such thing");'],
  ['const before = sizeBefore(view);', 'const before = sizeBefore(null);'],
  ["kind: 'rewrite-blocks'", "kind: 'rewrite-block'"],
  ["kind: 'rewrite-blocks'", 'kind: null'],
  ['messageId: message.id', "messageId: 'none'"],
  ['messageId: message.id', 'messageId: 7'],
  ['blockIndex, block: cleared', 'blockIndex: -1, block: cleared'],
  ['blockIndex, block: cleared', 'blockIndex: 1e9, block: cleared'],
  ['blockIndex, block: cleared', 'blockIndex: 0.5, block: cleared'],
  ['blockIndex, block: cleared', "blockIndex, block: { ...cleared, role: 'odd' }"],
  ['blockIndex, block: cleared', 'blockIndex, block: { ...cleared, tokens: NaN }'],
  ['blockIndex, block: cleared', 'blockIndex, block: { ...cleared, tokens: -1e9 }'],
  ['blockIndex, block: cleared', "blockIndex, block: { ...cleared, kind: 'odd' }"],
  ['edits };', 'edits: 7 };'],
  ['edits };', 'edits: [null] };'],
  ["cause: 'microcompaction'", "cause: 'odd'"],
  ["keep: 'frozen'", "keep: 'odd'"],
  ['yield changeReport(', 'yield null; yield changeReport('],
  ['yield changeReport(', 'yield 7; yield changeReport('],
  ["layer: 'rules', reason }", "layer: 'odd', reason }"],
  ["layer: 'rules', reason }", 'layer: null, reason }'],
  ['layers: [clear-old]', 'layers: [clear-odd]'],
  ['rules: []', 'rulez: []'],
  ["policies: ['{", "policies: ['{{"],
  ["policies: ['{", "policies: [7, '{"],
  ['layers: [\n', 'layers: 7, other: [\n'],
  ["name: 'outputPerCall'", 'name: null'],
  ["name: 'outputPerCall'", "name: 'costUsd'"],
  ['better: null', "better: 'more'"],
  ["help: 'output tokens / answered requests',", ''],
  ['value: ({ requests }) =>', 'value: 7, other: ({ requests }) =>'],
  ['requests.calls === 0 ? null :', 'nothing.calls === 0 ? null :'],
  ['requests.outputTokens / requests.calls', 'NaN'],
  ['requests.outputTokens / requests.calls', '"many"'],
  ['requests.outputTokens / requests.calls', 'Number.POSITIVE_INFINITY'],
];

/** Lines of comments and spaces: few, because the process keeps every content that it loads. */
const NOTHING = ['// a note\n', '/* a note */\n', '\n', '\n\n\n', ';\n', '"use strict";\n'];

/** A plug-in with a change that means nothing, or with one that breaks it. */
export function plugin(text, random) {
  const lines = text.split('\n');
  if (random.chance(0.25)) {
    const at = random.below(3);
    const nothing = random.pick(NOTHING);
    const changed = [`${nothing}${text}`, `${text}\n${nothing}`, text.replaceAll('\n', '\r\n')][at];
    return { text: changed, isHarmless: true };
  }
  if (random.chance(0.25)) {
    const at = 3 + random.below(lines.length - 4);
    lines[at] = `${random.pick(['@@', ')]', '}}', '"'])}${lines[at]}`;
    return { text: lines.join('\n'), isHarmless: false };
  }
  const [from, to] = random.pick(WRONG);
  if (!text.includes(from)) throw new Error(`the plug-in has no ${from}`);
  return { text: text.replace(from, to), isHarmless: false };
}
