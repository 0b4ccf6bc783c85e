import { describe, expect, it } from 'vitest';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import type { Action, Outcome } from '../../../src/core/run/action.js';
import type {
  ContextView,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../src/core/run/layer.js';
import type { Hook } from '../../../src/core/run/policy-rules.js';
import { NO_TIMING, type TimingSink } from '../../../src/engine/requests/run-env.js';
import { LayerHost, MutableHookContext } from '../../../src/engine/thread/layer-host.js';

const said = (id: string, role: Message['role']): Message =>
  createMessage({ id, role, origin: role === 'user' ? 'human' : 'model', blocks: [], at: 0 });
const wait = (ms: number): Action => ({ kind: 'wait', by: { layer: 'storage', reason: 'a test' }, ms });
const VIEW = {} as ContextView;

/** Layers that write down what they are told and asked. */
class Bench {
  readonly story: string[] = [];

  layer(
    name: string,
    points: readonly Hook[],
    part: Partial<LayerInstance> = {},
    waits = [1],
  ): LayerDefinition {
    const { story } = this;
    const instance: LayerInstance = {
      due: () => true,
      *act() {
        try {
          for (const ms of waits) {
            const outcome = yield wait(ms);
            story.push(`${name} hears ${outcome.kind}`);
          }
          story.push(`${name} is done`);
        } finally {
          story.push(`${name} closes`);
        }
      },
      ...part,
    };
    return { name, points, create: () => instance } as unknown as LayerDefinition;
  }

  host(layers: readonly LayerDefinition[]): LayerHost {
    return new LayerHost(layers, {} as LayerContext, NO_TIMING);
  }

  ask(host: LayerHost, point: Hook, stopped: () => boolean = () => false): readonly string[] {
    const moment = new MutableHookContext('main');
    moment.point = point;
    const apply = (action: Action): Outcome => {
      this.story.push(`wait ${action.kind === 'wait' ? action.ms : ''}`);
      return { kind: 'done' };
    };
    host.ask(moment, VIEW, apply, stopped);
    return this.story.splice(0);
  }
}

describe('the layers of a thread', () => {
  it.each(['results', 'before-request', 'after-response', 'end-of-loop', 'wake'] as const)(
    'LOP-1 at %s those of the point are asked, in the order of the policy',
    (point) => {
      const bench = new Bench();
      const host = bench.host([
        bench.layer('b', ['manual', point], {}, [7]),
        bench.layer('other', ['session-end']),
        bench.layer('a', [point], {}, [8]),
      ]);
      const asked = bench.ask(host, point);
      expect(asked.filter((line) => line.startsWith('wait') || line.endsWith('is done'))).toEqual([
        'wait 7',
        'b is done',
        'wait 8',
        'a is done',
      ]);
      expect(bench.ask(host, 'refused')).toEqual([]);
    },
  );

  it('act only where they are due, and hear what came of each action', () => {
    const bench = new Bench();
    const host = bench.host([
      bench.layer('idle', ['results'], { due: () => false }),
      bench.layer('busy', ['results'], {}, [1, 2]),
    ]);
    expect(bench.ask(host, 'results')).toEqual([
      'wait 1',
      'busy hears done',
      'wait 2',
      'busy hears done',
      'busy is done',
      'busy closes',
    ]);
  });

  it('LOP-1 nothing more is done once the thread has stopped: not by the layer at work, nor by those behind it', () => {
    const bench = new Bench();
    const host = bench.host([
      bench.layer('first', ['results'], {}, [1, 2]),
      bench.layer('second', ['results']),
    ]);
    expect(bench.ask(host, 'results', () => true)).toEqual(['wait 1', 'first closes']);
    // One that has nothing to do does not keep the next from being asked.
    const idle = bench.host([
      bench.layer('idle', ['results'], { due: () => false }),
      bench.layer('second', ['results']),
    ]);
    expect(bench.ask(idle, 'results', () => true)).toEqual(['wait 1', 'second closes']);
  });

  it('are timed one by one, whether they act or not', () => {
    const bench = new Bench();
    const timing = {
      begin: (name: string) => bench.story.push(`begin ${name}`),
      end: (name: string) => bench.story.push(`end ${name}`),
    } as unknown as TimingSink;
    const layers = [bench.layer('idle', ['wake'], { due: () => false }), bench.layer('busy', ['wake'])];
    const host = new LayerHost(layers, {} as LayerContext, timing);
    expect(bench.ask(host, 'wake')).toEqual([
      'begin idle',
      'end idle',
      'begin busy',
      'wait 1',
      'busy hears done',
      'busy is done',
      'busy closes',
      'end busy',
    ]);
  });

  it('hear of the messages that they want to hear of', () => {
    const bench = new Bench();
    const listener = (name: string, observes?: Message['role']) =>
      bench.layer(name, [], {
        ...(observes === undefined ? {} : { observes }),
        observe: ({ id }) => bench.story.push(`${name} ${id}`),
      });
    const host = bench.host([
      listener('all'),
      bench.layer('deaf', ['results']),
      listener('users', 'user'),
      listener('models', 'assistant'),
    ]);
    host.observe(said('u', 'user'));
    host.observe(said('a', 'assistant'));
    expect(bench.story).toEqual(['all u', 'users u', 'all a', 'models a']);
  });

  it('CLN-1 all of them hear that the history is another one, or that the process is', () => {
    const bench = new Bench();
    const listener = (name: string) =>
      bench.layer(name, [], {
        reset: (messages) => bench.story.push(`${name} reset ${messages.map(({ id }) => id)}`),
        resume: (messages, view) =>
          bench.story.push(`${name} resume ${messages.map(({ id }) => id)} ${view === VIEW}`),
      });
    const host = bench.host([listener('a'), bench.layer('deaf', ['results']), listener('b')]);
    host.reset([said('u', 'user'), said('v', 'assistant')]);
    host.resume([said('w', 'user')], VIEW);
    expect(bench.story).toEqual(['a reset u,v', 'b reset u,v', 'a resume w true', 'b resume w true']);
  });
});
