import { formatPath, ProblemList } from '../../core/base/errors.js';
import { readBy } from '../../core/base/schema-problems.js';
import type { PlannedModel } from '../../core/run/run-plan.js';
import { createProblems } from '../load.js';
import { modelTableSchema } from '../schema/schema-models.js';
import { placedProblems, readDocument, type ScenarioDocument } from './document.js';
import { liftModels } from './lift-models.js';

/** Reads a table of models from its own file, as scenarios have it under `models`. Throws a ProblemList with the places. */
export function readModelTable(text: string, file: string): readonly PlannedModel[] {
  const problems = createProblems();
  const { document, problems: found } = readDocument(text, file, 'table of models');
  problems.addAll(found);
  if (document !== null) {
    const add = placedProblems(document, text, (error, { path }) => problems.add(path, error));
    readBy(modelTableSchema, document.value, add, {
      label: (path) => (path.length === 0 ? '' : `\`${formatPath(path)}\`: `),
    });
    const whole: ScenarioDocument = {
      ...document,
      value: { models: document.value },
      placeOf: (path) => document.placeOf(path.slice(1)),
      placeOfKey: (path) => document.placeOfKey(path.slice(1)),
    };
    const { models } = liftModels(whole, undefined, [], problems);
    if (problems.list().length === 0) return models ?? [];
  }
  throw new ProblemList('bad-input', file, problems.list());
}
