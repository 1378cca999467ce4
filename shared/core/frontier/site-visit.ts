import type { HostKey } from '../url/host-key.ts';
import type { SiteOutcome } from './site-pass.ts';

/** How a pass over a site went. JSON. */
export interface SiteVisit {
  /** Equal when sent again: a receiver that has seen it ignores it. */
  readonly id: string;
  /** The URL of the site, as the crawl's list has it. */
  readonly site: string;
  /** The host that was visited: the site's own, or one below it. */
  readonly host: HostKey;
  readonly group?: string;
  readonly outcome: SiteOutcome;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Pages that were there in this pass, and in the last one that was whole. */
  readonly pages: number;
  readonly pagesBefore?: number;
  /** Numbers of other responses in this pass. */
  readonly gone?: number;
  readonly blocked?: number;
  readonly failed?: number;
  readonly movedTo?: HostKey;
  /** Why the first page that was not there was not, for people. */
  readonly cause?: string;
  /** Not all pages were due in the pass, or not all could be fetched before the next one. */
  readonly isPartial?: true;
}
