/** The pages of a crawl's archive for which `onPage` is called. */
import { sha1Label } from '../../../shared/archive/digest.ts';
import type { CrawlId } from '../../../shared/crawl/crawl-id.ts';
import type { RecordPlace, StoredCrawl } from '../../stored-crawl.ts';
import { type RowSource, recordsOf } from '../../url-rows.ts';

/** A page, as it goes to the thread that processes it. */
export interface ArchivedPage {
  /** As the ledger knows it. */
  readonly url: string;
  readonly depth: number;
  readonly via?: string;
  /** The record with its HTTP head; and that with its body, if it is another one. */
  readonly place: RecordPlace;
  readonly bodyPlace?: RecordPlace;
}

/** Every page that was fetched and is no other one's copy, host by host. */
export async function* archivedPages(
  source: RowSource,
  crawl: CrawlId,
  archive: Pick<StoredCrawl, 'captures'>,
): AsyncGenerator<ArchivedPage, void, undefined> {
  const bodyPlaceOf = await findBodies(archive);
  for await (const { host, head } of source.ledgers.hosts(crawl)) {
    for await (const { url, state, kind, depth, via, result } of recordsOf(source, crawl, host, head)) {
      const { location, duplicateOf, digest, httpStatus = 0 } = result ?? {};
      const isPage = state === 'fetched' && kind === undefined && duplicateOf === undefined;
      if (!isPage || !location || httpStatus < 200 || httpStatus > 299) continue;
      const { file, offset } = location;
      const bodyPlace = bodyPlaceOf({ file, offset }, digest && sha1Label(digest));
      yield {
        url,
        depth,
        ...(via !== undefined && { via }),
        place: { file, offset },
        ...(bodyPlace && { bodyPlace }),
      };
    }
  }
}

/** Finds the body that a revisit record refers to. Holds only what it needs of revisits. */
export async function findBodies(archive: Pick<StoredCrawl, 'captures'>) {
  const revisits = new Set<string>();
  const wanted = new Set<string>();
  for await (const { mime, file, offset, digest } of archive.captures()) {
    if (mime !== 'warc/revisit' || digest === undefined) continue;
    revisits.add(`${file} ${offset}`);
    wanted.add(digest);
  }
  const bodies = new Map<string, RecordPlace>();
  if (wanted.size > 0)
    for await (const { mime, file, offset, digest } of archive.captures())
      if (mime !== 'warc/revisit' && digest !== undefined && wanted.has(digest))
        bodies.set(digest, { file, offset });
  return ({ file, offset }: RecordPlace, digest: string | undefined): RecordPlace | undefined =>
    revisits.has(`${file} ${offset}`) ? bodies.get(digest ?? '') : undefined;
}
