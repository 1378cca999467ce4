/** Secrets by reference: `env:NAME`, `file:PATH`, `aws:ssm/NAME`, `aws:secrets/NAME`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parameterOf } from '../project/secret-reference.ts';

/** The value of the reference. Its messages name the reference, and show nothing of a value. */
export type ReadReference = (reference: string) => Promise<string>;

const MAX_CHARS = 65_536;

export interface ReferenceOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the project's file: paths are relative to it. Absent: there are no files, as on a stack. */
  readonly folder?: string | undefined;
  readonly readParameter: (name: string) => Promise<string>;
}

export function createReferenceReader({
  environment,
  folder,
  readParameter,
}: ReferenceOptions): ReadReference {
  async function read(reference: string): Promise<string> {
    const parameter = parameterOf(reference);
    if (parameter !== undefined) return readParameter(parameter);
    if (reference.startsWith('env:')) {
      const value = environment[reference.slice(4)];
      if (value === undefined) throw new Error('this variable is not set');
      return value;
    }
    if (folder === undefined) throw new Error('a stack has no files: use aws:ssm/ or aws:secrets/');
    return (await readFile(resolve(folder, reference.slice(5)), 'utf8')).trim();
  }

  return async (reference) => {
    try {
      const value = await read(reference);
      if (value.length > MAX_CHARS) throw new Error(`it is longer than ${MAX_CHARS} characters`);
      return value;
    } catch (error) {
      const { name, code, message } = error as NodeJS.ErrnoException;
      const isOurs = error instanceof Error && name === 'Error' && code === undefined;
      throw new Error(`${reference} cannot be read: ${isOurs ? message : (code ?? name)}`);
    }
  };
}
