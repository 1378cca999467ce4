import { type Capture, createCapturePairs, isCapture } from '../../../core/archive/cdxj.ts';
import { NotWarc } from '../../../core/archive/read-warc.ts';
import { scanMembers } from '../../../core/archive/scan-members.ts';
import type { Source } from './compact-layout.ts';
import { createReader, type FolderContext } from './compact-objects.ts';
import { headsOf, type TabledCapture } from './compact-tables.ts';
import { isMissing } from './is-missing.ts';

/** A WARC object, checked from end to end; or why it cannot be joined. */
export type Scan =
  | { readonly status: 'whole'; readonly captures: readonly TabledCapture[] }
  | { readonly status: 'corrupt'; readonly problem: string }
  | { readonly status: 'missing' };

export interface ScanOptions {
  /** Comes before each reading. What it throws is thrown. */
  readonly step: () => Promise<void>;
  /** Whether the captures are for tables, too. */
  readonly tables: boolean;
}

/** Reads all of the object and holds some megabytes of it. */
export async function scanObject(
  context: FolderContext,
  source: Source,
  { step, tables }: ScanOptions,
): Promise<Scan> {
  const read = createReader(context, source, step);
  const captures: TabledCapture[] = [];
  try {
    if (source.bytes === 0) throw new NotWarc('It is empty');
    const pairs = createCapturePairs();
    const heads = new Map<number, string>();
    const take = (capture: Capture | undefined) => {
      if (capture) captures.push(tables ? { ...capture, heads: heads.get(capture.offset) } : capture);
    };
    for await (const member of scanMembers(read)) {
      if (tables && isCapture(member.record)) heads.set(member.offset, await headsOf(read, member));
      take(pairs.add(member));
    }
    take(pairs.end());
    return { status: 'whole', captures };
  } catch (error) {
    if (isMissing(error)) return { status: 'missing' };
    if (error instanceof NotWarc) return { status: 'corrupt', problem: error.message };
    throw error;
  }
}
