import type { UrlRecord } from '../../core/frontier/url-record.ts';
import type { MediaContent } from '../../core/media/media-module.ts';
import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import type { HookRequest } from '../../core/url/request-url.ts';

/** A final response to a request for `record.url`. */
export interface FetchedPage {
  readonly record: UrlRecord;
  readonly response: FetchedResponse;
  /** The project's own request, if it made one. */
  readonly request?: HookRequest | undefined;
  /** The content of a document that was read as a whole. */
  readonly content?: MediaContent | undefined;
}
