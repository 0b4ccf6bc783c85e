import type { PageData, StudyPageData } from '../page-data/page-data.js';
import type { WhyPageData } from '../page-data/why-page-data.js';
import { startRuns } from './run/runs-page.js';
import { startStudy } from './study/study-page.js';
import { startWhy } from './why/why-page.js';

const source = document.getElementById('data');
const app = document.getElementById('app');
if (source !== null && app !== null) {
  const data = JSON.parse(source.textContent ?? '') as PageData | WhyPageData | StudyPageData;
  if (data.kind === 'why') startWhy(app, data);
  else if (data.kind === 'study') startStudy(app, data);
  else startRuns(app, data);
}
