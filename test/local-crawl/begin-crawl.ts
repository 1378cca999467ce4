import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import {
  beginCrawl as begin,
  type LocalSession,
  type SessionOptions,
} from '../../shared/engines/local/session/session.ts';
import { planCrawl } from '../../shared/services/begin/plan-crawl.ts';

/** Begins a crawl with a contact. */
export const beginCrawl = (
  folder: string,
  seeds: readonly string[],
  options: CrawlOptions,
  session: SessionOptions,
): Promise<LocalSession> =>
  begin(folder, planCrawl({ seeds, options: { contact: 'me@example.org', ...options } }), session);
