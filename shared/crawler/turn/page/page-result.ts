import type { FetchResult, UrlRecord } from '../../../core/frontier/url-record.ts';
import type { Verdict } from '../../../core/frontier/verdict.ts';
import { type FetchedResponse, sentRequest } from '../../../core/outcome/fetch-outcome.ts';
import type { DocumentFacts } from '../../../core/parser/document.ts';
import { headersOf } from '../response-headers.ts';
import type { ArchivedExchange } from '../turn-output.ts';
import type { PageReading } from './page-reader.ts';

const MAX_TYPE_CHARS = 100;

/** A URL whose visit is at its end: its response was read, and archived if it is the last one. */
export interface FinishedPage {
  readonly startedAt: number;
  readonly response: FetchedResponse | undefined;
  readonly verdict: Verdict;
  readonly page: PageReading;
  readonly archived: ArchivedExchange | undefined;
}

/** Returns the result of the visit for the ledger. `before`: the record so far. */
export function resultOf(finished: FinishedPage, before: Pick<UrlRecord, 'result'>): FetchResult {
  const { startedAt, response, verdict, page, archived } = finished;
  const received = verdict.isFinal ? response : undefined;
  return {
    fetchedAt: startedAt,
    httpStatus: response?.httpStatus,
    contentType: contentTypeOf(page.facts, response),
    digest: received?.body.sha1,
    location: archived?.location,
    // Also where the body of a try broke off that is to be repeated.
    bodyBytes: (received ?? (response?.truncated && response))?.body.size,
    // How long the site took in the earlier crawl is not known.
    tookMs: received && sentRequest(received) ? received.endedAt - received.startedAt : undefined,
    cause: page.cause,
    // A copy that was freed stays so until it is fetched.
    duplicateOf: page.state === 'waiting' ? before.result?.duplicateOf : page.duplicateOf,
  };
}

/** The media type: as the parser has found it, else as the response says. */
function contentTypeOf(
  facts: DocumentFacts | undefined,
  response: FetchedResponse | undefined,
): string | undefined {
  if (facts?.mimeType !== undefined) return facts.mimeType.slice(0, MAX_TYPE_CHARS);
  const type = response && headersOf(response, 'content-type')[0]?.split(';', 1)[0];
  return type?.trim().toLowerCase().slice(0, MAX_TYPE_CHARS) || undefined;
}
