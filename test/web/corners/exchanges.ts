/**
 * Corners about the HTTP exchange: redirects, errors, broken servers, codings, types, and sizes of bodies.
 */
import { type Coding, page, type Reference, type Resource, redirect } from '../resource.ts';
import { type Corner, link, type MakeCorner, type Site } from './corner.ts';

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
const CHAINS = [2, 3, 4];
const ENDLESS = '/x/redirects/endless/';

export const redirects: MakeCorner = (site) => {
  const at = '/x/redirects/';
  const resources: Record<string, () => Resource> = {};
  const leaf = (path: string) => {
    resources[path] = () => page(site.origin + path);
  };
  const go = (path: string, status: number, written?: string, target?: string) => {
    resources[path] = () => redirect(status, written, target);
  };
  const own = (path: string) => site.origin + path;

  for (const status of REDIRECT_STATUSES) {
    go(`${at}${status}`, status, own(`${at}to-${status}`), own(`${at}to-${status}`));
    leaf(`${at}to-${status}`);
  }
  for (const length of CHAINS) {
    for (let step = 1; step <= length; step++) {
      const next = own(`${at}chain-${length}/${step + 1}`);
      go(`${at}chain-${length}/${step}`, 302, next, next);
    }
    leaf(`${at}chain-${length}/${length + 1}`);
  }
  go(`${at}loop/a`, 302, `${at}loop/b`, own(`${at}loop/b`));
  go(`${at}loop/b`, 302, `${at}loop/a`, own(`${at}loop/a`));
  go(`${at}loop/self`, 301, `${at}loop/self#again`, own(`${at}loop/self`));
  go(`${at}elsewhere`, 302, site.elsewhere, site.elsewhere);
  go(`${at}outside`, 302, 'http://outside.example/', 'http://outside.example/');
  go(`${at}forbidden`, 302, '/private/behind-redirect', own('/private/behind-redirect'));
  leaf('/private/behind-redirect');
  go(`${at}relative/file`, 302, 'target', own(`${at}relative/target`));
  leaf(`${at}relative/target`);
  go(`${at}relative/parent`, 302, '../parents-target', own(`${at}parents-target`));
  leaf(`${at}parents-target`);
  go(`${at}relative/query`, 302, '?found=1', own(`${at}relative/query?found=1`));
  leaf(`${at}relative/query?found=1`);
  go(`${at}no-location`, 302);
  go(`${at}bad-location`, 302, 'http://[::1');

  const entries = [
    ...REDIRECT_STATUSES.map(String),
    ...CHAINS.map((length) => `chain-${length}/1`),
    ...['loop/a', 'loop/self', 'endless/0', 'elsewhere', 'outside', 'forbidden'],
    ...['relative/file', 'relative/parent', 'relative/query', 'no-location', 'bad-location'],
  ];
  return {
    resources,
    entries: entries.map((path) => link(site, at + path)),
    further: (path) => {
      if (!/^\/x\/redirects\/endless\/(0|[1-9]\d{0,8})$/.test(path)) return undefined;
      const next = `${ENDLESS}${Number(path.slice(ENDLESS.length)) + 1}`;
      return redirect(302, next, own(next));
    },
  };
};

export const errors: MakeCorner = (site) =>
  corner(site, 'errors', {
    404: { status: 404 },
    410: { status: 410 },
    500: { status: 500 },
    'passing-503': { flaky: { times: 2, status: 503 } },
    'passing-500': { flaky: { times: 1, status: 500 } },
  });

export const retryAfter: MakeCorner = (site) =>
  corner(site, 'retry-after', {
    'seconds-503': { flaky: { times: 1, status: 503, retryAfter: 'seconds' } },
    'date-503': { flaky: { times: 1, status: 503, retryAfter: 'date' } },
    'seconds-429': { flaky: { times: 1, status: 429, retryAfter: 'seconds' } },
  });

