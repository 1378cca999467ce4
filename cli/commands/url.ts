import { openCrawl } from '../../api/open-crawl.ts';
import { canonicalize } from '../../shared/core/url/canonical.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { urlText } from '../export-rows.ts';

/** `strand url DIR URL`: all that the crawl knows of a URL. */
export async function url({ dir, url, json }: LocalCommandOf<'url'>): Promise<number> {
  await using crawl = await openCrawl(dir);
  const detail = await crawl.url(url);
  if (!detail) {
    process.stderr.write(`strand: the crawl in ${dir} does not know ${canonicalize(url) ?? url}\n`);
    return exitCodes.usage;
  }
  process.stdout.write(`${json ? JSON.stringify(detail) : urlText(detail, { dir })}\n`);
  return exitCodes.finished;
}
