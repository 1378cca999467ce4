/** Corners about documents: the ways in which HTML names a URL, and those in which it only seems to. */
import { page, type Reference, type Resource } from '../resource.ts';
import { type Corner, link, type MakeCorner, nowhere, type Site } from './corner.ts';

export const duplicates: MakeCorner = (site) => {
  const paths = ['a', 'b', 'c?print=1'].map((name) => `/x/duplicates/${name}`);
  const same = () => page(`${site.origin}/x/duplicates`);
  return {
    resources: Object.fromEntries(paths.map((path) => [path, same])),
    entries: paths.map((path) => link(site, path)),
  };
};

/** Few URLs, each written in many ways. */
export const spellings: MakeCorner = (site) => {
  const at = '/x/spellings/';
  const [, host = '', port] = /^http:\/\/([^:]+)(?::(\d+))?$/.exec(site.origin) ?? [];
  const ways: Record<string, string[]> = {
    '~joe': ['%7Ejoe', '%7ejoe', '~joe', '%7Ejo%65'],
    plain: [
      'plain#top',
      'plain#',
      './plain',
      'a/../plain',
      'a/b/%2e%2E/../plain',
      '\\x\\spellings\\plain',
      ' \n/x/spellings/plain\t ',
      '/x/spell\tings/pl\nain',
      `HTTP://${host.toUpperCase()}:${port ?? '80'}${at}plain`,
      `http://${host}:0${port ?? '80'}${at}plain`,
      `http:${at}plain`,
      `//${host}:${port ?? ''}${at}plain`,
    ],
    'caf%C3%A9': ['café', 'caf%c3%a9', 'caf%C3%A9'],
    'query?a=1&b=%2F': ['query?a=1&b=%2f', 'query?a=1&b=%2F#x', 'query?%61=1&b=%2F'],
    'a%20b': ['a b', 'a%20b'],
  };
  const entries = Object.entries(ways).flatMap(([name, all]) =>
    all.map(
      (way): Reference => ({
        how: 'a',
        written: isRooted(way) ? way : at + way,
        target: site.origin + at + name,
      }),
    ),
  );
  return simple(site, at, Object.keys(ways), entries);
};

export const charsets: MakeCorner = (site) => {
  const at = '/x/charsets/';
  const cyrillic = link(site, `${at}${encodeURI('страница')}`, `${at}страница`);
  const japanese = link(site, `${at}${encodeURI('日本語')}`, `${at}日本語`);
  const umlaut = link(site, `${at}${encodeURI('größe')}`, `${at}größe`);
  const pages: [string, Reference, Partial<Resource>][] = [
    ['windows-1251', cyrillic, { contentType: 'text/html; charset=windows-1251', charset: 'windows-1251' }],
    ['shift_jis', japanese, { contentType: 'text/html', charset: 'shift_jis', declaresCharset: true }],
    ['iso-8859-1', umlaut, { contentType: 'text/html; charset=ISO-8859-1', charset: 'windows-1252' }],
  ];
  const resources: Record<string, () => Resource> = {};
  for (const [name, reference, more] of pages) {
    resources[at + name] = () => page(name, [reference], more);
    const found = reference.target!.slice(site.origin.length);
    resources[found] = () => page(site.origin + found);
  }
  return { resources, entries: pages.map(([name]) => link(site, at + name)) };
};

export const base: MakeCorner = (site) => {
  const at = '/x/base/';
  const own = { base: `${at}below/here/`, references: [link(site, `${at}below/here/found`, 'found')] };
  const up = { base: '../base/deeper/', references: [link(site, `${at}sibling`, '../sibling')] };
  const toElsewhere: Reference = { how: 'a', written: './', target: site.elsewhere };
  const away = { base: `${site.elsewhere}?ignored`, references: [toElsewhere] };
  return {
    resources: {
      [`${at}own`]: () => page('own', [], own),
      [`${at}up`]: () => page('up', [], up),
      [`${at}away`]: () => page('away', [], away),
      [`${at}below/here/found`]: () => page(`${site.origin}${at}found`),
      [`${at}sibling`]: () => page(`${site.origin}${at}sibling`),
    },
    entries: ['own', 'up', 'away'].map((name) => link(site, at + name)),
  };
};

