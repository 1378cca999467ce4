import type { SitePage, SitePageRequest } from '../shared/services/control/control.ts';
import type { SiteFilter } from '../shared/services/report/site-entries.ts';
import { type RowStream, writerTo } from './export/row-stream.ts';
import { siteLine, sitesHead } from './site-text.ts';

const PAGE = 1000;

interface SiteQuestion {
  readonly sites?: SiteFilter | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly json: boolean;
}

/** Writes the sites that are wanted: all pages of them, unless a limit is given. `pageOf` reads a page. */
export async function writeSites(
  pageOf: (page: SitePageRequest) => Promise<SitePage>,
  { sites: filter, cursor, limit, json }: SiteQuestion,
  out: RowStream,
): Promise<void> {
  const write = writerTo(out);
  let page = await pageOf({ ...filter, cursor, limit: Math.min(limit ?? PAGE, PAGE) });
  const found = [...page.sites];
  while (page.cursor !== undefined && found.length < (limit ?? Infinity)) {
    page = await pageOf({
      ...filter,
      cursor: page.cursor,
      limit: Math.min(PAGE, (limit ?? Infinity) - found.length),
    });
    found.push(...page.sites);
  }
  if (json) {
    const next = page.cursor === undefined ? {} : { cursor: page.cursor };
    return write(`${JSON.stringify({ counts: page.counts, sites: found, ...next })}\n`);
  }
  await write(`${sitesHead(page.counts, filter)}\n`);
  const widest = Math.max(4, ...found.map(({ host }) => Math.min(host.length, 60)));
  for (const entry of found) await write(`${siteLine(entry, widest)}\n`);
  if (page.cursor !== undefined) await write(`More: --cursor ${page.cursor}\n`);
}
