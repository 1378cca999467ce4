/** Calls the project's hooks for a page, and counts how that went. */

import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { DocumentFacts } from '../parser/document.ts';
import { unlessStopped } from '../unless-stopped.ts';
import type { Crawl } from './crawls.ts';
import { countIn, countOne, type HostState } from './host-state.ts';
import type { PageHooks } from './page-hooks.ts';
import type { Services } from './services.ts';

export interface HookedFacts {
  /** As the project's extraction changed them. */
  readonly facts: DocumentFacts;
  /** What the first hook that failed said. */
  readonly error?: string | undefined;
}

/**
 * Calls the extraction hooks, and `onPage` if `forItems`: its items are put into `state`. Undefined if the worker is being
 * stopped and a hook has not ended: nothing is counted then, and the page is to be fetched again.
 */
export async function callHooks(
  { hooks, work, stopping, engine, onEvent }: Services,
  crawl: Crawl,
  state: HostState,
  { url, depth, via }: UrlRecord,
  {
    response,
    facts: found,
    forItems,
  }: { response: FetchedResponse; facts: DocumentFacts; forItems: boolean },
): Promise<HookedFacts | undefined> {
  if (!hooks) return { facts: found };
  const around = <T>(part: () => T) => work.run(crawl.id, url, 'hook', part);
  const page = { url, depth, via, response, around };
  const call = <T>(hook: () => Promise<T>) =>
    unlessStopped(hook().finally(work.beginHook()), stopping, engine.clock);

  const extracted = await call(() => hooks.extract({ ...page, facts: found }));
  if (extracted === undefined) return undefined;
  const { facts, error } = extracted;
  const called = forItems ? await call(() => hooks.onPage({ ...page, facts })) : NOT_CALLED;
  if (called === undefined) return undefined;

  if (error !== undefined) countOne(state.totals.errors, 'extraction');
  if (called.error !== undefined) countOne(state.totals.errors, 'onPage');
  const isFailed = error !== undefined || called.error !== undefined;
  if (forItems || isFailed) countIn(state, 'hooks', 'pages');
  if (isFailed) countIn(state, 'hooks', 'failed');
  if (called.items.length > 0) countIn(state, 'hooks', 'items', called.items.length);
  for (const line of called.items) {
    state.items.push(line);
    state.itemChars += line.length;
    onEvent?.({ type: 'item', url, line });
  }
  return { facts, error: called.error ?? error };
}

const NOT_CALLED: Awaited<ReturnType<PageHooks['onPage']>> = { items: [] };
