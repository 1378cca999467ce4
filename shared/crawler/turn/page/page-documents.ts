/** Documents that are read as a whole by a module for their media type, as a turn has them read. */

import { unlessStopped } from '../../../core/base/unless-stopped.ts';
import { boundedText, type Cause } from '../../../core/causes/cause.ts';
import type { UrlRecord } from '../../../core/frontier/url-record.ts';
import type { MediaContent } from '../../../core/media/media-module.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { createLinkSet, type ResolveReference } from '../../../core/parser/link-set.ts';
import type { TurnCounters } from '../counters.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { LaterDocument } from './document-reading.ts';

/** The content of a document, in its page's facts and besides. */
export interface PageDocument {
  /** With the document's links and title. */
  readonly facts: DocumentFacts;
  readonly content?: MediaContent;
  /** Why it was not read, or not to its end. */
  readonly cause?: Cause;
}

/** A document that waited for others comes again after this time. */
const LATER_MS = 30_000;

export interface PageDocumentsOptions {
  readonly crawl: TurnCrawl;
  readonly counters: TurnCounters;
}

/** Has the documents of a turn read, and counts those that cannot be. Without modules it does nothing. */
export class PageDocuments {
  readonly #services: Pick<TurnServices, 'documents' | 'work' | 'stopping' | 'engine'>;
  readonly #options: PageDocumentsOptions;

  constructor(
    services: Pick<TurnServices, 'documents' | 'work' | 'stopping' | 'engine'>,
    options: PageDocumentsOptions,
  ) {
    this.#services = services;
    this.#options = options;
  }

  /** Whether a module reads the page. */
  reads({ kind }: UrlRecord, { body }: FetchedResponse, { mimeType }: DocumentFacts): boolean {
    const isRead = this.#options.crawl.config.readDocuments && kind === undefined && body.size > 0;
    return isRead && mimeType !== undefined && this.#services.documents?.reads(mimeType) === true;
  }

  /**
   * `facts`: the parser's results. Resolves to `facts` if the page has no module; to undefined if the worker is being
   * stopped and the document is not read: then the page waits for the next session. To wait for other documents costs
   * no attempt; at the last attempt the text read so far is kept.
   */
  async read(
    record: UrlRecord,
    response: FetchedResponse,
    facts: DocumentFacts,
    resolve: ResolveReference,
  ): Promise<PageDocument | LaterDocument | undefined> {
    const { documents, work, stopping, engine } = this.#services;
    const { id, config } = this.#options.crawl;
    const { mimeType: mediaType } = facts;
    if (mediaType === undefined || documents === undefined || !this.reads(record, response, facts))
      return { facts };
    const { url } = record;
    const around = <T>(part: () => T) => work.run(id, url, 'hook', part);
    const crawl = { id, config };
    const reading = documents.read({ crawl, url, mediaType, response, facts, around });
    const answer = await unlessStopped(reading, stopping, engine.clock);
    if (answer === undefined) return undefined;
    const isAttempt = answer.wasBusy === 'reading';
    if (answer.wasBusy && !(isAttempt && record.attempts + 1 >= config.maxAttempts)) {
      const detail = 'fault' in answer ? answer.fault : (answer.content.cut ?? '');
      return { retryMs: LATER_MS, isAttempt, cause: { code: 'documentUnread', detail: boundedText(detail) } };
    }
    if ('fault' in answer) return { facts, cause: this.#unread(answer.fault) };
    const { content } = answer;
    const found = withLinks(facts, content, { url, maxLinks: config.maxLinksPerPage, resolve });
    if (content.cut === undefined) return { facts: found, content };
    this.#options.counters.count('hints', 'cutDocument');
    return { facts: found, content, cause: { code: 'documentCut', detail: boundedText(content.cut) } };
  }

  #unread(fault: string): Cause {
    this.#options.counters.count('hints', 'unreadDocument');
    return { code: 'documentUnread', detail: boundedText(fault) };
  }
}

/** The facts with the title and the links of a document, which come behind those that the parser has found. */
export function withLinks(
  facts: DocumentFacts,
  { links, metadata }: Pick<MediaContent, 'links' | 'metadata'>,
  {
    url,
    maxLinks,
    resolve,
  }: { readonly url: string; readonly maxLinks: number; readonly resolve?: ResolveReference },
): DocumentFacts {
  const set = createLinkSet(maxLinks);
  for (const reference of links) set.add(reference, 'a', false);
  const { urlOf: _, ...found } = set.resolved(url, resolve);
  const known = new Set(facts.links.map((link) => link.url));
  const title = metadata.title ?? facts.title;
  const hashRoutes = new Set([...(facts.hashRoutes ?? []), ...(found.hashRoutes ?? [])]);
  return {
    ...facts,
    ...found,
    ...(hashRoutes.size > 0 && { hashRoutes: [...hashRoutes] }),
    links: [...facts.links, ...found.links.filter((link) => !known.has(link.url))],
    droppedLinks: facts.droppedLinks + found.droppedLinks,
    ...(title !== undefined && { title }),
  };
}
