import type { DocumentReading } from '../shared/crawler/turn/page/document-reading.ts';
import { NeedsLargerWorker } from '../shared/crawler/worker/needs-larger-worker.ts';

/** The share of its memory that a small worker has for the objects of a document, in the thread that reads it. */
const DOCUMENT_SHARE = 1 / 8;

/** MiB that a document may take in a function of this memory, whose other hosts go on beside it. */
export const smallDocumentMb = (memoryMb: number): number => Math.floor(DOCUMENT_SHARE * memoryMb);

/**
 * The reading of documents in a small worker: one that is not read, or not to its end, for want of time or memory is left
 * to a full-size worker, by a {@link NeedsLargerWorker}. So what a crawl finds does not depend on which worker it was.
 */
export const smallDocuments = (documents: DocumentReading): DocumentReading => ({
  ...documents,
  async read(document) {
    const answer = await documents.read(document);
    const limit = 'fault' in answer ? answer.isLimit && answer.fault : answer.content.cut;
    if (limit) throw new NeedsLargerWorker(`${document.url}: ${limit}`);
    return answer;
  },
});
