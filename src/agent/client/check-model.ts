import { resolveModel } from '../../provider/prices/models.js';

/** Refuses the name of a model that no client could ask for; the error lists the known ones. */
export function checkModel(name: string): void {
  resolveModel(name);
}
