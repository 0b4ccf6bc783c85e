import type { StudyPageData } from '../page-data/study-page-data.js';
import { pageHtml } from './page-html.js';

/** A page of charts and one table over the same rows; what is not given is empty. */
export function studyHtml(
  input: Pick<StudyPageData, 'title' | 'lead' | 'of' | 'table'> & Partial<StudyPageData>,
  elsewhere: string,
): string {
  const data: StudyPageData = {
    kind: 'study',
    advice: null,
    cards: [],
    charts: [],
    runs: [],
    notes: [],
    ...input,
  };
  return pageHtml({ data, elsewhere });
}
