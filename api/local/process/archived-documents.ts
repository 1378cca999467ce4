/** Documents of an archive that are read as a whole, as a turn reads those that it has fetched. */
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../shared/core/parser/document.ts';
import type { ResolveReference } from '../../../shared/core/parser/link-set.ts';
import { PATIENT_DOCUMENT_TIMES } from '../../../shared/crawler/media-thread/document-times.ts';
import { type PageDocument, withLinks } from '../../../shared/crawler/turn/page/page-documents.ts';
import { createDocumentReading } from '../../../shared/services/hooks/document-reading.ts';
import type { ProjectModules } from '../../../shared/services/hooks/project-modules.ts';

/** A document that cannot be read keeps its facts. `project`: its modules are tried first. */
export function createArchivedDocuments(config: CrawlConfig, project?: ProjectModules) {
  const reading = createDocumentReading({ times: PATIENT_DOCUMENT_TIMES, ...(project && { project }) });

  return async (
    url: string,
    response: FetchedResponse,
    facts: DocumentFacts,
    resolve: ResolveReference,
  ): Promise<PageDocument> => {
    const { mimeType: mediaType } = facts;
    if (!config.readDocuments || mediaType === undefined || !reading.reads(mediaType)) return { facts };
    const answer = await reading.read({ crawl: { id: '', config }, url, mediaType, response, facts });
    if ('fault' in answer) return { facts };
    const { content } = answer;
    return { facts: withLinks(facts, content, { url, maxLinks: config.maxLinksPerPage, resolve }), content };
  };
}
