import type { CrawlOptions } from '../../shared/core/crawl/config.ts';

export const ACTIONS = ['create', 'publish', 'rotate', 'page'] as const;

export type IdentityAction = (typeof ACTIONS)[number];

export interface IdentityAsked {
  readonly action: IdentityAction;
  /** The identity's file; none: the user's own. */
  readonly file?: string | undefined;
  readonly agent?: string | undefined;
  /** Days that a new key signs. */
  readonly days: number;
  /** The new key replaces the others now. */
  readonly atOnce: boolean;
  /** A file or folder instead of standard output. */
  readonly out?: string | undefined;
  /** The crawler's aim, in the operator's words. */
  readonly about?: string | undefined;
  readonly config?: string | undefined;
  /** `contact`, `userAgent`, `purpose`, `delayMs`. */
  readonly options: CrawlOptions;
  readonly json: boolean;
}
