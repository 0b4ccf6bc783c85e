import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sum } from '../../src/core/base/stats.js';
import { sharedData } from '../helpers/recordings/shared.js';
import { type Arm, firstPromptOf, predictUsd, readTasks, type TaskRow } from './compression-arms.js';

const TABLE = 'derived/code-compression-bench-paired.csv';

/** Shares of what tools return, and of calls whose result is neither code nor below 200 tokens: ../shared/data/derived/tool-stats.csv, by the trapezoid rule over its quantiles. */
const BASH = 0.21;
const READ = 0.617;
const GREP = 0.06;
const LONG_AND_NO_CODE = 0.1435;

/** Calls of the benchmark's run of 24 June against its baseline (README at 004a1a86): the only thing known of how an agent goes on under an arm. */
const JUNE_CALLS = 3_677;

/** What each arm does, by its own documentation as the benchmark quotes it (FACT-VS-FICTION.md), and its calls in June. */
const ARMS: Readonly<Record<string, { readonly does: Arm; readonly june: number | null }>> = {
  // Claude's own tools bypass it; command output shrinks by 60 to 90 %.
  rtk: {
    does: { results: 1 - BASH * 0.75 },
    june: 3_915,
  },
  // Files are read in 40 to 60 % of their tokens.
  woz: {
    does: { results: 1 - READ * 0.5 },
    june: 3_147,
  },
  // 65 % less output; the rules that ask for it are taken for 1,000 tokens.
  caveman: {
    does: { output: 0.35, added: 1_000 },
    june: null,
  },
  // 87 % of what is no code, not in the last four messages, and not below 200 tokens: about every seventh call.
  headroom: {
    does: { oldResults: 1 - (BASH + GREP) * 0.87, every: Math.round(1 / LONG_AND_NO_CODE) },
    june: 3_684,
  },
  // Nothing is published of what it does. In June a prompt had 45.3 % of the baseline's tokens and an answer 70.6 %.
  dasein: {
    does: { prefix: 0.453, results: 0.453, output: 0.706 },
    june: 2_984,
  },
};

/** What a call costs at the prices of Sonnet 4.6, whoever answered it. */
function listUsd({ input, read, written, output }: TaskRow): number {
  return ((input - read - written) * 3 + written * 3.75 + read * 0.3 + output * 15) / 1e6;
}

/** A difference in percent as the page writes it. */
function signed(percent: number): string {
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

/** The cells of an arm in the table of docs/fidelity.md. */
function rowOfPage(arm: string): readonly string[] {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/fidelity.md'), 'utf8');
  const line = page.split('\n').find((text) => text.startsWith(`| ${arm} |`))!;
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe.skipIf(!sharedData.present)('a published experiment: five arms on a hundred tasks', () => {
  const rows = sharedData.present ? readTasks(sharedData.read(TABLE).toString('utf8')) : [];
  const of = (arm: string): readonly TaskRow[] => rows.filter((row) => row.arm === arm);
  const base = of('A0');
  const first = firstPromptOf(base);
  const predict = (arm: Arm): number => sum(base.map((row) => predictUsd(row, first, arm)));
  const percent = (usd: number, against: number): number => (usd / against - 1) * 100;
  const baseUsd = predict({});

  it('the baseline, of its calls, prompts and output alone, costs what its tokens cost, within 2 %', () => {
    expect(base).toHaveLength(100);
    expect(first).toBe(31_626);
    const recorded = sum(base.map(listUsd));
    expect(recorded).toBeCloseTo(166.33, 2);
    expect(Math.abs(percent(baseUsd, recorded))).toBeLessThan(2);
  });

  it.each(Object.entries(ARMS))(
    '%s: the page says what is published and what is predicted',
    (name, { does, june }) => {
      const total = (cost: (row: TaskRow) => number, own: string): number => sum(of(own).map(cost));
      const difference = (cost: (row: TaskRow) => number): string =>
        signed(percent(total(cost, name), total(cost, 'A0')));
      expect(rowOfPage(name).slice(1, 5)).toEqual([
        difference(({ costUsd }) => costUsd),
        difference(listUsd),
        signed(percent(predict(does), baseUsd)),
        june === null ? '–' : signed(percent(predict({ ...does, calls: june / JUNE_CALLS }), baseUsd)),
      ]);
    },
  );

  it('the sign is right of every arm but rtk, and of rtk too with the calls of June', () => {
    for (const name of Object.keys(ARMS)) {
      const [, published, , predicted, june] = rowOfPage(name);
      expect(june === '–' ? predicted![0] : june![0], name).toBe(published![0]);
      if (name !== 'rtk') expect(predicted![0], name).toBe(published![0]);
    }
  });

  it('rewriting an old result at every call would cost more than three times as much', () => {
    expect(percent(predict({ ...ARMS.headroom!.does, every: 1 }), baseUsd)).toBeGreaterThan(200);
  });
});
