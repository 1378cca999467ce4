/** The language of a fetched page, for crawls that want only some. */
import type { CrawlConfig } from '../../core/crawl/config.ts';
import type { ReadLanguage } from '../../crawler/turn/page-hooks.ts';
import { contentOf, forgetLarge } from './page-contents.ts';

/** A larger body, as received, is not read: its page is used whatever its language. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** `fallback`: the settings for pages that come without a crawl. */
export function createLanguageReader(fallback?: Pick<CrawlConfig, 'maxDecodedBytes'>): ReadLanguage {
  return async (page) => {
    const { response, facts, crawl, around = (part) => part() } = page;
    const config = crawl?.config ?? fallback;
    if (config === undefined) return undefined;
    // Loaded by crawls that use it.
    if (page.content) {
      const { pageLanguage } = await import('../outputs/page-language.ts');
      return pageLanguage(page.content.text, page.content.metadata.language);
    }
    if (response.body.size > MAX_BODY_BYTES) return undefined;
    const { isPlainDocument } = await import('../outputs/page-document.ts');
    if (!isPlainDocument(facts.mimeType)) return undefined;
    try {
      const content = await contentOf(page, config.maxDecodedBytes);
      return around(() => content.language);
    } catch {
      // Its body cannot be decoded, or is too large when it is.
      return undefined;
    } finally {
      forgetLarge(page);
    }
  };
}
