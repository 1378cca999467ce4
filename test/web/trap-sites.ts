/**
 * Sites of which it is known what is real and what is a trap. A site is a function: what stands at a path.
 * All are deterministic, so that a crawl of them can be judged to the page.
 */
import { hash } from './random.ts';

export interface TrapPage {
  /** As the page has them: absolute paths or relative ones. */
  readonly links: readonly string[];
  readonly text: string;
  readonly head?: string;
  readonly images?: readonly string[];
}

export interface TrapSite {
  readonly page: (path: string) => TrapPage | undefined;
  /** All that a crawl is to find. What else it asks for is the trap's. */
  readonly real: readonly string[];
  /** Returns whether a page may be fetched and need not be: lists by one filter. */
  readonly isOptional?: (path: string) => boolean;
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const SYLLABLES = [
  'ba',
  'de',
  'fi',
  'go',
  'lu',
  'ma',
  'ne',
  'pi',
  'ro',
  'su',
  'ta',
  've',
  'wi',
  'zo',
  'ka',
  'le',
];
/** A word of its own for each number. */
export const word = (n: number): string => (n >= 16 ? word(Math.floor(n / 16) - 1) : '') + SYLLABLES[n % 16];
/** A sentence of its own for each number. */
const prose = (n: number) =>
  `About ${word(n)}: ${range(12)
    .map((i) => word(hash('prose', n, i) % 3000))
    .join(' ')}.`;
const inRange = (n: number, max: number) => Number.isInteger(n) && n >= 0 && n < max;

/** 400 articles with titles for names, in lists of 20. Every page links to `entrances`. */
function magazine(...entrances: string[]): TrapSite {
  const articles = new Map(range(400).map((n) => [`/articles/${word(n + 500)}`, n]));
  const paths = [...articles.keys()];
  const nav = ['/', ...entrances];
  return {
    real: ['/', ...range(20).map((n) => `/list/${n}`), ...paths],
    page(path) {
      if (path === '/') return { links: [...nav, ...range(20).map((n) => `/list/${n}`)], text: 'Welcome' };
      const list = /^\/list\/(\d+)$/.exec(path)?.[1];
      if (list !== undefined && Number(list) < 20)
        return {
          links: [...nav, ...paths.slice(20 * Number(list), 20 * Number(list) + 20)],
          text: `List ${list}`,
        };
      const n = articles.get(path);
      return n === undefined ? undefined : { links: nav, text: prose(n) };
    },
  };
}

/** A site, and beside it what `trap` answers. */
const beside = (site: TrapSite, trap: TrapSite['page']): TrapSite => ({
  real: site.real,
  page: (path) => site.page(path) ?? trap(path),
});

const FACETS = ['color', 'size', 'brand', 'fit', 'price', 'season', 'style', 'cloth'];
const VALUES = 6;
const PRODUCTS = 800;
const CATEGORIES = 16;
const ON_A_PAGE = 24;
type Chosen = readonly (readonly [facet: string, value: string])[];
const facetValue = (product: number, facet: string) => word(hash('value', product, facet) % VALUES);

interface ShopKind {
  /** The URL of a list. */
  readonly listPath: (category: number, chosen: Chosen, page: number) => string;
  /** Parses a list's URL; undefined for other URLs. */
  readonly parse: (path: string) => { category: number; chosen: Chosen; page: number } | undefined;
  readonly facets?: readonly string[];
  /** Facets may have several values. */
  readonly isMany?: boolean;
}

/** 800 products in 16 categories, with lists in pages; each list offers each value of each facet. */
function shop({ listPath, parse, facets = FACETS, isMany = false }: ShopKind): TrapSite {
  const inCategory = (category: number) => range(PRODUCTS).filter((n) => n % CATEGORIES === category);
  const productPath = (n: number) => `/product/${word(n + 700)}`;
  const numbers = new Map(range(PRODUCTS).map((n) => [productPath(n), n]));
  const categories = range(CATEGORIES).map((n) => listPath(n, [], 0));
  const real = ['/', ...numbers.keys()];
  for (const category of range(CATEGORIES))
    for (const page of range(Math.ceil(inCategory(category).length / ON_A_PAGE)))
      real.push(listPath(category, [], page));
  return {
    real,
    isOptional: (path) => (parse(path)?.chosen.length ?? 0) === 1,
    page(path) {
      if (path === '/') return { links: categories, text: 'Shop' };
      const n = numbers.get(path);
      if (n !== undefined) return { links: ['/', ...categories.slice(0, 5)], text: prose(n) };
      const list = parse(path);
      if (!list || !inRange(list.category, CATEGORIES)) return undefined;
      const { category, chosen, page } = list;
      const found = inCategory(category).filter((product) =>
        chosen.every(([facet]) =>
          chosen.some(([other, value]) => other === facet && value === facetValue(product, facet)),
        ),
      );
      const shown = found.slice(page * ON_A_PAGE, (page + 1) * ON_A_PAGE);
      const links = ['/', ...categories];
      for (const facet of facets)
        for (const value of range(VALUES).map(word)) {
          const isChosen = chosen.some(([f, v]) => f === facet && v === value);
          const others = isMany ? chosen : chosen.filter(([f]) => f !== facet);
          links.push(
            listPath(
              category,
              isChosen ? chosen.filter(([f, v]) => f !== facet || v !== value) : [...others, [facet, value]],
              0,
            ),
          );
        }
      if ((page + 1) * ON_A_PAGE < found.length) links.push(listPath(category, chosen, page + 1));
      const filters = chosen.map(([facet, value]) => `${facet}: ${value}`).join(', ');
      return {
        links: [...links, ...shown.map(productPath)],
        text: `Category ${word(category)}. ${filters}. ${shown.map((product) => word(product + 700)).join(' ')}`,
      };
    },
  };
}

const queryOf = (pairs: Chosen, page: number) =>
  [...pairs.map(([f, v]) => `${f}=${v}`), ...(page > 0 ? [`page=${page + 1}`] : [])].join('&');
function parseQuery(query: string | undefined): { chosen: Chosen; page: number } {
  const pairs = (query ?? '')
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=') as [string, string]);
  const page = Number(pairs.find(([name]) => name === 'page')?.[1] ?? 1) - 1;
  return { chosen: pairs.filter(([name]) => name !== 'page'), page };
}
const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);
const sorted = (chosen: Chosen): Chosen => chosen.toSorted((a, b) => (a.join() < b.join() ? -1 : 1));
const CATEGORY_PATH = /^\/c\/([a-z]+)(?:\?(.*))?$/;
const categoryNumbers = new Map(range(CATEGORIES).map((n) => [word(n + 100), n]));

