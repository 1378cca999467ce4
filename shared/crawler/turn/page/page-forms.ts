import type { Cause } from '../../../core/causes/cause.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { isRoute } from '../../../core/url/hash-route.ts';
import type { FetchedPage } from '../fetched-page.ts';
import type { RenderedPage, TurnRendering, UnrenderedPage } from '../render/turn-rendering.ts';
import type { LaterDocument } from './document-reading.ts';
import type { PageDocuments } from './page-documents.ts';
import { createPageResolver } from './page-parser.ts';
import type { PageReading } from './page-reader.ts';

/** A response in the form in which it is read, with what its status and this form say. */
export interface PageForm {
  readonly fetched: FetchedPage;
  readonly page: PageReading;
  /** Its exchanges are to be released, whatever becomes of the page. */
  readonly rendered?: RenderedPage;
}

export interface PageFormsOptions {
  readonly documents: Pick<PageDocuments, 'reads' | 'read'>;
  readonly rendering: Pick<TurnRendering, 'wantsSigns' | 'render'> | undefined;
}

/** Undefined if the worker is being stopped, and the form is not made. */
export type PageFormAnswer = PageForm | LaterDocument | undefined;

/**
 * Returns the form in which a response is read: as its site sent it, as a document that is read as a whole, or
 * rendered. Redirects, pages that are gone and those with nothing parsed are read as they were sent. `unrendered` makes
 * what the rendering needs to know.
 */
export function formOf(
  { documents, rendering }: PageFormsOptions,
  fetched: FetchedPage,
  page: PageReading,
  unrendered: (facts: DocumentFacts) => UnrenderedPage,
): PageFormAnswer | Promise<PageFormAnswer> {
  const { record, response } = fetched;
  const { facts, state } = page;
  if (facts === undefined || state !== 'fetched') return { fetched, page };
  if (!isRoute(record.url) && documents.reads(record, response, facts))
    return wholeDocument(documents, fetched, page, facts);
  if (!rendering?.wantsSigns(record)) return { fetched, page };
  return renderedPage(rendering, fetched, page, unrendered(facts));
}

async function wholeDocument(
  documents: PageFormsOptions['documents'],
  fetched: FetchedPage,
  page: PageReading,
  found: DocumentFacts,
): Promise<PageFormAnswer> {
  const document = await documents.read(fetched.record, fetched.response, found, createPageResolver());
  if (document === undefined || 'retryMs' in document) return document;
  const { content, facts, cause } = document;
  return { fetched: { ...fetched, content }, page: { ...page, facts, cause: page.cause ?? cause } };
}

async function renderedPage(
  rendering: Pick<TurnRendering, 'render'>,
  fetched: FetchedPage,
  page: PageReading,
  unrendered: UnrenderedPage,
): Promise<PageFormAnswer> {
  const rendered = await rendering.render(unrendered);
  if (rendered === undefined || 'retryMs' in rendered) return rendered;
  const { view, facts, cause } = rendered;
  if (view === undefined && isRoute(fetched.record.url)) {
    await rendered.parts?.release();
    return unshownRoute(fetched, cause);
  }
  return {
    fetched: { ...fetched, response: view ?? fetched.response },
    page: { ...page, facts, cause: page.cause ?? cause },
    rendered,
  };
}

const NOT_SHOWN: Cause = { code: 'hashRoute' };

/** A route that is not rendered has no form: without it, its page is another URL. */
function unshownRoute({ record, response }: FetchedPage, cause: Cause = NOT_SHOWN): PageForm {
  return {
    fetched: { record, response },
    page: { state: cause.code === 'hashRoute' ? 'skipped' : 'failed', cause },
  };
}
