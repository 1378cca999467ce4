/** Reads a PDF or Office document of an archive, in a thread that this process has for all of them. */
import { lazy } from '../lazy.ts';
import { type MediaContent, UnreadableDocument } from '../media/media-module.ts';
import { createDocumentThreads } from '../media-thread/document-threads.ts';
import type { ReadJob } from '../media-thread/read-whole.ts';

/** An export has more time than a crawl. */
const LIMIT_MS = 60_000;

/** The thread does not keep the process, and ends when it has nothing to do. */
const threads = lazy(() => createDocumentThreads({ limitMs: LIMIT_MS }));

/** Rejects with the cause if the document cannot be read. */
export async function readWholeDocument(job: Omit<ReadJob, 'body'>, body: Uint8Array): Promise<MediaContent> {
  const answer = await threads().read(job, async () => body);
  if ('fault' in answer) throw new UnreadableDocument(`it cannot be read: ${answer.fault}`);
  return answer.content;
}