const categoryShop = (order: (chosen: Chosen) => Chosen, more: Partial<ShopKind> = {}): TrapSite =>
  shop({
    ...more,
    listPath: (category, chosen, page) =>
      withQuery(`/c/${word(category + 100)}`, queryOf(order(chosen), page)),
    parse(path) {
      const [, name = '', query] = CATEGORY_PATH.exec(path) ?? [];
      const category = categoryNumbers.get(name);
      return category === undefined ? undefined : { category, ...parseQuery(query) };
    },
  });

/** Facets as they were clicked, at one path, the category among them. */
const oneListShop = (separator?: string): TrapSite =>
  shop({
    isMany: separator !== undefined,
    listPath(category, chosen, page) {
      const pairs = separator === undefined ? chosen : joined(chosen, separator);
      return withQuery('/shop', queryOf([['category', word(category + 100)], ...pairs], page));
    },
    parse(path) {
      if (!path.startsWith('/shop?')) return undefined;
      const { chosen, page } = parseQuery(path.slice(6));
      const name = chosen.find(([facet]) => facet === 'category')?.[1] ?? '';
      const others = chosen.filter(([facet]) => facet !== 'category');
      const split = others.flatMap(([facet, values]) =>
        values.split(separator ?? '\n').map((v) => [facet, v] as const),
      );
      return { category: categoryNumbers.get(name) ?? -1, chosen: split, page };
    },
  });

function joined(chosen: Chosen, separator: string): Chosen {
  const values = new Map<string, string[]>();
  for (const [facet, value] of chosen) values.set(facet, [...(values.get(facet) ?? []), value]);
  return [...values].map(([facet, all]) => [facet, all.join(separator)]);
}

/** `/shelf/CATEGORY/red/large/`, in the order in which they were clicked. */
const pathShop = (): TrapSite =>
  shop({
    listPath: (category, chosen, page) =>
      `/shelf/${word(category + 100)}/${chosen.map(([f, v]) => `${f}-${v}/`).join('')}${page > 0 ? `page-${page + 1}/` : ''}`,
    parse(path) {
      const [, name = '', rest = ''] = /^\/shelf\/([a-z]+)\/(.*)$/.exec(path) ?? [];
      const words = rest.split('/').filter(Boolean);
      const page = words.find((one) => one.startsWith('page-'));
      const chosen = words.filter((one) => one !== page).map((one) => one.split('-') as [string, string]);
      return {
        category: categoryNumbers.get(name) ?? -1,
        chosen,
        page: page ? Number(page.slice(5)) - 1 : 0,
      };
    },
  });

