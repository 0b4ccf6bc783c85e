import type { Clearing } from '../../../analysis/lifetime/rule-costs.js';
import { modelProblem, readProviderFile } from '../../../config/files/lift-providers.js';
import { isFileName } from '../../../config/files/policy-file.js';
import { policyTexts } from '../../../config/files/policy-text.js';
import { scenarioProblems } from '../../../config/load.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { Provider } from '../../../core/run/provider.js';
import { billedCalls, recordedUsd } from '../../../metrics/metric.js';
import { MODELS, resolveModel } from '../../../provider/prices/models.js';
import { recordedBill } from '../../../provider/prices/recorded-bill.js';
import { isServedBy, providerRegistry } from '../../../provider/providers/providers.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import type { CommandOptions } from '../../commands.generated.js';
import { inputOptions } from '../../files/input-options.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present } from '../../terminal/present.js';
import { type ProviderReplay, providerFacts, replayUnder } from './provider-replay.js';
import {
  oneProvider,
  providerList,
  providersConclusion,
  replayBlocks,
  replayConclusion,
} from './providers-document.js';

/** A provider by its name or its file; a file that cannot be used is refused with every problem, for a `replay` also one without a model. */
function namedProvider(name: string, cwd: string, use: 'show' | 'replay'): Provider {
  if (providerRegistry.has(name) || !isFileName(name)) return providerRegistry.get(name);
  const { text } = policyTexts(null, cwd)(name, { file: name });
  const file = readProviderFile(text, name);
  const wrongModel = use === 'show' ? null : modelProblem(file, MODELS);
  const problems = wrongModel === null ? file.problems : [...file.problems, wrongModel];
  if (file.provider !== null && problems.length === 0) return file.provider;
  throw problems.length === 1 ? problems[0]! : scenarioProblems(name, problems);
}

/** A model must be one of the provider's: another one's prices would be shown as its own. */
function checkServed(provider: Provider, model: string): void {
  if (isServedBy(provider, resolveModel(model))) return;
  throw new CcbenchError('bad-value', `${provider.name} does not serve ${model}`, {
    hint: `its models: ccbench models --provider ${provider.serves}`,
  });
}

/** `ccbench providers`: the caches as data, one of them with its doubts, or one session under all of them. */
export async function providersCommand(
  session: CliSession,
  name: string | undefined,
  options: CommandOptions['providers'],
): Promise<ExitCode> {
  const { rewritten, freed, model } = options;
  const clearing = { rewritten, freed };
  if (model !== undefined && name === undefined)
    throw new CcbenchError('bad-usage', '--model needs the name of a provider');
  const providers =
    name === undefined
      ? providerRegistry.all()
      : [namedProvider(name, session.host.cwd, options.session === undefined ? 'show' : 'replay')];
  if (model !== undefined) checkServed(providers[0]!, model);
  if (options.session !== undefined) return replayAll(session, providers, options.session, clearing);
  const facts = providers.map((each) => providerFacts(each, clearing, model));
  present(session, {
    blocks: name === undefined ? providerList(facts, clearing) : oneProvider(facts[0]!, clearing),
    closing: providersConclusion(facts),
    json: { ...clearing, providers: facts },
  });
  return EXIT.fine;
}

async function replayAll(
  session: CliSession,
  providers: readonly Provider[],
  path: string,
  clearing: Clearing,
): Promise<ExitCode> {
  const { transcript } = loadTranscript(path, inputOptions(session));
  const bill = recordedBill(transcript);
  const replays: ProviderReplay[] = [];
  for (const each of providers)
    replays.push(
      await runInterruptible(session.host.interrupt, () => replayUnder(each, transcript, clearing)),
    );
  present(session, {
    blocks: replayBlocks(transcript.id, bill, replays, clearing),
    closing: replayConclusion(bill, replays),
    json: {
      session: transcript.id,
      recordedUsd: bill === null ? null : recordedUsd(bill),
      recordedUnpricedCalls: bill === null ? 0 : billedCalls(bill).unpricedCalls,
      ...clearing,
      providers: replays.map(({ facts, ...rest }) => ({
        provider: facts.name,
        model: facts.model,
        ...rest,
        breakEvenRequests: facts.breakEvenRequests,
        doubts: facts.doubts,
      })),
    },
  });
  return EXIT.fine;
}
