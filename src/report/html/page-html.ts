import { markupText } from '../../core/base/format.js';
import type { PageData, StudyPageData } from '../page-data/page-data.js';
import type { WhyPageData } from '../page-data/why-page-data.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './page-bundle.generated.js';

/** What one file shows. */
export interface PageInput {
  readonly data: PageData | WhyPageData | StudyPageData;
  /** Address of events after which the page is loaded again, while something goes on; absent for a page that stays as it is. */
  readonly events?: string;
  /** Where else the numbers are, for those who run no scripts. */
  readonly elsewhere: string;
}

/** Only what the page holds itself may run or be shown; nothing is fetched. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** JSON that may stand inside a script element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

/** Loads the page again when its server says that something happened; scroll position and address stay. */
function reloadScript(events: string): string {
  return `<script>new EventSource(${scriptJson(events)}).onmessage=()=>location.reload()</script>\n`;
}

/** One file that shows its data without a network. */
export function pageHtml({ data, elsewhere, events }: PageInput): string {
  const policy = events === undefined ? CONTENT_POLICY : `${CONTENT_POLICY}; connect-src 'self'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>${markupText(data.title)} – ccbench</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<div id="app"><noscript>This report needs JavaScript; ${markupText(elsewhere)}</noscript></div>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${PAGE_SCRIPT}</script>
${events === undefined ? '' : reloadScript(events)}</body>
</html>
`;
}

/** A page of charts and one table over the same rows. */
export interface StudyPage extends PageInput {
  readonly data: StudyPageData;
}

/** The same of what it shows; what is not given is empty. */
export function studyPage(
  input: Pick<StudyPageData, 'title' | 'lead' | 'of' | 'table'> & Partial<StudyPageData>,
  elsewhere: string,
): StudyPage {
  const data: StudyPageData = {
    kind: 'study',
    advice: null,
    cards: [],
    charts: [],
    runs: [],
    notes: [],
    ...input,
  };
  return { data, elsewhere };
}
