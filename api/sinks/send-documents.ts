/** Brings a destination up to the documents of a crawl, in a folder or on a stack. */
import { dirname } from 'node:path';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import type { DocumentSink, SinkChange } from '../../shared/services/outputs/sink/sink.ts';
import type { SendOptions, SentDocumentCounts, StoredCrawl } from '../stored-crawl.ts';
import { openSink } from './open-sink.ts';
import { openSentDocuments, type SentDocuments } from './sent-documents.ts';

/** A crawl whose documents are sent. */
export interface SentCrawl extends Pick<StoredCrawl, 'name' | 'documents' | 'url'> {
  /** The file that says what each destination has. */
  readonly sent: string;
}

/** Changes that are sent and noted together, up to this many characters of text. */
const BATCH = 500;
const BATCH_CHARS = 4_000_000;

/**
 * See `StoredCrawl.sendDocuments`. What was sent is noted after the destination has it, so that an interrupted run sends at
 * most one batch again.
 */
export async function sendDocuments(
  crawl: SentCrawl,
  to: string,
  {
    secrets,
    skip = () => {},
    onSent = () => {},
    sink: given,
  }: SendOptions & { readonly sink?: DocumentSink } = {},
): Promise<SentDocumentCounts> {
  const sink = given ?? (await openSink(to, crawl.name, secrets));
  makeFolders(dirname(crawl.sent));
  const sent = openSentDocuments(crawl.sent, to);
  if (sink.isEmpty) sent.clear();
  const counts = { sent: 0, deleted: 0, refused: 0, skipped: 0 };

  async function flush(changes: readonly SinkChange[]): Promise<void> {
    const refused = await sink.write(changes);
    const left = new Set(refused.map(({ url }) => url));
    for (const { url, reason } of refused) skip(url, reason);
    counts.refused += left.size;
    const put = changes.flatMap((change) => (change.kind === 'put' ? [change] : []));
    const gone = changes.flatMap((change) => (change.kind === 'delete' ? [change.url] : []));
    const taken = put.filter(({ document }) => !left.has(document.url));
    sent.add(taken.map(({ document: { url, location }, version }) => ({ url, location, version })));
    // An older version may be there: it stays until a later run replaces or deletes it.
    for (const url of left) sent.keep(url);
    const deleted = gone.filter((url) => !left.has(url));
    sent.remove(deleted);
    counts.sent += taken.length;
    counts.deleted += deleted.length;
    onSent(counts.sent);
  }

  async function* changes(): AsyncGenerator<SinkChange> {
    const noDocument = (url: string, reason: string) => {
      counts.skipped++;
      sent.keep(url);
      skip(url, reason);
    };
    const isWanted = (page: Parameters<SentDocuments['has']>[0]) => !sent.has(page);
    for await (const document of crawl.documents({ skip: noDocument, isWanted }))
      yield { kind: 'put', version: Date.parse(document.fetchedAt), document };
  }

  /** All that remain were sent once, and are not documents any more. */
  async function* deletions(): AsyncGenerator<SinkChange> {
    for (const { url, version } of sent.others()) {
      const now = await crawl.url(url);
      if (isPassing(now?.status)) continue;
      yield { kind: 'delete', url, version: Math.max(version, Date.parse(now?.fetchedAt ?? '') || 0) };
    }
  }

  try {
    for await (const batch of batches(changes())) await flush(batch);
    for await (const batch of batches(deletions())) await flush(batch);
    return counts;
  } finally {
    sent.close();
    await sink.close();
  }
}

/** A page that cannot be fetched just now, or waits to be, stays. */
const isPassing = (status: string | undefined): boolean => status === 'failed' || status === 'waiting';

async function* batches(changes: AsyncIterable<SinkChange>): AsyncGenerator<readonly SinkChange[]> {
  let batch: SinkChange[] = [];
  let chars = 0;
  for await (const change of changes) {
    batch.push(change);
    if (change.kind === 'put') chars += change.document.text.length + change.document.markdown.length;
    if (batch.length < BATCH && chars < BATCH_CHARS) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}
