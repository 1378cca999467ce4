/** A project's middleware around the extraction of a page's title and links. */

import type { DocumentFacts } from '../../core/parser/document.ts';
import { MAX_TITLE_CHARS } from '../../core/parser/html-link-collector.ts';
import type { HtmlLink, LinkKind } from '../../core/parser/link-set.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import type { Extraction, ExtractionMiddleware, Page, PageLink } from '../project/project.ts';

/**
 * Returns the extraction of the outermost of `layers`. Throws an error of a layer, and if a layer returns no
 * extraction. `page` has the page's own title and links, which the innermost `next` resolves to.
 */
export function runExtraction(page: Page, layers: readonly ExtractionMiddleware[]): Promise<Extraction> {
  const own = async (): Promise<Extraction> => ({ title: page.title, links: page.links });
  const outermost = layers.reduceRight<() => Promise<Extraction>>(
    (next, layer) => async () => checked(await layer(page, next)),
    own,
  );
  return outermost();
}

/** Code that no type checker has seen may give anything. */
function checked(given: Extraction | undefined): Extraction {
  if (!Array.isArray(given?.links))
    throw new Error('Expected the extraction to be an object { title, links } with an array of links');
  if (given.title !== undefined && typeof given.title !== 'string')
    throw new Error(`Expected the title to be a string, got ${typeof given.title}`);
  return given;
}

/**
 * `facts` with the title and the links of `given`: each URL canonical and once, `maxLinks` at most. Links that are not
 * absolute http(s) URLs, too long, or of an unknown kind are left out, and `error` names them.
 */
export function withExtraction(
  facts: DocumentFacts,
  given: Extraction,
  maxLinks: number,
): { readonly facts: DocumentFacts; readonly error?: string } {
  const known = new Map(facts.links.map((link) => [link.url, link]));
  const links = new Map<string, HtmlLink>();
  let droppedLinks = facts.droppedLinks;
  let bad = 0;
  let firstBad: unknown;
  for (const link of given.links) {
    const url = urlOf(link);
    if (url === undefined) {
      if (bad++ === 0) firstBad = link;
    } else if (links.has(url)) {
      // All links to a URL must say `nofollow`, or it is followed.
      if (!link.nofollow) links.set(url, { ...links.get(url)!, nofollow: undefined });
    } else if (links.size < maxLinks) {
      links.set(url, toLink(url, link, known.get(url)));
    } else {
      droppedLinks++;
    }
  }
  const title = given.title?.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_CHARS);
  const dropCause = droppedLinks > facts.droppedLinks ? `more than ${maxLinks} links` : facts.dropCause;
  return {
    facts: {
      ...facts,
      links: [...links.values()],
      droppedLinks,
      ...(dropCause !== undefined && { dropCause }),
      title: title || undefined,
    },
    ...(bad > 0 && {
      error: `${bad} of ${given.links.length} links are not { url: an absolute http(s) URL, kind }: ${shown(firstBad)}`,
    }),
  };
}

/**
 * Keeps facts of a link that the page's own extraction found: its position in a sitemap, and whether it is a requisite.
 */
function toLink(url: string, { kind, nofollow }: PageLink, own: HtmlLink | undefined): HtmlLink {
  return {
    url,
    kind,
    ...(nofollow === true && { nofollow }),
    ...(own?.requisite !== undefined && { requisite: own.requisite }),
    ...(own?.priority !== undefined && { priority: own.priority }),
    ...(own?.modifiedAt !== undefined && { modifiedAt: own.modifiedAt }),
  };
}

function urlOf(link: unknown): string | undefined {
  const { url, kind } = (link ?? {}) as Partial<Record<keyof PageLink, unknown>>;
  if (typeof url !== 'string' || url.length > MAX_URL_CHARS || !KINDS.has(kind as LinkKind)) return undefined;
  const canonical = canonicalize(url);
  return canonical !== undefined && canonical.length <= MAX_URL_CHARS ? canonical : undefined;
}

/** As much as the parser takes of a reference, for the same reason (`parser/link-set.ts`). */
const MAX_URL_CHARS = 16_000;

function shown(link: unknown): string {
  try {
    return String(JSON.stringify(link)).slice(0, 200);
  } catch {
    return typeof link;
  }
}

const KINDS: ReadonlySet<LinkKind> = new Set(
  Object.keys({
    a: 0,
    area: 0,
    frame: 0,
    refresh: 0,
    link: 0,
    feed: 0,
    item: 0,
    url: 0,
    sitemap: 0,
    img: 0,
    style: 0,
    script: 0,
    media: 0,
    css: 0,
    font: 0,
  } satisfies Record<LinkKind, 0>) as LinkKind[],
);
