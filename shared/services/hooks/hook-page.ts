import { combineUsage } from '../../core/usage/usage-statement.ts';
import type { HookedPage } from '../../crawler/turn/page-hooks.ts';
import type { Page, PageLink } from '../project/project.ts';
import type { PageContent } from './page-content.ts';

/**
 * The page as a project's hooks see it. Copies are made of what the crawl continues with: a hook may change
 * its own.
 */
export function createHookPage(
  { url, depth, via, response, facts, duplicateOf, request = {} }: HookedPage,
  content: PageContent,
): Page {
  const { httpStatus, statusText, headers, startedAt, endedAt, ipAddress, truncated } = response;
  let links: PageLink[] | undefined;
  return {
    url,
    depth,
    ...(via !== undefined && { via }),
    ...(duplicateOf !== undefined && { duplicateOf }),
    ...(request.label !== undefined && { label: request.label }),
    ...(request.data !== undefined && { data: request.data }),
    response: {
      httpStatus,
      statusText,
      headers: headers.map(([name, value]) => [name, value] as const),
      startedAt,
      endedAt,
      ipAddress,
      ...(facts.mimeType !== undefined && { contentType: facts.mimeType }),
      ...(truncated !== undefined && { truncated }),
    },
    ...(facts.title !== undefined && { title: facts.title }),
    ...(facts.usage && {
      usage: { preferences: combineUsage(facts.usage), statements: facts.usage.map((one) => ({ ...one })) },
    }),
    get links() {
      links ??= facts.links.map(({ url, kind, nofollow }) =>
        nofollow ? { url, kind, nofollow } : { url, kind },
      );
      return links;
    },
    get body() {
      return content.body;
    },
    get html() {
      return content.html;
    },
    get text() {
      return content.text;
    },
    get mainText() {
      return content.main.text;
    },
    get markdown() {
      return content.main.markdown;
    },
    get metadata() {
      return content.main.metadata;
    },
    get language() {
      return content.language;
    },
    get $() {
      return content.$;
    },
  };
}
