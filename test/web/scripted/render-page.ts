/** Draws pages of the site by the renderer, with the crawler's own fetcher for their requests. */
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import { createFetcher } from '../../../shared/crawler/fetcher/fetcher.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import type {
  FetchPart,
  PartRefusal,
  Renderer,
  Rendering,
  RenderJob,
} from '../../../shared/crawler/ports/renderer.ts';
import { behaviourSource } from '../../../shared/services/project/behaviour-source.ts';
import { OTHER_HOST, type ScriptedPage } from './scripted-page.ts';
import { CRAWLERS_HEADER, HOST, type KnownSite } from './site.ts';

export interface PartFetcher {
  readonly fetchPart: FetchPart;
  readonly close: () => Promise<void>;
}

/** Fetches from the two hosts of the site, and refuses all others. Bodies that do not end are cut. */
export function createPartFetcher(): PartFetcher {
  const [whole, streams] = [4000, 1000].map(fetcherFor) as [Fetcher, Fetcher];
  return {
    async fetchPart({ url, method, headers, body }): Promise<FetchOutcome | PartRefusal> {
      const { hostname } = new URL(url);
      if (hostname !== HOST && hostname !== OTHER_HOST) return { status: 'refused', reason: 'its address' };
      const fetcher = headers.accept === 'text/event-stream' ? streams : whole;
      return fetcher.fetch({
        url,
        method,
        headers: { ...headers, [CRAWLERS_HEADER]: '1' },
        ...(body !== undefined && { body }),
      });
    },
    close: async () => {
      await Promise.all([whole.close(), streams.close()]);
    },
  };
}

const fetcherFor = (totalTimeoutMs: number): Fetcher =>
  createFetcher({
    userAgent: 'Strand/0.1',
    allowPrivateAddresses: ['127.0.0.0/8'],
    resolve: [],
    allowPorts: [],
    connectTimeoutMs: 5000,
    headersTimeoutMs: 5000,
    idleTimeoutMs: 5000,
    totalTimeoutMs,
    maxBodyBytes: 30_000_000,
    maxHeaderBytes: 100_000,
    perHost: 6,
    clock: { now: () => Date.now() },
    tempFolder: tmpdir(),
  });

export const LIMITS: RenderJob['limits'] = {
  ms: 60_000,
  requests: 60,
  bytes: 15_000_000,
  links: 2000,
  htmlBytes: 10_000_000,
};

/** The page as the crawl would have it: fetched, and decoded. */
export function jobFor(site: KnownSite, page: ScriptedPage, more: Partial<RenderJob> = {}): RenderJob {
  const { status = 200, type = '', headers = {}, body } = site.answerOf(page);
  const fields = Object.entries({ 'Content-Type': type, ...headers }).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one] as const),
  );
  const bytes = page.encoding === 'gzip' ? gunzipSync(body as Buffer) : (body as Buffer);
  return {
    crawl: 'test' as CrawlId,
    url: site.urlOf(page),
    document: { httpStatus: status, headers: fields, body: bytes },
    userAgent: 'Strand/0.1',
    cookies: [],
    limits: LIMITS,
    behaviours: { scroll: false, more: false },
    ...more,
  };
}

/** The paths of the site that a rendering leads to. */
export function pathsOf(site: KnownSite, { html = '', links, navigatedTo }: Rendering): Set<string> {
  const base = /<base href="([^"]*)"/.exec(html)?.[1] ?? `${site.origin}/page/`;
  const hrefs = [...html.matchAll(/<(?:a|iframe)\b[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  const urls = [...hrefs, ...links, ...(navigatedTo === undefined ? [] : [navigatedTo])];
  return new Set(
    urls.flatMap((href) => {
      const url = URL.parse(href, base);
      return url === null ? [] : [url.pathname];
    }),
  );
}

export interface Found {
  readonly rendering: Rendering;
  /** How many of the page's links were found, and those that were not. */
  readonly found: number;
  readonly missing: readonly string[];
}

export async function findLinks(
  renderer: Renderer,
  site: KnownSite,
  page: ScriptedPage,
  { fetchPart, behaves = false }: { readonly fetchPart: FetchPart; readonly behaves?: boolean },
): Promise<Found> {
  const script = behaves ? behaviourSource(page.behave) : undefined;
  const behaviours = { scroll: behaves, more: behaves, ...(script !== undefined && { script }) };
  const rendering = await renderer.render(jobFor(site, page, { behaviours }), fetchPart);
  const paths = pathsOf(site, rendering);
  const missing = page.links.filter((url) => !paths.has(url));
  return { rendering, found: page.links.length - missing.length, missing };
}
