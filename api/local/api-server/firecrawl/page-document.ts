import { wholeMarkdown } from '../../../../shared/core/content/extract.ts';
import type { PageContext } from '../../../../shared/services/project/project.ts';
import { RequestRefused } from './refused-fields.ts';
import type { Format, ScrapeOptions } from './scrape-options.ts';

/** A page in the shape that Firecrawl's clients read. */
export type FirecrawlDocument = Partial<Record<Exclude<Format, 'links'>, string>> & {
  readonly links?: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** Elements that no reader sees. */
const UNSEEN = 'script, style, noscript, template, iframe, link, meta';
/** Parts of a page around its content. */
const AROUND = 'header, footer, nav, aside, [role=navigation], [role=banner], [role=contentinfo]';

/** Throws {@link RequestRefused} for a selector that cannot be read. */
export function firecrawlDocument(
  page: PageContext,
  sourceURL: string,
  options: ScrapeOptions,
): FirecrawlDocument {
  const { formats } = options;
  const isHtml = /html/.test(page.response.contentType ?? '');
  const html =
    isHtml && (formats.includes('html') || isSelected(options)) ? selectedHtml(page, options) : page.html;
  const made: Record<Format, () => unknown> = {
    markdown: () => (isHtml && isSelected(options) ? wholeMarkdown(html, page.url) : page.markdown),
    html: () => html,
    rawHtml: () => page.html,
    links: () => page.links.map(({ url }) => url),
  };
  return {
    ...Object.fromEntries(formats.map((format) => [format, made[format]()])),
    metadata: metadataOf(page, sourceURL),
  };
}

/** Whether the main content is not what was asked for. */
const isSelected = ({ onlyMainContent, includeTags, excludeTags }: ScrapeOptions): boolean =>
  !onlyMainContent || includeTags.length > 0 || excludeTags.length > 0;

function selectedHtml({ $, html }: PageContext, options: ScrapeOptions): string {
  const { onlyMainContent, includeTags, excludeTags } = options;
  const copy = $.load(html);
  copy(UNSEEN).remove();
  if (onlyMainContent) copy(AROUND).remove();
  for (const selector of excludeTags) found('excludeTags', selector, () => copy(selector)).remove();
  if (includeTags.length === 0) return copy.html();
  return includeTags
    .flatMap((selector) => found('includeTags', selector, () => copy(selector)).toArray())
    .map((element) => copy.html(element))
    .join('\n');
}

function found<T>(field: string, selector: string, select: () => T): T {
  try {
    return select();
  } catch (cause) {
    const { message } = cause as Error;
    throw new RequestRefused(
      field,
      `Expected ${field} to have selectors, got ${selector.slice(0, 100)}: ${message}`,
    );
  }
}

function metadataOf(page: PageContext, sourceURL: string): Readonly<Record<string, unknown>> {
  const { title, description, published, modified, siteName, image, pages, author } = page.metadata;
  const metadata = {
    title: title ?? page.title,
    description,
    language: page.language,
    author,
    publishedTime: published,
    modifiedTime: modified,
    ogSiteName: siteName,
    ogImage: image,
    numPages: pages,
    sourceURL,
    url: page.url,
    statusCode: page.response.httpStatus,
    contentType: page.response.contentType,
    cachedAt: new Date(page.response.endedAt).toISOString(),
  };
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined));
}