/** Traps without an end, each beside a magazine or in a shop. */
export const TRAPS: Readonly<Record<string, () => TrapSite>> = {
  'calendar of months and days': () =>
    beside(magazine('/cal/500'), (path) => {
      const [month = 0, day] = (path.match(/\d+/g) ?? []).map(Number);
      if (!path.startsWith('/cal/')) return undefined;
      if (day !== undefined) return { links: [`/cal/${month}`], text: `Nothing on ${day}` };
      const days = range(28).map((i) => `/cal/${month}/${i + 1}`);
      return { links: [`/cal/${month - 1}`, `/cal/${month + 1}`, ...days], text: `Month ${month}` };
    }),
  'facets in the order of clicks, a path for each category': () => categoryShop((chosen) => chosen),
  'facets in one order, a path for each category': () => categoryShop(sorted),
  'facets at one path, in the order of clicks': () => oneListShop(),
  'facets with several values, repeated': () => categoryShop((chosen) => chosen, { isMany: true }),
  'facets with several values, by commas': () => oneListShop(','),
  'facets with several values, by bars': () => oneListShop('%7C'),
  'facets by path': pathShop,
  'directory trap, identical pages': () =>
    beside(magazine('/deep/'), (path) =>
      path.startsWith('/deep/') ? { links: ['a/', 'b/'], text: 'Index of files' } : undefined,
    ),
  'directory trap, pages that name their path and the time': () =>
    beside(magazine('/deep/'), (path) =>
      path.startsWith('/deep/')
        ? {
            links: ['alpha/', 'beta/', 'gamma/'],
            text: `Index of ${path.replaceAll('/', ' / ')}, ${hash(path)} ms`,
          }
        : undefined,
    ),
  'one page at each path, with relative links': () =>
    beside(magazine('/x/y/'), (path) =>
      path.split('/').length > 3 || path.endsWith('/')
        ? { links: range(6).map((n) => `${word(n)}/`), text: 'Welcome to our site' }
        : undefined,
    ),
  'relative links in a loop': () =>
    beside(magazine('/in/a/'), (path) =>
      path.startsWith('/in/') ? { links: ['../x/y/', '../z/'], text: 'Inside' } : undefined,
    ),
  'session ids in the path': () =>
    beside(magazine('/s-9f3c11aa02/welcome'), (path) => {
      const [, of = ''] = /^\/s-[0-9a-f]+\/(\w+)$/.exec(path) ?? [];
      const session = hash('session', path).toString(16).padStart(8, '7');
      return of === ''
        ? undefined
        : { links: ['welcome', 'cart', 'help'].map((one) => `/s-${session}/${one}`), text: of };
    }),
  'session ids in the query': () =>
    beside(magazine('/welcome?visit=9f3c11aa02'), (path) => {
      const [, of = ''] = /^\/(\w+)\?visit=[0-9a-f]+$/.exec(path) ?? [];
      const visit = hash('visit', path).toString(16).padStart(8, '7');
      return of === ''
        ? undefined
        : { links: ['welcome', 'cart', 'help'].map((one) => `/${one}?visit=${visit}`), text: of };
    }),
  'pages of a list without an end': () =>
    beside(magazine('/news?page=1'), (path) => {
      const page = /^\/news\?page=(\d+)$/.exec(path)?.[1];
      return page === undefined
        ? undefined
        : { links: [`/news?page=${Number(page) + 1}`], text: 'No more news' };
    }),
  'tags in any order': () =>
    beside(magazine('/tag/'), (path) => {
      if (!path.startsWith('/tag/')) return undefined;
      const tags = path.slice(5).split('+').filter(Boolean);
      const others = range(12)
        .map(word)
        .filter((tag) => !tags.includes(tag));
      return {
        links: others.map((tag) => `/tag/${[...tags, tag].join('+')}`),
        text: `Tagged ${tags.join(', ')}: ${range(8)
          .map((i) => word(hash(tags.toSorted().join(), i) % 400))
          .join(' ')}`,
      };
    }),
  'sort orders, views and sizes of pages': () =>
    beside(magazine('/catalog'), (path) => {
      if (!/^\/catalog(?:\?|$)/.test(path)) return undefined;
      const { chosen } = parseQuery(path.split('?')[1]);
      const options: Chosen = ['sort', 'order', 'view', 'limit', 'currency', 'layout'].flatMap((name) =>
        range(4).map((n) => [name, word(n)] as const),
      );
      return {
        links: options.map(([f, v]) =>
          withQuery('/catalog', queryOf([...chosen.filter(([name]) => name !== f), [f, v]], 0)),
        ),
        text: `Catalog ${range(8)
          .map((i) => word(hash(path, i) % 400))
          .join(' ')}`,
      };
    }),
};

