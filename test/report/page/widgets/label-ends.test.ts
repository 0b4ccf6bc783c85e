import { expect, it } from 'vitest';
import { labelEnds } from '../../../../src/report/page/widgets/label-ends.js';

it('texts that are far enough apart end where they should', () => {
  expect(
    labelEnds(
      [
        { y: 10, text: 'window' },
        { y: 25, text: 'blocking' },
      ],
      500,
    ),
  ).toEqual([500, 500]);
});

it('a text that would stand over others goes to the left of them', () => {
  const labels = [
    { y: 30, text: '0123456789' },
    { y: 40, text: '0123456789' },
    { y: 20, text: '0123456789' },
    { y: 50, text: '0123456789' },
  ];
  // ten letters of 6.5 pixels and 14 between two texts: 79 to the left; the third is beside the first alone, the last beside the second
  expect(labelEnds(labels, 500)).toEqual([500, 421, 421, 500]);
});
