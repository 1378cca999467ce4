/** Chooses the WARC objects of a crawl to join now. */
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Table } from '../table/table.ts';
import type { Source } from './compact-layout.ts';
import type { CompactStateContext } from './compact-lease.ts';
import { deleteFiles, type FolderContext, type ListedSource, listSources } from './compact-objects.ts';
import { joinedSources } from './joined-warcs.ts';
import { type AsideFile, asideFiles, forgetAside } from './quarantined-files.ts';

export interface CandidatesContext {
  readonly folder: FolderContext;
  readonly state: CompactStateContext;
  readonly mapping: Table;
  readonly crawl: CrawlId;
  /** Objects that changed later are left alone. */
  readonly olderThan: number;
  readonly warn: (message: string) => void;
  /** Called with those that were set aside and are still there. */
  readonly onAside: (file: AsideFile) => void;
  /** Called if there are objects that are left alone for their age. */
  readonly onYounger: () => void;
}

/**
 * The objects that can be joined, by name. An object that was joined and exists again (its writer repeated a PUT that
 * had been carried out) is deleted: its records are in the joined file.
 */
export async function* candidates(context: CandidatesContext): AsyncGenerator<ListedSource> {
  const { folder, state, mapping, crawl, olderThan, warn, onAside, onYounger } = context;
  const aside = await asideFiles(state);
  for await (const page of listSources(folder)) {
    const old = page.filter(({ modifiedAt }) => modifiedAt <= olderThan);
    if (old.length < page.length) onYounger();
    const files = old.map(({ file }) => file);
    const joined = await joinedSources(mapping, crawl, files);
    const again = old.filter(({ file, bytes }) => joined.get(file)?.bytes === bytes);
    await deleteFiles(
      folder,
      again.map(({ file }) => file),
    );
    for (const source of old) {
      const { file, etag } = source;
      const known = aside.get(file);
      if (joined.has(file)) {
        if (!again.includes(source))
          warn(`${folder.folder}${file} was joined, and exists again with another size`);
      } else if (known?.etag === etag) {
        onAside({ file, problem: known.problem });
      } else {
        if (known) await forgetAside(state, file);
        yield source;
      }
    }
  }
}

/**
 * Returns the sources that can be joined, in lumps that fill a joined file; and the rest, if it is `finished`. So
 * nothing is read that would then not be joined. A source that fills a file alone is a lump of its own.
 */
export async function* inFullBatches<T extends Source>(
  sources: AsyncIterable<T>,
  { targetBytes, maxSources }: { readonly targetBytes: number; readonly maxSources: number },
  finished: boolean,
): AsyncGenerator<T> {
  let waiting: T[] = [];
  let waitingBytes = 0;
  for await (const source of sources) {
    if (source.bytes >= targetBytes) {
      yield source;
      continue;
    }
    waiting.push(source);
    waitingBytes += source.bytes;
    if (waitingBytes < targetBytes && waiting.length < maxSources) continue;
    yield* waiting;
    waiting = [];
    waitingBytes = 0;
  }
  if (finished) yield* waiting;
}
