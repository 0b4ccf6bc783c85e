import type { PromptColors } from '../../page-data/page-data.js';
import { brokenRequests, PROMPT_PARTS, promptPaths } from '../run/prompt-paths.js';
import type { ChartModel } from '../run/run-model.js';
import { s } from './dom.js';
import { linearScale } from './scale.js';

const WIDTH = 240;
const HEIGHT = 64;
/** Room above the bars for the marks of breaks. */
const MARKS = 8;

/** The largest prompt of a run. */
export function largestPrompt({ prompt, count }: ChartModel): number {
  let most = 0;
  for (let i = 0; i < count; i++) most = Math.max(most, prompt[i]!);
  return most;
}

/** The prompts of a whole run in the size of a stamp, breaks marked above them. */
export function miniChart(model: ChartModel, colors: PromptColors): SVGElement {
  const x = linearScale(model.domain('request'), [0, WIDTH]);
  const y = linearScale([0, largestPrompt(model) || 1], [HEIGHT, MARKS]);
  const paths = promptPaths(model, 'request', x, y);
  const svg = s('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  for (const part of PROMPT_PARTS) svg.append(s('path', { d: paths[part], fill: colors[part] }));
  for (const index of brokenRequests(model)) {
    const at = x.px(model.x(index, 'request'));
    svg.append(s('path.broken', { d: `M${at - 3},0h6l-3,6z` }));
  }
  return svg;
}
