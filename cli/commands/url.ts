import { lookUpUrl } from '../../shared/report/look-up-url.ts';
import { urlDetail } from '../../shared/report/url-detail.ts';
import { canonicalize } from '../../shared/url/canonical.ts';
import { createUrlRules } from '../../shared/url/url-rules.ts';
import type { LocalCommandOf } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { exitCodes } from '../exit-codes.ts';
import { urlText } from '../export-rows.ts';
import { openCrawl } from './open-crawl.ts';
import { seedDetail } from './seed-detail.ts';

/** `strand url DIR URL`: all that the crawl knows of a URL. */
export async function url(command: LocalCommandOf<'url'>): Promise<number> {
  const { reader, crawl, record: kept } = await openCrawl(command.dir);
  try {
    const asked = canonicalize(command.url) ?? command.url;
    const { urlRules } = parseCrawlConfig(kept.config);
    const { host, record, head } = await lookUpUrl(reader.ledgers, crawl, asked, urlRules);
    const seed = record ? undefined : reader.findSeed(host, [asked, createUrlRules(urlRules)(asked)]);
    const detail = record ? urlDetail(record, head) : seed && seedDetail(seed);
    if (!detail) {
      process.stderr.write(`strand: the crawl in ${command.dir} does not know ${asked}\n`);
      return exitCodes.usage;
    }
    process.stdout.write(
      `${command.json ? JSON.stringify(detail) : urlText(detail, { dir: command.dir })}\n`,
    );
    return exitCodes.finished;
  } finally {
    reader.close();
  }
}
