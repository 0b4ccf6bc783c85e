import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as memoryIndex from '../../../src/agent/layers/auto-memory/memory-index.js';
import * as lock from '../../../src/agent/layers/dreaming/lock.js';
import * as compact from '../../../src/agent/layers/full-compact/compact.js';
import { ResultLedger } from '../../../src/agent/layers/microcompact/ledger.js';
import { Guards } from '../../../src/agent/layers/rules/guards.js';
import * as shrinking from '../../../src/agent/layers/rules/shrink-request.js';
import { param } from '../../../src/agent/layers/support/param-reader.js';
import * as thresholds from '../../../src/agent/layers/thresholds/thresholds.js';
import * as random from '../../../src/core/base/random.js';
import type { Block } from '../../../src/core/model/block.js';
import { type Message, withBlocks } from '../../../src/core/model/message.js';
import { Limit } from '../../../src/core/run/limit.js';
import { OpenCalls } from '../../../src/engine/context/repairs.js';
import { Journal } from '../../../src/engine/context/taken-out.js';
import { ThreadModel } from '../../../src/engine/requests/thread-model.js';
import { ThreadForks } from '../../../src/engine/run/thread-forks.js';
import * as forkLayout from '../../../src/engine/thread/fork-layout.js';
import * as userActs from '../../../src/engine/thread/user-acts.js';
import * as fade from '../../../src/provider/cache/ttl.js';
import * as userMessages from '../../../src/provider/fake-llm/answers/user-messages.js';
import * as fakeLlm from '../../../src/provider/fake-llm/fake-llm.js';
import * as price from '../../../src/provider/prices/price.js';
import { runSent } from '../../helpers/capture.js';
import { above } from '../../helpers/drive/above-threshold.js';
import { INVARIANT_CHECKS } from '../../helpers/drive/check-invariants.js';
import { checkFailedCompaction, checkRepeat, checkThresholds } from '../../helpers/drive/check-pairs.js';
import { planFor, transcriptOf, type World, worlds } from '../../helpers/generators/arbitrary-world.js';

/** Generated worlds that a fault may show in. */
const WORLDS = 600;

/** A fault of the program, planted where it would be made. */
interface PlantedFault {
  readonly invariant: string;
  readonly what: string;
  plant(): void;
  /** Worlds in which it could show; all unless told. */
  readonly among?: (world: World) => boolean;
  /** A check that needs runs of its own; that of the invariant unless told. */
  readonly check?: (world: World) => void;
}

/** Runs a world and holds it against one invariant; worlds whose settings exclude each other hold. */
function checkWorld(invariant: string, world: World): void {
  const plan = planFor(world);
  if (plan === null) return;
  const transcript = transcriptOf(world.story);
  INVARIANT_CHECKS[invariant]!({ plan, transcript, ...runSent(plan, transcript) });
}

const isOne = ({ story }: World) => story.kind === 'one';
const isSeveral = ({ story }: World) => story.kind === 'several';
const acted = (kind: string) => (world: World) =>
  world.story.kind === 'one' && world.story.acts.some(({ act }) => act === kind);
const pauses = ({ story, init }: World) =>
  story.kind === 'one' &&
  init.policy === 'claude-code/2026' &&
  (story.spec.idle ?? []).some(({ minutes }) => minutes > 60);
const forks = (world: World) => world.story.kind === 'one' && (world.story.spec.forks ?? []).length > 0;

const readsSideBySide = ({ story, init }: World) =>
  story.kind === 'one' &&
  story.spec.workload === 'parallel-tools' &&
  init.policy?.startsWith('claude-code/') === true;

