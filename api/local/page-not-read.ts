/** The page was not fetched, or has no text. The message says why. */
export class PageNotRead extends Error {
  override name = 'PageNotRead';
}
