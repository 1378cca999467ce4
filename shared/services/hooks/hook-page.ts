import { combineUsage } from '../../core/usage/usage-statement.ts';
import type { HookedPage } from '../../crawler/turn/page-hooks.ts';
import type { Page, PageLink } from '../project/project.ts';
import type { PageContent } from './page-content.ts';

/**
 * The page as a project's hooks see it. Copies are made of what the crawl continues with: a hook may change
 * its own.
 */
export const createHookPage = (page: HookedPage, content: PageContent): Page => new HookPage(page, content);

/** A class for the reason that `core/content/extract.ts` gives. */
class HookPage implements Page {
  readonly url: string;
  readonly depth: number;
  readonly response: Page['response'];
  readonly #facts: HookedPage['facts'];
  readonly #content: PageContent;
  #links: PageLink[] | undefined;

  constructor(page: HookedPage, content: PageContent) {
    const { url, depth, facts, response } = page;
    const { httpStatus, statusText, headers, startedAt, endedAt, ipAddress, truncated } = response;
    this.url = url;
    this.depth = depth;
    this.response = {
      httpStatus,
      statusText,
      headers: headers.map(([name, value]) => [name, value] as const),
      startedAt,
      endedAt,
      ipAddress,
      ...(facts.mimeType !== undefined && { contentType: facts.mimeType }),
      ...(truncated !== undefined && { truncated }),
    };
    this.#facts = facts;
    this.#content = content;
    Object.assign(this, givenOf(page));
  }

  get links(): PageLink[] {
    this.#links ??= this.#facts.links.map(({ url, kind, nofollow }) =>
      nofollow ? { url, kind, nofollow } : { url, kind },
    );
    return this.#links;
  }

  get body() {
    return this.#content.body;
  }

  get html() {
    return this.#content.html;
  }

  get text() {
    return this.#content.text;
  }

  get mainText() {
    return this.#content.main.text;
  }

  get markdown() {
    return this.#content.main.markdown;
  }

  get metadata() {
    return this.#content.main.metadata;
  }

  get language() {
    return this.#content.language;
  }

  get $() {
    return this.#content.$;
  }
}

/** The properties that some pages lack. */
function givenOf({ via, duplicateOf, request = {}, facts }: HookedPage): Partial<Page> {
  const { title, usage } = facts;
  return {
    ...(via !== undefined && { via }),
    ...(duplicateOf !== undefined && { duplicateOf }),
    ...(request.label !== undefined && { label: request.label }),
    ...(request.data !== undefined && { data: request.data }),
    ...(title !== undefined && { title }),
    ...(usage && {
      usage: { preferences: combineUsage(usage), statements: usage.map((one) => ({ ...one })) },
    }),
  };
}