/** Sites without a trap, of which as good as nothing may be lost. */
export const REAL_SITES: Readonly<Record<string, () => TrapSite>> = {
  'forum of 900 topics on several pages each': () => {
    const paths = new Map<string, TrapPage>();
    const pagesOf = (topic: number) => 1 + (hash('topic', topic) % 12);
    const topicPath = (topic: number, page: number) =>
      `/viewtopic?f=${topic % 9}&t=${topic}${page > 0 ? `&start=${15 * page}` : ''}`;
    paths.set('/', { links: range(9).map((f) => `/viewforum?f=${f}`), text: 'Forum' });
    for (const forum of range(9))
      for (const page of range(5)) {
        const topics = range(20).map((i) => 9 * (20 * page + i) + forum);
        const next = page < 4 ? [`/viewforum?f=${forum}&start=${20 * (page + 1)}`] : [];
        paths.set(`/viewforum?f=${forum}${page > 0 ? `&start=${20 * page}` : ''}`, {
          links: [...next, ...topics.map((topic) => topicPath(topic, 0))],
          text: topics.map(word).join(' '),
        });
      }
    for (const topic of range(900))
      for (const page of range(pagesOf(topic)))
        paths.set(topicPath(topic, page), {
          links: ['/', ...range(pagesOf(topic)).map((one) => topicPath(topic, one))],
          text: range(15)
            .map((i) => prose(100_000 + topic * 200 + page * 15 + i))
            .join(' '),
        });
    return fixed(paths);
  },
  'wiki with histories and differences': () => {
    const paths = new Map<string, TrapPage>();
    const title = (n: number) => word(n + 2000);
    for (const n of range(500)) {
      const revisions = 1 + (hash('revisions', n) % 4);
      const at = (more: string) => `/index.php?title=${title(n)}&${more}`;
      const linked = range(6).map((i) => `/wiki/${title(hash('wiki', n, i) % 500)}`);
      paths.set(`/wiki/${title(n)}`, {
        links: [...linked, `/wiki/${title((n + 1) % 500)}`, at('action=history')],
        text: prose(n),
      });
      const ids = range(revisions).map((i) => 10 * n + i + 1000);
      paths.set(at('action=history'), {
        links: ids.flatMap((id) => [at(`oldid=${id}`), at(`diff=${id}&oldid=prev`)]),
        text: `History of ${title(n)} by ${word(n % 37)}`,
      });
      for (const id of ids) {
        paths.set(at(`oldid=${id}`), { links: linked, text: `Revision. ${prose(30_000 + id)}` });
        paths.set(at(`diff=${id}&oldid=prev`), { links: linked, text: `Changed ${prose(60_000 + id)}` });
      }
    }
    return fixed(paths, [`/wiki/${title(0)}`]);
  },
  'gallery of 1,500 photos with numbers for titles': () => {
    const paths = new Map<string, TrapPage>();
    for (const album of range(30))
      paths.set(`/album/${album}`, {
        links: range(50).map((i) => `/photo/${50 * album + i}`),
        text: `Album ${album}`,
      });
    for (const n of range(1500))
      paths.set(`/photo/${n}`, {
        links: [`/photo/${n + 1 < 1500 ? n + 1 : 0}`],
        text: `Photo ${n}`,
        images: [`/images/img_${n}.jpg`],
      });
    paths.set('/', { links: range(30).map((n) => `/album/${n}`), text: 'Albums' });
    return fixed(paths);
  },
  'documentation and its mirror': () =>
    fixed(
      new Map([
        ...manual('/manual/', 1500),
        ...manual('/mirror/', 1500),
        ['/', { links: ['/manual/'], text: 'Docs' }],
        ['/manual/about', { links: ['/mirror/'], text: 'About' }],
      ]),
    ),
  'documentation of 4 versions, with relative links': () =>
    fixed(
      new Map([
        ...range(4).flatMap((v) => [...manual(`/docs/v${v}/`, 600)]),
        ['/', { links: range(4).map((v) => `/docs/v${v}/`), text: 'Versions' }],
      ]),
    ),
  'pages that scripts fill, with words for names': () => {
    const paths = new Map<string, TrapPage>();
    for (const n of range(1500)) {
      const at = (i: number) => `/app/${word(i % 17)}/${word(i + 900)}/`;
      paths.set(n === 0 ? '/' : at(n), {
        links: range(3)
          .map((i) => 3 * n + i + 1)
          .filter((i) => i < 1500)
          .map(at),
        text: 'Loading',
      });
    }
    return fixed(paths);
  },
  'pages in 8 languages by parameter': () => {
    const paths = new Map<string, TrapPage>();
    for (const id of range(250))
      for (const language of range(8))
        paths.set(`/page?id=${id}&lang=${word(language)}`, {
          links: [
            ...range(8).map((other) => `/page?id=${id}&lang=${word(other)}`),
            ...[2 * id + 1, 2 * id + 2]
              .filter((next) => next < 250)
              .map((next) => `/page?id=${next}&lang=${word(language)}`),
          ],
          text: prose(id * 8 + language),
        });
    return fixed(paths, [`/page?id=0&lang=${word(0)}`]);
  },
  'pages in 8 languages by folder, and pairs of towns': () => {
    const paths = new Map<string, TrapPage>();
    for (const language of range(8).map(word)) {
      for (const n of range(200))
        paths.set(`/${language}/info/${word(n + 300)}`, {
          links: [2 * n + 1, 2 * n + 2]
            .filter((next) => next < 200)
            .map((next) => `/${language}/info/${word(next + 300)}`),
          text: prose((hash(language) % 1000) + 1000 * n),
        });
      for (const from of range(12))
        for (const to of range(12))
          paths.set(`/${language}/trains/${word(from + 50)}/${word(to + 50)}`, {
            links: range(12).map((next) => `/${language}/trains/${word(to + 50)}/${word(next + 50)}`),
            text: `${word(from + 50)} to ${word(to + 50)} ${language}`,
          });
    }
    return fixed(
      paths,
      range(8).flatMap((n) => [
        `/${word(n)}/info/${word(300)}`,
        `/${word(n)}/trains/${word(50)}/${word(51)}`,
      ]),
    );
  },
  'archive by days': () => {
    const paths = new Map<string, TrapPage>();
    const day = (n: number) =>
      `/${2015 + Math.floor(n / 336)}/${1 + (Math.floor(n / 28) % 12)}/${1 + (n % 28)}/`;
    for (const n of range(1344)) {
      paths.set(day(n), {
        links: [n + 1 < 1344 ? day(n + 1) : '/', `${day(n)}${word(n + 5000)}`],
        text: `On ${n}: ${prose(n)}`,
      });
      paths.set(`${day(n)}${word(n + 5000)}`, { links: ['/'], text: prose(n + 4000) });
    }
    return fixed(paths, [day(0)]);
  },
};

