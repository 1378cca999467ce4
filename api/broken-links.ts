/** Types of `StoredCrawl.brokenLinks`. */

/** A page that links to a broken URL. */
export interface LinkingPage {
  readonly page: string;
  /** The link's visible text; the `alt` of an image. */
  readonly text: string;
  /** The element: `a`, `img`, `link`, `script`. */
  readonly element: string;
  /** The URL in the link, if that redirects to the broken one. */
  readonly by?: string;
}

/** A URL that could not be fetched. */
export interface BrokenLink {
  readonly url: string;
  /**
   * `gone`: HTTP 404 or 410. `failed`: another status, or no answer. `redirect`: a redirect that leads nowhere: in a
   * loop, without a `Location`, to an invalid URL, or after too many redirects.
   */
  readonly status: 'gone' | 'failed' | 'redirect';
  readonly httpStatus?: number;
  /** For people. */
  readonly cause: string;
  /** The URLs of a loop of redirects, the first 20 of them. Links to each of them count. */
  readonly loop?: readonly string[];
  /** Links to it; none for a seed to which no page links. */
  readonly links: number;
  /** The first 100 of them. */
  readonly pages: readonly LinkingPage[];
}

export interface BrokenLinks {
  /** URLs with the most links come first. */
  readonly broken: readonly BrokenLink[];
  /** Broken URLs that are not listed: at most 10,000 are. */
  readonly beyond: number;
  /** URLs that were fetched, or tried. */
  readonly checked: number;
  /** HTML pages that were searched for links. */
  readonly pages: number;
}
