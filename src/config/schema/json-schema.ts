import { policySchema } from '../../agent/policy-file/read-policy.js';
import { jsonSchema, type SchemaNode } from '../../core/base/schema.js';
import type { ParamSpec } from '../../core/run/params.js';
import { providerSchema } from '../../provider/providers/provider-schema.js';
import { scriptSchema } from '../../provider/script/script-schema.js';
import { builtinContext } from '../context.js';
import { scenarioSchema } from './schema.js';

/** A policy that is named by its file. */
const POLICY_FILE = '\\.ya?ml$';

function paramSchema(spec: ParamSpec): object {
  const unit = spec.unit === null ? '' : ` (${spec.unit})`;
  const about = { description: `${spec.help}${unit}`, default: spec.default };
  const { kind } = spec;
  switch (kind.type) {
    case 'switch':
      return { type: 'boolean', ...about };
    case 'choice':
      return { type: 'string', enum: kind.values, ...about };
    case 'names':
      return { type: 'array', items: { type: 'string' }, ...about };
    case 'table':
      return {
        type: 'object',
        additionalProperties: { type: 'number', minimum: kind.min },
        ...about,
      };
    case 'text':
    case 'model':
      return { type: 'string', ...about };
    case 'integer':
    case 'number': {
      const type = kind.nullable === true ? [kind.type, 'null'] : kind.type;
      const minimum = kind.minIs === 'excluded' ? 'exclusiveMinimum' : 'minimum';
      return { type, [minimum]: kind.min, maximum: kind.max, ...about };
    }
  }
}

/** The JSON Schema of a scenario file, for editors: names and parameters that exist are offered, others marked. @internal */
export function scenarioJsonSchema(): object {
  const { $defs = {}, ...top } = jsonSchema(scenarioSchema);
  const params = Object.fromEntries(
    builtinContext.policies.specs.map((spec) => [spec.path, paramSchema(spec)]),
  );
  const synthetic: SchemaNode = $defs.Synthetic ?? {};
  return {
    ...top,
    title: 'ccbench scenario',
    $defs: {
      ...$defs,
      PolicyName: {
        ...$defs.PolicyName,
        anyOf: [{ enum: builtinContext.policies.names }, { pattern: POLICY_FILE }],
      },
      ParamSet: { ...$defs.ParamSet, properties: params, additionalProperties: false },
      Synthetic: {
        ...synthetic,
        properties: {
          ...synthetic.properties,
          workload: { ...synthetic.properties?.workload, enum: builtinContext.workloads },
        },
      },
    },
  };
}

/** The JSON Schemas of the files that users write, by their kinds. */
export const FILE_SCHEMAS = {
  scenario: scenarioJsonSchema,
  policy: (): object => ({ ...jsonSchema(policySchema), title: 'ccbench policy' }),
  provider: (): object => ({ ...jsonSchema(providerSchema), title: 'ccbench provider' }),
  script: (): object => ({ ...jsonSchema(scriptSchema), title: 'ccbench script' }),
} as const;
