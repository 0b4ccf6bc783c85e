// A clock that pauses of a script can be added to.

/** The machine's clock plus what was added to it; `toSimulated` says what it showed at a time. */
export function createMovedClock(realNow = Date.now) {
  const moves = [];
  let moved = 0;
  return {
    get now() {
      return realNow() + moved;
    },
    advanceTo(timeMs) {
      const ms = Math.round(timeMs) - this.now;
      if (ms <= 0) return;
      moved += ms;
      moves.push({ at: realNow(), moved });
    },
    toSimulated(realMs) {
      return realMs + (moves.findLast(({ at }) => at <= realMs)?.moved ?? 0);
    },
  };
}
