import { type Capture, scanCaptures } from '../../archive/cdxj.ts';
import { NotWarc } from '../../archive/read-warc.ts';
import type { Source } from './compact-layout.ts';
import { createReader, type FolderContext, isMissing } from './compact-objects.ts';

/** A WARC object, checked from end to end; or why it cannot be joined. */
export type Scan =
  | { readonly status: 'whole'; readonly captures: readonly Capture[] }
  | { readonly status: 'corrupt'; readonly problem: string }
  | { readonly status: 'missing' };

/** Reads all of the object and holds some megabytes of it. `step` comes before each reading; what it throws is thrown. */
export async function scanObject(
  context: FolderContext,
  source: Source,
  step: () => Promise<void>,
): Promise<Scan> {
  const read = createReader(context, source, step);
  // A scan takes whatever ends its reading for a fault of the file.
  let failure: unknown;
  const captures: Capture[] = [];
  try {
    if (source.bytes === 0) throw new NotWarc('It is empty');
    const scanned = scanCaptures(async (offset, length) => {
      try {
        return await read(offset, length);
      } catch (error) {
        failure ??= error;
        throw error;
      }
    });
    for await (const capture of scanned) captures.push(capture);
    return { status: 'whole', captures };
  } catch (error) {
    if (isMissing(failure)) return { status: 'missing' };
    if (failure !== undefined) throw failure;
    if (!(error instanceof NotWarc)) throw error;
    return { status: 'corrupt', problem: error.message };
  }
}
