/** The document of a page that a session has fetched. */
import { causeText } from '../../../shared/core/causes/cause-text.ts';
import { isPageStatus } from '../../../shared/core/outcome/page-status.ts';
import type { CapturedPage } from '../../../shared/engines/local/pages/captured-page.ts';
import type { Visit } from '../../../shared/engines/local/pages/kept-visits.ts';
import { type DocumentRow, documentRow } from '../../../shared/services/outputs/document-row.ts';
import { documentOf, isDocumentType } from '../../../shared/services/outputs/page-document.ts';
import { MAX_PAGE_BYTES } from '../../../shared/services/outputs/read-documents.ts';
import { PageNotRead } from '../page-not-read.ts';

/** As a crawl's documents, without a place in an archive. Throws {@link PageNotRead} if the page has no text. */
export async function makeDocument(asked: string, visit: Visit, obeyNoindex: boolean): Promise<DocumentRow> {
  const { state, page, reason } = visit;
  const fail = (why: string) => new PageNotRead(`${asked} was not read: ${why}`);
  if (page === undefined || state !== 'fetched' || !isPageStatus(page.response.httpStatus))
    throw fail(reason ?? state);
  const { mimeType, robots, usage } = page.facts;
  if (obeyNoindex && robots.noindex) throw fail(causeText({ code: 'noindex' }));
  if (!page.content && !isDocumentType(mimeType))
    throw fail(`its type is ${mimeType ?? 'unknown'}, which has no text for Strand`);
  if (page.body.length > MAX_PAGE_BYTES) throw fail(`it has more than ${MAX_PAGE_BYTES / 2 ** 20} MB`);
  const modules = page.content && { reads: () => true, read: async () => page.content! };
  const document = await documentOf(page.url, archivedForm(page), MAX_PAGE_BYTES, { modules });
  if (document === undefined) throw fail(reason ?? 'scripts make its text');
  const { depth, via, sha1 } = page;
  const { location: _, ...row } = documentRow(
    document,
    {
      depth,
      ...(via !== undefined && { via }),
      result: { fetchedAt: page.response.startedAt, digest: sha1 },
    },
    usage,
  );
  return row;
}

const archivedForm = ({ response, body }: CapturedPage) => ({
  date: new Date(response.startedAt).toISOString(),
  headers: response.headers,
  body,
});
