import { page, redirect, type Site } from './scripted-fetcher.ts';

export const HOSTS = ['http://a.test', 'http://b.test', 'http://c.test'];

/**
 * Three hosts of five pages; each links to the next host, which so becomes known in part by another's links
 * alone.
 */
export const SITE: Site = Object.fromEntries(
  HOSTS.flatMap((host, i) => {
    const next = HOSTS[(i + 1) % 3];
    return [
      [`${host}/`, page('/1', '/r', `${next}/`)],
      [`${host}/1`, page('/2', `${next}/3`)],
      [`${host}/2`, page('/3', '/')],
      [`${host}/3`, page(`${next}/2`)],
      [`${host}/r`, redirect('/1')],
    ];
  }),
);
