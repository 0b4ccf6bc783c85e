// @ts-check
// Checks the types of a configuration, and that none of its sources looks up a text in a plain object: both need the same types.
import { join } from 'node:path';
import ts from 'typescript';
import { foreignNames } from './foreign-names.mjs';

/**
 * What is wrong with the files of a configuration, as texts to print.
 * @param {string} root
 * @param {string} name Of the configuration.
 * @param {ReadonlyMap<string, string>} planted Texts by the paths of the files that are checked in place of its own.
 * @returns {readonly string[]}
 */
export function typeProblems(root, name, planted = new Map()) {
  const read = ts.readConfigFile(join(root, name), ts.sys.readFile);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  // Scripts without types import the build, whose packages take longer to check than all sources.
  const isBuilt = (/** @type {string} */ path) => path.startsWith(join(root, 'dist'));
  const { fileExists, getSourceFile: readSource } = host;
  host.fileExists = (path) => !isBuilt(path) && fileExists(path);
  host.getSourceFile = (file, version) => {
    const text = planted.get(file);
    return text === undefined ? readSource(file, version) : ts.createSourceFile(file, text, version, true);
  };
  const program = ts.createProgram(planted.size > 0 ? [...planted.keys()] : fileNames, options, host);
  const found = [
    ...(read.error === undefined ? [] : [read.error]),
    ...errors,
    ...ts.getPreEmitDiagnostics(program),
  ];
  const texts = found.length === 0 ? [] : [ts.formatDiagnosticsWithColorAndContext(found, host).trimEnd()];
  return [...texts, ...foreignNames(program, root)];
}
