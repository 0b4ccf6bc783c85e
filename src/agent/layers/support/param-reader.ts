import { CcbenchError, isGroup } from '../../../core/base/errors.js';
import { ownValue } from '../../../core/base/own-value.js';
import type { ParamSpec, ParamValues } from '../../../core/run/params.js';
import { PARAMS } from '../params.generated.js';

function wrong(path: string, wanted: string): never {
  throw new CcbenchError('internal', `the parameter ${path} is not ${wanted}`);
}

/** Reads resolved parameters by path; a wrong type is a fault of the program, not of the user. */
export const param = {
  number(params: ParamValues, path: string): number {
    const value = ownValue(params, path);
    return typeof value === 'number' ? value : wrong(path, 'a number');
  },
  numberOrNull(params: ParamValues, path: string): number | null {
    const value = ownValue(params, path) ?? null;
    return value === null || typeof value === 'number' ? value : wrong(path, 'a number or null');
  },
  isOn(params: ParamValues, path: string): boolean {
    const value = ownValue(params, path);
    return typeof value === 'boolean' ? value : wrong(path, 'a switch');
  },
  text(params: ParamValues, path: string): string {
    const value = ownValue(params, path);
    return typeof value === 'string' ? value : wrong(path, 'a text');
  },
  names(params: ParamValues, path: string): readonly string[] {
    const value = ownValue(params, path);
    return Array.isArray(value) ? (value as readonly string[]) : wrong(path, 'a list of names');
  },
  table(params: ParamValues, path: string): Readonly<Record<string, number>> {
    const value = ownValue(params, path);
    return isGroup(value) ? (value as Readonly<Record<string, number>>) : wrong(path, 'a table');
  },
};

const groups = JSON.parse(PARAMS) as Readonly<Record<string, readonly ParamSpec[]>>;

/** The parameters of a group of params.yaml. */
export function layerParams(group: string): readonly ParamSpec[] {
  return ownValue(groups, group) ?? wrong(group, 'a group of params.yaml');
}
