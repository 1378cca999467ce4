/** The site of the crawl that was begun by the previous version and is continued by this one. */

export const CRAWL = 'upgraded';
export const SEED = 'http://h0.test/';
const HOSTS = 8;
const PAGES = 12;

/** By URL, its links: each host has a chain of pages, which also lead to the next host. */
export const SITE: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Array.from({ length: HOSTS * PAGES }, (_, i) => {
    const [host, page] = [Math.floor(i / PAGES), i % PAGES];
    const next = page + 1 < PAGES ? [`http://h${host}.test/${page + 1}`] : [];
    return [
      `http://h${host}.test/${page || ''}`,
      [...next, `http://h${(host + 1) % HOSTS}.test/${page || ''}`],
    ];
  }),
);
