import type { CrawlConfig } from '../../../core/crawl/crawl-options.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { createDocumentParser, type DocumentFacts } from '../../../core/parser/document.ts';
import type { ResolveReference } from '../../../core/parser/link-set.ts';
import { robotName } from '../../../core/robots/parse-robots.ts';
import { createResolver } from '../../../core/url/canonical.ts';

/** Parses a response that has come whole, as a turn parses one that arrives. `around`: runs each part, for a watchdog. */
export async function parseResponse(
  url: string,
  response: FetchedResponse,
  config: CrawlConfig,
  around?: <T>(parse: () => T) => T,
): Promise<DocumentFacts> {
  const parser = createDocumentParser({
    url,
    headers: response.headers,
    maxDecodedBytes: config.maxDecodedBytes,
    maxLinks: config.maxLinksPerPage,
    resolve: resolver(),
    wantsRequisites: config.requisites,
    wantsFeeds: config.feeds,
    robotName: robotName(config.userAgent).toLowerCase(),
    ...(around && { around }),
  });
  parser.write(await response.body.bytes());
  return parser.end();
}

/** Resolves references to canonical URLs, with one resolver for each base. */
export function resolver(): ResolveReference {
  let lastBase: string | undefined;
  let resolve = (_: string): string | undefined => undefined;
  return (reference, base) => {
    if (base !== lastBase) resolve = createResolver(base);
    lastBase = base;
    return resolve(reference);
  };
}
