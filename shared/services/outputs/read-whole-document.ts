/** Reads a PDF or Office document of an archive, in a thread that this process has for all of them. */
import { lazy } from '../../core/base/lazy.ts';
import { type MediaContent, UnreadableDocument } from '../../core/media/media-module.ts';
import { createDocumentThreads } from '../../crawler/media-thread/document-threads.ts';
import { PATIENT_DOCUMENT_TIMES } from '../../crawler/media-thread/document-times.ts';
import type { ReadJob } from '../../crawler/media-thread/read-whole.ts';

/** The thread does not keep the process, and ends when it has nothing to do. */
const threads = lazy(() => createDocumentThreads({ times: PATIENT_DOCUMENT_TIMES }));

/** Rejects with the cause if the document cannot be read. */
export async function readWholeDocument(job: Omit<ReadJob, 'body'>, body: Uint8Array): Promise<MediaContent> {
  const answer = await threads().read(job, async () => body);
  if ('fault' in answer) throw new UnreadableDocument(`it cannot be read: ${answer.fault}`);
  return answer.content;
}
