/** Whether this is the full suite (`npm run check`); the fast one (`npm test`) leaves out what is slow and told elsewhere. */
export const IN_FULL = process.env.CCBENCH_SUITE !== 'fast';
