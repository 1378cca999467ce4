/**
 * The description of a resource at a URL: `render.ts` makes bytes of it, `truth.ts` reads the links from it.
 */

/**
 * How a page mentions a URL. The first line are links, `location` a redirect's; a `nofollow` link is one that
 * a crawler may follow or leave; whatever the last line says is no link at all.
 */
export type How =
  | ('a' | 'area' | 'iframe' | 'frame' | 'refresh')
  | 'location'
  | 'nofollow'
  | ('comment' | 'script' | 'textarea' | 'form' | 'text');

export interface Reference {
  readonly how: How;
  /** As the page writes it. */
  readonly written: string;
  /** The canonical URL meant; none where it leads nowhere (malformed, not http). */
  readonly target?: string;
}

export type Coding = 'gzip' | 'br' | 'zstd' | 'deflate' | 'deflate-raw';

/** The first `times` requests are answered by this status, or by a closed connection where it is 0. */
export interface Flaky {
  readonly times: number;
  readonly status: number;
  /** `Retry-After` of one second, as a number or as a date. */
  readonly retryAfter?: 'seconds' | 'date';
}

/** `truncated`: closes before Content-Length is met. `never`: holds the connection without a word. */
export type Fault = 'closed' | 'reset' | 'truncated' | 'garbage' | 'headerFlood' | 'never';

export interface Resource {
  readonly status: number;
  readonly references: readonly Reference[];
  /** The source of text, title and so on: the same identity, the same words. */
  readonly identity: string;
  /** With charset parameter, if any. Default: `text/html; charset=utf-8`; empty: no header. */
  readonly contentType?: string;
  readonly location?: string;
  /** The page's `<base href>`. */
  readonly base?: string;
  /** Encoding of the body, and whether `<meta charset>` declares it. Default: UTF-8, without. */
  readonly charset?: string;
  readonly declaresCharset?: boolean;
  readonly coding?: Coding;
  /** How the end of the body is marked; `close`: by closing the connection. Default: `length`. */
  readonly framing?: 'length' | 'chunked' | 'close';
  /** The body, instead of an HTML page made from the references. */
  readonly body?: string;
  /** Bytes of filler: inside the page, between its first reference and the others. */
  readonly fillerBytes?: number;
  readonly flaky?: Flaky;
  readonly fault?: Fault;
}

/** A page with links and words. */
export function page(
  identity: string,
  references: readonly Reference[] = [],
  more?: Partial<Resource>,
): Resource {
  return { status: 200, identity, references, ...more };
}

/** A redirect; without `to`, one that names no target. */
export function redirect(status: number, written?: string, target?: string): Resource {
  const references: Reference[] = written === undefined ? [] : [{ how: 'location', written, target }];
  return { status, identity: 'redirect', references, location: written };
}

export function isFollowed(how: How): boolean {
  return how === 'a' || how === 'area' || how === 'iframe' || how === 'frame' || how === 'refresh';
}
