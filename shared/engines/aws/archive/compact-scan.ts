import { type Capture, scanCaptures } from '../../../archive/cdxj.ts';
import { NotWarc } from '../../../archive/read-warc.ts';
import type { Source } from './compact-layout.ts';
import { createReader, type FolderContext } from './compact-objects.ts';
import { isMissing } from './is-missing.ts';

/** A WARC object, checked from end to end; or why it cannot be joined. */
export type Scan =
  | { readonly status: 'whole'; readonly captures: readonly Capture[] }
  | { readonly status: 'corrupt'; readonly problem: string }
  | { readonly status: 'missing' };

/**
 * Reads all of the object and holds some megabytes of it. `step` comes before each reading; what it throws is
 * thrown.
 */
export async function scanObject(
  context: FolderContext,
  source: Source,
  step: () => Promise<void>,
): Promise<Scan> {
  const read = createReader(context, source, step);
  const captures: Capture[] = [];
  try {
    if (source.bytes === 0) throw new NotWarc('It is empty');
    for await (const capture of scanCaptures(read)) captures.push(capture);
    return { status: 'whole', captures };
  } catch (error) {
    if (isMissing(error)) return { status: 'missing' };
    if (error instanceof NotWarc) return { status: 'corrupt', problem: error.message };
    throw error;
  }
}
