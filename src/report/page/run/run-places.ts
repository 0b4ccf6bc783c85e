import type { RunModel } from '../../page-data/run-model.js';
import { rangeAround } from '../widgets/axis-range.js';
import { followPlace, type Named, numberIn, placeLink, showPlace } from '../widgets/place.js';
import { type Store, toRun, type View } from '../widgets/store.js';

/** The first request of a turn, of the main conversation if it has one; the next that there is where it was left out. */
function requestOfTurn({ main, run, count }: RunModel, turn: number): number | null {
  const all = Array.from({ length: count }, (_, i) => i);
  const from = (list: readonly number[]): number | undefined =>
    list.find((index) => run.requests.turn[index]! >= turn);
  return from(main) ?? from(all) ?? null;
}

/** A place in words: `turn 73`, `request 120`, `event 4`, or a number alone, which is a turn. */
export function wordsPlace(words: string): Named {
  const found = /^(?:(turn|request|event)\s*)?#?(\d+)$/i.exec(words);
  return found === null ? {} : { [found[1]?.toLowerCase() ?? 'turn']: found[2]! };
}

/** What goes to a place needs of the page. */
export interface Going {
  readonly timeline: HTMLElement;
  reveal(): void;
  /** What the address names besides. */
  place(): Readonly<Record<string, number | null>>;
}

/** Follows addresses such as `#turn=73`, `#request=120`, `#run=2&event=4`, and keeps the address at what is chosen. */
export function createGoing(
  store: Store,
  models: readonly RunModel[],
  { timeline, reveal, place }: Going,
): (to: Named) => void {
  const go = (to: Named): void => {
    const run = (numberIn(to, 'run') ?? store.view.run + 1) - 1;
    const model = models[run];
    if (model === undefined) return;
    const turn = numberIn(to, 'turn');
    const number = numberIn(to, 'request');
    const event = numberIn(to, 'event');
    if (event !== null && event <= model.run.events.length) {
      store.update({ ...toRun(run), event: event - 1, range: null });
      reveal();
      return;
    }
    const request =
      turn !== null ? requestOfTurn(model, turn) : number !== null ? model.nearest(number, 'request') : null;
    if (request === null) {
      if (numberIn(to, 'run') !== null) store.update(toRun(run));
      return;
    }
    store.update({ ...toRun(run), axis: 'request', request, range: rangeAround(model, request) });
    timeline.scrollIntoView({ block: 'start' });
  };
  const linkOf = ({ run, event, request }: View, before: View): string => {
    const isNewEvent = event !== null && event !== before.event;
    if (request !== null && !isNewEvent)
      return placeLink({ ...place(), request: models[run]!.number(request) });
    return placeLink({ ...place(), event: event === null ? null : event + 1 });
  };
  store.watch(['run', 'event', 'request'], (view, before) => showPlace(linkOf(view, before)));
  followPlace(go);
  return go;
}
