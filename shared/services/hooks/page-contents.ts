/**
 * The contents of responses: all that reads a page's language, or gives the page to hooks, has the same one. So a page is
 * decoded once, parsed once, and its main content is chosen once.
 */
import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import type { HookedPage } from '../../crawler/turn/page-hooks.ts';
import type { PageContent } from './page-content.ts';

/** A larger body is in a file, and in memory only while hooks run. */
export const LARGE_BODY_BYTES = 1024 * 1024;

/** Freed with their responses. */
const contents = new WeakMap<FetchedResponse, PageContent>();

/** Rejects if the body cannot be read. */
export async function contentOf(
  { url, response, facts, content: read }: HookedPage,
  maxDecodedBytes: number,
): Promise<PageContent> {
  const known = contents.get(response);
  if (known !== undefined) return known;
  // Loaded by crawls that use it.
  const { createPageContent } = await import('./page-content.ts');
  const body = await response.body.bytes();
  const content = createPageContent(body, response, { url, ...facts, read }, maxDecodedBytes);
  contents.set(response, content);
  return content;
}

/** To be called when a page was used: the content of a large one is not kept. */
export function forgetLarge({ response }: Pick<HookedPage, 'response'>): void {
  if (response.body.size > LARGE_BODY_BYTES) contents.delete(response);
}
