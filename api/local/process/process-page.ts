/** Calls hooks for a page of the archive, as a turn calls them for a page that it has fetched. */
import { PayloadReader, type PayloadSource } from '../../../shared/core/archive/payload-reader.ts';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import type { CrawlConfig } from '../../../shared/core/crawl/config.ts';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../shared/core/outcome/memory-body.ts';
import { ownRequest, pageUrl } from '../../../shared/core/url/request-url.ts';
import { forbiddenUse } from '../../../shared/core/usage/purpose.ts';
import type { HookError } from '../../../shared/crawler/ports/hook-error-log.ts';
import { otherLanguage } from '../../../shared/crawler/turn/page/other-language.ts';
import { type PageWork, UNWATCHED } from '../../../shared/crawler/turn/page/page-work.ts';
import { parseResponse, resolver } from '../../../shared/engines/local/pages/parse-response.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { MAX_BYTES } from '../../../shared/services/exports/archived-payloads.ts';
import type { StateStore } from '../../../shared/services/hooks/crawl-state.ts';
import { createHooks, type ProjectHooks } from '../../../shared/services/hooks/create-hooks.ts';
import { createLanguageReader } from '../../../shared/services/hooks/read-language.ts';
import { createArchivedDocuments } from './archived-documents.ts';
import type { ArchivedPage } from './archived-pages.ts';

/** The result of processing a page. JSON. */
export interface PageOutcome {
  readonly url: string;
  /** Lines of JSON. */
  readonly items: readonly string[];
  readonly requests: number;
  readonly error?: HookError;
  /** It says `noindex`, forbids the use that the crawl is for, or is in another language than the crawl's: no hook was called. */
  readonly isHidden?: boolean;
}

export interface PageProcessorOptions {
  readonly archive: PayloadSource;
  readonly config: CrawlConfig;
  readonly hooks: ProjectHooks;
  /** Values that the hooks keep from page to page. Default: in memory. */
  readonly store?: StateStore;
  /** For a watchdog. Absent: the thread is not watched. */
  readonly work?: PageWork;
  /** Called with what `onError` throws. */
  readonly warn?: (message: string) => void;
}

/**
 * Calls come one after the other. Never rejects for what a hook does, or for a record that cannot be read.
 */
export function createPageProcessor({
  archive,
  config,
  hooks: project,
  store,
  work = UNWATCHED,
  warn,
}: PageProcessorOptions): (page: ArchivedPage) => Promise<PageOutcome> {
  let failure: HookError | undefined;
  const onFailure = (error: HookError) => {
    failure ??= error;
  };
  const payloads = new PayloadReader(archive, 'shown');
  const languageOf = createLanguageReader(config);
  const readDocument = createArchivedDocuments(config, {
    modules: project.modules ?? [],
    clock: systemClock,
    onFailure,
  });
  const hooks = createHooks(project, { config, clock: systemClock, warn, store, onFailure });

  return async (page) => {
    const url = pageUrl(page.url);
    const nothing = { url, items: [], requests: 0 };
    if (!hooks) return nothing;
    if (page.isWithheld) return { ...nothing, isHidden: true };
    failure = undefined;
    try {
      const response = await responseOf(payloads, page);
      const found = await parseResponse(url, response, config);
      const isForbidden = forbiddenUse(config.purpose, found.usage) !== undefined;
      if (isForbidden || (config.obeyNoindex && found.robots.noindex)) return { ...nothing, isHidden: true };
      const { depth, via, duplicateOf } = page;
      const { facts: read, content } = await readDocument(url, response, found, resolver());
      const given = { url, depth, response, facts: read, content };
      if ((await otherLanguage(config, given, languageOf)) !== undefined)
        return { ...nothing, isHidden: true };
      const around = <T>(part: () => T) => work.run('', url, 'hook', part);
      const request = ownRequest(page.url);
      const seen = { url, depth, via, response, content, request, duplicateOf, around };
      const ended = work.beginHook();
      const { facts } = await hooks.extract({ ...seen, facts: read });
      const { items, requests = [] } = await hooks.onPage({ ...seen, facts });
      ended();
      return { url, items, requests: requests.length, ...(failure !== undefined && { error: failure }) };
    } catch (error) {
      return {
        ...nothing,
        error: { source: 'file', url, message: `The record cannot be read: ${messageOf(error)}` },
      };
    }
  };
}

async function responseOf(
  payloads: PayloadReader,
  { location, url }: ArchivedPage,
): Promise<FetchedResponse> {
  const { response, payload } = await payloads.read(location, MAX_BYTES);
  const startedAt = Date.parse(response.date) || 0;
  const truncated = response.truncated as FetchedResponse['truncated'];
  return {
    status: 'response',
    url: pageUrl(url),
    startedAt,
    // The record does not say how long it took.
    endedAt: startedAt,
    httpStatus: response.httpStatus,
    statusText: response.statusText,
    headers: response.headers,
    body: memoryBody(payload.body),
    requestHead: new Uint8Array(),
    ipAddress: response.ipAddress ?? '',
    ...(truncated !== undefined && { truncated }),
  };
}
