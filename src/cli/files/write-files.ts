import { join } from 'node:path';
import { type CliSession, warnUnwritten } from '../session.js';
import { tellWritten } from '../terminal/closing.js';
import { type FileContent, openFile } from './output.js';

/** A file of a folder that holds other things too; `folder` is below it, empty for its top. */
interface OutFile {
  readonly folder: string;
  readonly name: string;
  readonly content: FileContent;
}

/** Writes files that belong to an answer that was printed, and says where they are: what cannot be written costs a warning. */
export async function writeSoftly(
  session: CliSession,
  out: string,
  files: AsyncIterable<OutFile> | Iterable<OutFile>,
  page: string,
): Promise<void> {
  try {
    await writeFiles(out, session.host.cwd, files);
    tellWritten(session, page);
  } catch (error) {
    warnUnwritten(session, '--out', error);
  }
}

/** Writes files into a folder one by one, each whole or not at all. */
export async function writeFiles(
  out: string,
  cwd: string,
  files: AsyncIterable<OutFile> | Iterable<OutFile>,
): Promise<void> {
  for await (const { folder, name, content } of files) {
    const output = openFile(join(out, folder, name), cwd);
    await output.write(content);
    output.commit();
  }
}
