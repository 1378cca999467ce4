/** Reads the documents of a crawl: by the modules of the project, and by the included ones in a thread of their own. */

import { isWholeType } from '../../core/parser/whole-types.ts';
import { createDocumentThreads, type DocumentThreads } from '../../crawler/media-thread/document-threads.ts';
import { DOCUMENT_TIMES, type DocumentTimes } from '../../crawler/media-thread/document-times.ts';
import type { DocumentReading } from '../../crawler/turn/page/document-reading.ts';
import { moduleFor, type ProjectModules, readByModule } from './project-modules.ts';

export interface DocumentReadingOptions {
  /** The modules of the project, which run in this thread. */
  readonly project?: ProjectModules;
  /** For a document that an included module reads. @default {@link DOCUMENT_TIMES} */
  readonly times?: DocumentTimes;
  /** MiB of memory that a document may take (`DocumentThreadsOptions`). */
  readonly memoryMb?: number;
}

export interface OpenDocumentReading extends DocumentReading {
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Threads start when they are needed. */
export function createDocumentReading({
  times = DOCUMENT_TIMES,
  memoryMb,
  project,
}: DocumentReadingOptions = {}): OpenDocumentReading {
  const threads: DocumentThreads = createDocumentThreads({
    times,
    ...(memoryMb !== undefined && { memoryMb }),
  });
  const limitMs = times.waitMs + times.wallMs;
  return {
    reads: (mediaType) => moduleFor(project, mediaType) !== undefined || isWholeType(mediaType),
    limitMs: ({ hookTimeoutMs }) => (project?.modules.length ? Math.max(limitMs, hookTimeoutMs) : limitMs),
    read(document) {
      const { crawl, url, mediaType, response } = document;
      const module = moduleFor(project, mediaType);
      if (module) return readByModule(module, document, project as ProjectModules);
      const contentEncoding = response.headers
        .filter(([name]) => name.toLowerCase() === 'content-encoding')
        .map(([, value]) => value)
        .join(', ');
      const maxBytes = crawl.config.maxDecodedBytes;
      return threads.read({ url, mediaType, contentEncoding, maxBytes }, () => response.body.bytes());
    },
    close: threads.close,
  };
}
