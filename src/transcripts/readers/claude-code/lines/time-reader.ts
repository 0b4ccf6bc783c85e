import { soundTime } from '../../../lines/narrow.js';

const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const ZERO = 0x30;

/** The number that figures of a text stand for; NaN when one of them is no figure. */
function figures(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const figure = text.charCodeAt(i) - ZERO;
    if (figure < 0 || figure > 9) return Number.NaN;
    value = value * 10 + figure;
  }
  return value;
}

/** Reads times as milliseconds since 1970, null for what is no time; a day is parsed only when it changes. */
export class TimeReader {
  #day = '';
  #dayMs = Number.NaN;

  read(value: unknown): number | null {
    if (typeof value !== 'string') return null;
    let time = Number.NaN;
    if (value.length === ISO_LENGTH && value.startsWith('T', 10) && value.endsWith('Z')) {
      if (!value.startsWith(this.#day) || this.#day === '') {
        this.#day = value.slice(0, 10);
        this.#dayMs = Date.parse(this.#day);
      }
      const hours = figures(value, 11, 13);
      const minutes = figures(value, 14, 16);
      const seconds = figures(value, 17, 19);
      const isClock = value[13] === ':' && value[16] === ':' && value[19] === '.';
      if (isClock && hours < 24 && minutes < 60 && seconds < 60) {
        time = this.#dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + figures(value, 20, 23);
      }
    }
    if (Number.isNaN(time)) time = Date.parse(value);
    return soundTime(time);
  }
}
