import { describe, expect, it } from 'vitest';
import { withDates } from '../../../src/agent/layers/dreaming/dream.js';

/** Wednesday, 7 January 2026, noon. */
const NOW = Date.UTC(2026, 0, 7, 12);

describe('dates in full', () => {
  it.each([
    ['It was agreed today.', 'It was agreed on 2026-01-07.'],
    ['It broke yesterday.', 'It broke on 2026-01-06.'],
    ['We ship tomorrow.', 'We ship on 2026-01-08.'],
    ['Frozen until tomorrow.', 'Frozen until 2026-01-08.'],
    ['We moved last week.', 'We moved in the week of 2025-12-29.'],
    ['We move next month.', 'We move in 2026-02.'],
    ['It was renamed last year.', 'It was renamed in 2025.'],
    ['The audit is next Monday.', 'The audit is on 2026-01-12.'],
    ['The audit was last Monday.', 'The audit was on 2026-01-05.'],
    ['The audit is this Friday.', 'The audit is on 2026-01-09.'],
    ['The audit is next Wednesday.', 'The audit is on 2026-01-14.'],
    ['It arrives in two weeks.', 'It arrives on 2026-01-21.'],
    ['We stopped 3 days ago.', 'We stopped on 2026-01-04.'],
    ['We deploy on Mondays.', 'We deploy on Mondays.'],
    ['Tonight it runs, free since yesterday.', 'on 2026-01-07 it runs, free since 2026-01-06.'],
    ['For next week or this week.', 'For the week of 2026-01-12 or in the week of 2026-01-05.'],
    ['This month or last month.', 'in 2026-01 or in 2025-12.'],
    ['Next year or this year.', 'in 2027 or in 2026.'],
    ['This Wednesday or last Wednesday.', 'on 2026-01-07 or on 2025-12-31.'],
    ['Next Sunday, Tuesday or next Thursday.', 'on 2026-01-11, Tuesday or on 2026-01-08.'],
    ['Next Tuesday or next Saturday.', 'on 2026-01-13 or on 2026-01-10.'],
    ['In one day, a day ago or in three days.', 'on 2026-01-08, on 2026-01-06 or on 2026-01-10.'],
    ['Four days ago, in five weeks or six weeks ago.', 'on 2026-01-03, on 2026-02-11 or on 2025-11-26.'],
    ['In a month or in 100 days.', 'on 2026-02-06 or on 2026-04-17.'],
    ['A year ago or in an year.', 'on 2025-01-07 or on 2027-01-07.'],
  ])('C33 DRM-3 %s', (before, after) => {
    expect(withDates(before, NOW)).toBe(after);
  });

  it('C33 DRM-3 a week begins on Monday, seen from a Sunday too', () => {
    expect(withDates('this week', Date.UTC(2026, 0, 11))).toBe('in the week of 2026-01-05');
    expect(withDates('this week', Date.UTC(2026, 0, 12))).toBe('in the week of 2026-01-12');
  });

  it('C33 DRM-3 what is absolute stays as it is', () => {
    const text = 'We agreed on 2026-01-06 that the week of 2026-02-02 is free.';
    expect(withDates(text, NOW)).toBe(text);
  });
});