/** A refresh is written as the whole `content` (HTML, "shared declarative refresh steps"). */
export const refresh: MakeCorner = (site) => {
  const at = '/x/refresh/';
  const ways = { plain: '0; url=to-plain', quoted: "5;URL='to-quoted'", bare: `3 ${at}to-bare` };
  return {
    resources: Object.fromEntries(
      Object.entries(ways).flatMap(([name, content]): [string, () => Resource][] => [
        [at + name, () => page(name, [link(site, `${at}to-${name}`, content, 'refresh')])],
        [`${at}to-${name}`, () => page(site.origin + at + name)],
      ]),
    ),
    entries: Object.keys(ways).map((name) => link(site, at + name)),
  };
};

export const frames: MakeCorner = (site) => {
  const at = '/x/frames/';
  const set = ['left', 'right'].map((name) => link(site, at + name, name, 'frame'));
  return {
    resources: {
      [`${at}set`]: () => page('set', set),
      [`${at}inline`]: () => page('inline', [link(site, `${at}inner`, undefined, 'iframe')]),
      ...Object.fromEntries(
        ['left', 'right', 'inner'].map((name) => [at + name, () => page(site.origin + at + name)]),
      ),
    },
    entries: ['set', 'inline'].map((name) => link(site, at + name)),
  };
};

export const area: MakeCorner = (site) =>
  simple(
    site,
    '/x/area/',
    ['north', 'south'],
    ['north', 'south'].map((n) => link(site, `/x/area/${n}`, n, 'area')),
  );

export const decoys: MakeCorner = (site) => {
  const hows = ['comment', 'script', 'textarea', 'form'] as const;
  const inside = hows.map((how) => link(site, `/decoy/${how}/corner`, undefined, how));
  return simple(site, '/x/decoys/', ['real'], [...inside, link(site, '/x/decoys/real')]);
};

export const outside: MakeCorner = () => ({
  resources: {},
  entries: ['http://outside.example/', 'https://outside.example/a?b=c', '//www.outside.example/'].map(
    (written) => ({
      how: 'a',
      written,
      target: written.startsWith('//') ? `http:${written}` : written,
    }),
  ),
});

export const schemes: MakeCorner = () => ({
  resources: {},
  entries: [
    'mailto:someone@h0.test',
    'javascript:void(0)',
    'JavaScript:location.href="/decoy/script/link"',
    'data:text/html,<a href="/decoy/text/data">x</a>',
    'ftp://h0.test/file',
    'tel:+100200300',
    'about:blank',
  ].map(nowhere),
});

export const malformed: MakeCorner = () => ({
  resources: {},
  entries: [
    'http://',
    'http://[::1',
    'http://a b/',
    'http://h0.test:99999/',
    'http://h0.test:x/',
    'http://%zz/',
    '//',
  ].map(nowhere),
});

export const nofollow: MakeCorner = (site) => {
  const at = '/x/nofollow/';
  return simple(
    site,
    at,
    ['a', 'b'],
    [link(site, `${at}a`, undefined, 'nofollow'), link(site, `${at}b`, 'b', 'nofollow')],
  );
};

export const manyLinks: MakeCorner = (site) => {
  const at = '/x/many-links/';
  const names = Array.from({ length: 40 }, (_, i) => `${i}`);
  const all = () => Array.from({ length: 5000 }, (_, i) => link(site, `${at}${i % 40}`, `${i % 40}#${i}`));
  const made = simple(site, at, names, []);
  return {
    resources: { ...made.resources, [`${at}all`]: () => page('all', all()) },
    entries: [link(site, `${at}all`)],
  };
};

/**
 * Leaves under `at`, all found from a hub page of the corner's own at `${at}hub`, so that references are
 * relative to it.
 */
function simple(site: Site, at: string, names: readonly string[], references: readonly Reference[]): Corner {
  return {
    resources: {
      [`${at}hub`]: () => page(`${site.origin}${at}hub`, references),
      ...Object.fromEntries(names.map((name) => [at + name, () => page(site.origin + at + name)])),
    },
    entries: [link(site, `${at}hub`)],
  };
}

function isRooted(written: string): boolean {
  return /^\s*([\\/]|http:)/i.test(written);
}