const FAULTS: readonly PlantedFault[] = [
  {
    invariant: 'INV-1',
    what: 'calls that lost their results go out without them',
    plant: () => {
      vi.spyOn(OpenCalls.prototype, 'takeAll').mockImplementation(() => []);
    },
    among: acted('rewind'),
  },
  {
    invariant: 'INV-2',
    what: 'the API answers what is longer than the window',
    plant: () => {
      const real = fakeLlm.createFakeLlm;
      vi.spyOn(fakeLlm, 'createFakeLlm').mockImplementation((...given) => {
        const llm = real(...given);
        return { call: (call) => llm.call({ ...call, windowTokens: null }) };
      });
    },
  },
  {
    invariant: 'INV-3',
    what: 'results of any tool are cleared',
    plant: () => {
      const target = ResultLedger.prototype as unknown as {
        register(message: Message, index: number, turn: number): void;
      };
      const real = target.register;
      const asRead = (block: Block): Block =>
        block.kind === 'tool_result' ? { ...block, tool: 'Read' } : block;
      vi.spyOn(target, 'register').mockImplementation(function (this: typeof target, message, index, turn) {
        real.call(this, withBlocks(message, message.blocks.map(asRead)), index, turn);
      });
    },
    among: pauses,
  },
  {
    invariant: 'INV-4',
    what: 'the record forgets what was stored',
    plant: () => {
      vi.spyOn(Journal.prototype, 'freeze').mockImplementation(() => {});
    },
  },
  {
    invariant: 'INV-5',
    what: 'the price of a request is not the sum of its parts',
    plant: () => {
      const real = price.priceUsage;
      vi.spyOn(price, 'priceUsage').mockImplementation((...given) => {
        const cost = real(...given);
        return { ...cost, totalNano: cost.totalNano + 1 };
      });
    },
  },
  {
    invariant: 'INV-6',
    what: 'cache entries outlive their time',
    plant: () => {
      vi.spyOn(fade, 'createLifetime').mockImplementation(() => (ttlMs) => ttlMs * 40);
    },
  },
  {
    invariant: 'INV-7',
    what: 'the breaker counts no failures',
    plant: () => {
      vi.spyOn(Guards.prototype, 'failed').mockImplementation(function* () {});
    },
  },
  {
    invariant: 'INV-8',
    what: 'a higher percentage compacts earlier',
    plant: () => {
      const real = thresholds.compactLimit;
      vi.spyOn(thresholds, 'compactLimit').mockImplementation(
        (context) => new Limit(200_000 - real(context).value, 'reached'),
      );
    },
    check: () => {
      const talk = above({ from: 60_000, rounds: 30, roundTokens: 3_000 });
      checkThresholds(talk.transcript(), 'claude-code/2026', [40, 60]);
    },
  },
  {
    invariant: 'INV-8',
    what: 'a compaction that fails leaves its mark',
    plant: () => {
      const real = compact.compactFully;
      vi.spyOn(compact, 'compactFully').mockImplementation(function* (moment, view, context, order) {
        const done = yield* real(moment, view, context, order);
        const by = { layer: 'full-compact', reason: 'a fault' } as const;
        if (!done) yield { kind: 'replace-history', by, messages: view.messages.slice(0, 1) };
        return done;
      });
    },
    check: () => {
      const talk = above({ from: 168_000, rounds: 3 });
      checkFailedCompaction(talk.transcript(), {
        policy: 'claude-code/2026',
        window: 200_000,
        error: 'invalid_request',
      });
    },
  },
  {
    invariant: 'INV-9',
    what: 'a request that was too long is sent again as it is',
    plant: () => {
      let times = 0;
      vi.spyOn(shrinking, 'shorterRequest').mockImplementation((messages) =>
        times++ % 4 === 3 ? null : messages,
      );
    },
  },
  {
    invariant: 'INV-10',
    what: 'the index is loaded beyond its lines',
    plant: () => {
      const real = memoryIndex.loadIndex;
      vi.spyOn(memoryIndex, 'loadIndex').mockImplementation((file, limits) =>
        real(file, { ...limits, lines: limits.lines * 2 }),
      );
    },
  },
  {
    invariant: 'INV-10',
    what: 'more files come back than there are slots',
    plant: () => {
      const real = param.number;
      vi.spyOn(param, 'number').mockImplementation(
        (params, path) => real(params, path) + (path === 'restore.files' ? 50 : 0),
      );
    },
    // Only who reads many files in a few turns has more to bring back than there are slots.
    among: readsSideBySide,
  },
  {
    invariant: 'INV-11',
    what: 'each child gets a lead of its own',
    plant: () => {
      const real = forkLayout.childLead;
      vi.spyOn(forkLayout, 'childLead').mockImplementation((uses, _layout, child, at) =>
        real(uses, 'own-results', child, at),
      );
    },
    among: forks,
  },
  {
    invariant: 'INV-12',
    what: 'a lock that is held is taken',
    plant: () => {
      const real = lock.acquireLock;
      vi.spyOn(lock, 'acquireLock').mockImplementation(function* (files, user, now) {
        return yield* real(files, { ...user, staleMs: -1, isAlive: () => false }, now);
      });
    },
    among: isSeveral,
  },
  {
    invariant: 'INV-13',
    what: 'chance goes on from run to run',
    plant: () => {
      const real = random.createRandom;
      let runs = 0;
      vi.spyOn(random, 'createRandom').mockImplementation((seed) => real(`${seed} ${runs++}`));
    },
    among: isOne,
    check: (world) => {
      const plan = planFor(world);
      const transcript = transcriptOf(world.story);
      if (plan !== null) checkRepeat(plan, () => transcript);
    },
  },
  {
    invariant: 'INV-14',
    what: 'the summary leaves the first message of the user out',
    plant: () => {
      const real = userMessages.userMessages;
      vi.spyOn(userMessages, 'userMessages').mockImplementation((messages, quoteTokens) => {
        const first = messages.find(({ origin }) => origin === 'human');
        return real(
          messages.filter((message) => message !== first),
          quoteTokens,
        );
      });
    },
  },
  {
    invariant: 'INV-15',
    what: 'what children start from is forgotten',
    plant: () => {
      vi.spyOn(ThreadForks.prototype, 'snapshotOf').mockImplementation(() => null);
    },
    among: forks,
  },
  {
    invariant: 'INV-16',
    what: 'an emptied conversation stays as it was',
    plant: () => {
      vi.spyOn(userActs, 'clearConversation').mockImplementation(() => {});
    },
    among: acted('clear'),
  },
  {
    invariant: 'INV-16',
    what: 'the model stays the one before',
    plant: () => {
      vi.spyOn(ThreadModel.prototype, 'use').mockImplementation(() => {});
    },
  },
];

/** What the check says of the first world that it fails in; null when it never does. */
function firstFailure({ invariant, among, check }: PlantedFault, sample: readonly World[]): string | null {
  for (const world of sample) {
    if (among !== undefined && !among(world)) continue;
    try {
      if (check === undefined) checkWorld(invariant, world);
      else check(world);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  return null;
}

describe('a fault of the program', () => {
  const sample = fc.sample(worlds, { numRuns: WORLDS, seed: 3 });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each(FAULTS.map((fault) => [fault.invariant, fault.what, fault] as const))(
    '%s is broken when %s',
    (_invariant, _what, fault) => {
      fault.plant();
      expect(firstFailure(fault, sample)).toMatch(new RegExp(fault.invariant));
    },
  );

  it('is planted for every invariant', () => {
    const planted = new Set(FAULTS.map(({ invariant }) => invariant));
    expect([...planted]).toEqual(Array.from({ length: 16 }, (_, i) => `INV-${i + 1}`));
  });
});
