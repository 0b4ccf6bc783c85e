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
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (file, version) => {
    const text = planted.get(file);
    return text === undefined ? readSource(file, version) : ts.createSourceFile(file, text, version, true);
  };
  const program = ts.createProgram(planted.size > 0 ? [...planted.keys()] : fileNames, options, host);
  // The packages in the build take longer to check than all sources.
  const built = program.getSourceFiles().find(({ fileName }) => fileName.startsWith(join(root, 'dist/')));
  if (built !== undefined)
    return [`${built.fileName} is no source: import the build by a URL, not by a path`];
  const found = [
    ...(read.error === undefined ? [] : [read.error]),
    ...errors,
    ...ts.getPreEmitDiagnostics(program),
  ];
  const texts = found.length === 0 ? [] : [ts.formatDiagnosticsWithColorAndContext(found, host).trimEnd()];
  return [...texts, ...foreignNames(program, root)];
}