export const broken: MakeCorner = (site) =>
  corner(site, 'broken', {
    closed: { fault: 'closed' },
    reset: { fault: 'reset' },
    truncated: { fault: 'truncated' },
    garbage: { fault: 'garbage' },
    'header-flood': { fault: 'headerFlood' },
    'closed-once': { flaky: { times: 1, status: 0 } },
  });

export const neverAnswers: MakeCorner = (site) =>
  corner(site, 'never-answers', { never: { fault: 'never' } });

/**
 * Each coded page has a link to a page that is reached by no other way: who cannot decode it misses that
 * page.
 */
export const codings: MakeCorner = (site) => {
  const coded = ['gzip', 'br', 'zstd', 'deflate', 'deflate-raw'] as const satisfies Coding[];
  const pages: Record<string, Partial<Resource>> = {
    chunked: { framing: 'chunked' },
    'gzip-chunked': { coding: 'gzip', framing: 'chunked' },
    'until-close': { framing: 'close' },
  };
  for (const coding of coded) pages[coding] = { coding };
  const names = Object.keys(pages);
  for (const name of names) {
    pages[name] = { ...pages[name], references: [link(site, `/x/codings/from-${name}`)] };
    pages[`from-${name}`] = {};
  }
  return corner(site, 'codings', pages, names);
};

export const types: MakeCorner = (site) => {
  const inside = (name: string): Reference => link(site, `/decoy/types/${name}`, undefined, 'text');
  const typed = (name: string, contentType: string, body: (url: string) => string): Partial<Resource> => {
    const references = [inside(name)];
    return { contentType, references, body: body(references[0]!.target!) };
  };
  return corner(site, 'types', {
    'paper.pdf': typed(
      'pdf',
      'application/pdf',
      (url) => `%PDF-1.4\n<a href="${url}">\n/URI (${url})\n%%EOF\n`,
    ),
    'dot.png': typed('png', 'image/png', (url) => `\x89PNG\r\n\x1a\n<a href="${url}">`),
    'notes.txt': typed(
      'text',
      'text/plain; charset=utf-8',
      (url) => `See ${url} or <a href="${url}">here</a>.\n`,
    ),
    'data.json': typed('json', 'application/json', (url) =>
      JSON.stringify({ url, html: `<a href='${url}'>x</a>` }),
    ),
    'code.js': typed('js', 'text/javascript', (url) => `location.href = '${url}'; // <a href="${url}">`),
    'style.css': typed(
      'css',
      'text/css',
      (url) => `body { background: url(${url}) } /* <a href="${url}"> */`,
    ),
  });
};

export const largeBodies: MakeCorner = (site) => {
  const at = '/x/large-bodies/';
  const pages: Record<string, Partial<Resource>> = {
    '2-mb': { fillerBytes: 2_000_000, references: ['start', 'end'].map((end) => link(site, at + end)) },
    start: {},
    end: {},
  };
  const isFirst = site.index < 3;
  if (isFirst) pages['20-mb'] = { fillerBytes: 20 * 2 ** 20, references: [link(site, `${at}start-of-20`)] };
  if (isFirst) pages['start-of-20'] = {};
  return corner(site, 'large-bodies', pages, isFirst ? ['2-mb', '20-mb'] : ['2-mb']);
};

export const emptyBodies: MakeCorner = (site) =>
  corner(site, 'empty-bodies', {
    'length-0': { body: '' },
    chunked: { body: '', framing: 'chunked' },
    untyped: { body: '', contentType: '' },
    204: { status: 204, body: '' },
  });

/** A corner of pages by name, entered by all of them or by `entries`. */
function corner(
  site: Site,
  name: string,
  pages: Readonly<Record<string, Partial<Resource>>>,
  entries: readonly string[] = Object.keys(pages),
): Corner {
  const resources: Record<string, () => Resource> = {};
  for (const [key, more] of Object.entries(pages))
    resources[`/x/${name}/${key}`] = () => page(`${site.origin}/x/${name}/${key}`, [], more);
  return { resources, entries: entries.map((key) => link(site, `/x/${name}/${key}`)) };
}