function manual(root: string, pages: number): Map<string, TrapPage> {
  const at = (n: number): string => (n === 0 ? '' : `${at(Math.floor((n - 1) / 5))}${word(n)}/`);
  return new Map(
    range(pages).map((n) => [
      root + at(n),
      {
        links: [
          root,
          ...range(5)
            .map((i) => 5 * n + i + 1)
            .filter((i) => i < pages)
            .map((i) => `${word(i)}/`),
          ...(n === 0 ? [`${root}about`] : []),
        ],
        text: `Function ${word(n)}`,
      },
    ]),
  );
}

/** A finite site, of which all can be reached from `/` or from what `/` links to. */
function fixed(paths: Map<string, TrapPage>, entrances?: readonly string[]): TrapSite {
  if (entrances) paths.set('/', { links: entrances, text: 'Home' });
  return { real: [...paths.keys()], page: (path) => paths.get(path) };
}

/** As HTML. */
export function renderTrapPage({ links, text, head = '', images = [] }: TrapPage): string {
  const anchors = links.map((link) => `<a href="${link.replaceAll('&', '&amp;')}">.</a>`).join('\n');
  const pictures = images.map((image) => `<img src="${image}">`).join('\n');
  return `<!doctype html><title>A page</title>${head}<p>${text}</p>${pictures}<nav>${anchors}</nav>`;
}
