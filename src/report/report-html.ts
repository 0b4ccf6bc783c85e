import { distinctColor, LAYER_COLORS, PROMPT_COLORS } from './charts/palette.js';
import { compareTable } from './compare-table.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-bundle.generated.js';
import type { ComparisonTable, PageData, PagePicture } from './page-data.js';
import { pageRun, type ReportedRun } from './page-run.js';

/** What a page is made from: one run, or several side by side. */
export interface ReportInput {
  readonly title: string;
  readonly runs: readonly ReportedRun[];
  /** The table of several runs; their main metrics where it is absent. */
  readonly comparison?: ComparisonTable;
  /** Pictures that are shown as they are, such as the charts of a sweep. */
  readonly pictures?: readonly PagePicture[];
}

/** Only what the page holds itself may run or be shown; nothing is fetched. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** JSON that may stand inside a script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

function pictureHtml({ title, svg }: PagePicture): string {
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  return `<figure><img src="${source}" alt="${escapeHtml(title)}"></figure>`;
}

function picturesHtml(pictures: readonly PagePicture[]): string {
  if (pictures.length === 0) return '';
  return `<section id="pictures" aria-label="Charts">${pictures.map(pictureHtml).join('')}</section>`;
}

/** report.html: one file that shows everything of a run, or several runs side by side, without a network. */
export function reportHtml(input: ReportInput): string {
  const { title, runs, pictures = [] } = input;
  const data: PageData = {
    title,
    runs: runs.map(pageRun),
    comparison: input.comparison ?? (runs.length > 1 ? compareTable(runs) : null),
    colors: {
      layers: LAYER_COLORS,
      prompt: PROMPT_COLORS,
      runs: runs.map((_run, index) => distinctColor(index)),
    },
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${CONTENT_POLICY}">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – ccbench</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<div id="app"><noscript>This report needs JavaScript; summary.json and the CSV files beside it hold the same numbers.</noscript></div>
${picturesHtml(pictures)}
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}
