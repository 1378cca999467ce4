import type { CrawlConfig } from '../../../core/crawl/config.ts';
import { primaryLanguage } from '../../../core/text/primary-language.ts';
import type { HookedPage, ReadLanguage } from '../page-hooks.ts';

/**
 * Resolves to the language of a page if it is none of the crawl's. Undefined: the crawl wants it, or its language is
 * unknown.
 */
export async function otherLanguage(
  { languages }: Pick<CrawlConfig, 'languages'>,
  page: HookedPage,
  read: ReadLanguage | undefined,
): Promise<string | undefined> {
  if (languages === undefined) return undefined;
  if (read === undefined) throw new Error('Expected a worker that can read languages');
  const language = await read(page);
  const isWanted = language === undefined || languages.some((tag) => primaryLanguage(tag) === language);
  return isWanted ? undefined : language;
}
