/** A crawl's name in its engine: {@link CRAWL_ID}. */
export type CrawlId = string;

/**
 * The grammar of names of crawls, wherever they come from. A name of dots alone would be a folder (`.`, `..`) in a
 * path, and `__proto__` must not become the key of an object.
 */
export const CRAWL_ID = /^(?!\.+$|__proto__$)[A-Za-z0-9._-]{1,64}$/;
