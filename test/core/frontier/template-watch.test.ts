import { describe, expect, test } from 'vitest';
import {
  createTemplateWatch,
  type TemplateWatch,
  type WatchedTemplate,
} from '../../../shared/core/frontier/template-watch.ts';
import { hashOf, type Site, watchedCrawl, wordsOf } from './watched-crawl.ts';

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const numbers = (path: string) => (path.match(/\d+/g) ?? []).map(Number);

/** Months link to the next, the previous and 28 days, which say nothing. */
const calendar =
  (textOfDay: (day: number) => string): Site =>
  (path) => {
    const [month = 500, day] = numbers(path);
    if (path.startsWith('/cal/') && day !== undefined)
      return { links: [`/cal/${month}`], text: textOfDay(month * 28 + day) };
    const days = range(28).map((i) => `/cal/${month}/${i + 1}`);
    return { links: [`/cal/${month - 1}`, `/cal/${month + 1}`, ...days], text: `Month ${month}` };
  };

/** Each link of a page has an id that no other one has. */
function sessionShop(products: number): Site {
  let visits = 0;
  const link = (path: string) => `${path}?visitor=${(5e11 + visits++ * 7919).toString(36)}0a`;
  return (path) => {
    const [n = 0] = numbers(path);
    if (path.startsWith('/product-'))
      return {
        links: [link('/'), link(`/shelf-${n % 5}`), link(`/product-${(n + 1) % products}`)],
        text: `Product ${wordsOf(n)}`,
      };
    if (path.startsWith('/shelf-'))
      return {
        links: [link('/'), ...range(products / 5).map((i) => link(`/product-${i * 5 + n}`))],
        text: `Shelf ${wordsOf(n)}`,
      };
    return { links: range(5).map((i) => link(`/shelf-${i}`)), text: 'Welcome' };
  };
}

/** Pages with numbers only, each of which leads to the next and to ten items. */
const list =
  (items: number, textOfItem: (n: number) => string): Site =>
  (path) => {
    const [n = 0] = numbers(path);
    if (path.startsWith('/item-')) return { links: ['/'], text: textOfItem(n) };
    const next = (n + 1) * 10 < items ? [`/list?page=${n + 1}`] : [];
    return { links: [...next, ...range(10).map((i) => `/item-${n * 10 + i}`)], text: `Page ${n}` };
  };

/** Each article has a text of its own and links to pages that edit its parts; those have texts of their own, too. */
const wiki =
  (articles: number, isUnused: (n: number) => boolean): Site =>
  (path) => {
    const [n = 0, part = 0] = numbers(path);
    if (path.startsWith('/edit')) return { links: [], text: wordsOf(n * 20 + part), isUnused: isUnused(n) };
    const parts = range(5).map((i) => `/edit?title=${n}&part=${i}`);
    return { links: [...parts, `/wiki/${n + 1}`].slice(0, n < articles ? 6 : 5), text: wordsOf(n) };
  };

describe.each(['first', 'random'] as const)('with the %s URL next,', (order) => {
  test('pages that forbid any use close their template, though other pages list them', () => {
    const { pages, closed } = watchedCrawl(
      wiki(400, () => true),
      order,
    );
    expect(pages['/wiki/0']).toBe(400);
    expect(closed).toEqual(['/edit?part&title']);
    expect(pages['/edit?part&title']).toBeLessThan(150);
  });

  test('pages of which some may be used stay open', () => {
    const { total, closed } = watchedCrawl(
      wiki(400, (n) => n % 7 > 0),
      order,
    );
    expect(closed).toEqual([]);
    expect(total).toBe(6 * 401);
  });

  test('a calendar without end ends within 400 pages', () => {
    const { total, hasEnded, closed } = watchedCrawl(
      calendar((day) => `Nothing on day ${day}`),
      order,
    );
    expect(hasEnded).toBe(true);
    expect(total).toBeLessThan(400);
    expect(closed.toSorted()).toEqual(['/cal/0', '/cal/0/0']);
  });

  test('a calendar with weekdays and some events ends, after the events', () => {
    const texts = (day: number) => {
      const isEvent = day > 14_000 && day < 15_000 && day % 30 === 0;
      return `Day ${wordsOf(day % 7)}${isEvent ? ` Concert ${wordsOf(day)}` : ''}`;
    };
    const { hasEnded, closed } = watchedCrawl(calendar(texts), order);
    expect(hasEnded).toBe(true);
    expect(closed.length).toBe(2);
  });

  test('a shop with ids of visitors ends, the earlier the fewer products it has', () => {
    const few = watchedCrawl(sessionShop(10), order);
    const many = watchedCrawl(sessionShop(100), order);
    expect(few.hasEnded && many.hasEnded).toBe(true);
    expect(few.total).toBeLessThan(2000);
    expect(many.total).toBeGreaterThan(few.total);
    expect(many.total).toBeLessThan(6000);
    // Long after each product was met.
    expect(many.pages['/product-0?visitor']).toBeGreaterThan(1000);
  });

  test('a shop of 5,000 products, each with its text, is crawled to its end', () => {
    const products: Site = (path) => {
      const [n = -1] = numbers(path);
      const links = n < 0 ? range(5000).map((i) => `/product-${i}`) : [];
      return { links, text: n < 0 ? 'All' : `Product ${wordsOf(n)}` };
    };
    const { total, closed, maxStateBytes } = watchedCrawl(products, order);
    expect(total).toBe(5001);
    expect(closed).toEqual([]);
    expect(maxStateBytes).toBeLessThan(300);
  });

  test('a list of 500 pages with numbers only, which bring items, is crawled to its end', () => {
    const { pages, closed } = watchedCrawl(
      list(5000, (n) => `About ${wordsOf(n)}`),
      order,
    );
    expect(pages).toEqual({ '/': 1, '/list?page': 499, '/item-0': 5000 });
    expect(closed).toEqual([]);
  });

  test('lists of lists with numbers only are crawled to their end if there is something at it', () => {
    const site: Site = (path) => {
      const [n = 0] = numbers(path);
      if (path.startsWith('/item-')) return { links: [], text: wordsOf(n) };
      if (path.startsWith('/day-'))
        return { links: range(4).map((i) => `/item-${n * 4 + i}`), text: `Day ${n}` };
      const next = n < 299 ? [`/week-${n + 1}`] : [];
      return { links: [...next, ...range(4).map((i) => `/day-${n * 4 + i}`)], text: `Week ${n}` };
    };
    const { pages, closed } = watchedCrawl(site, order);
    expect(pages).toEqual({ '/': 1, '/week-0': 299, '/day-0': 1200, '/item-0': 4800 });
    expect(closed).toEqual([]);
  });

  test('a list of items that differ in nothing but numbers is treated as a trap', () => {
    const { total, closed } = watchedCrawl(
      list(5000, (n) => `Photo ${n}`),
      order,
    );
    expect(total).toBeLessThan(300);
    expect(closed.toSorted()).toEqual(['/item-0', '/list?page']);
  });

  test('a site of articles with titles for URLs keeps nothing, and a trap among them is found', () => {
    const site: Site = (path) => {
      if (path.startsWith('/print/'))
        return { links: [`/print/${Number(numbers(path)[0]) + 1}`], text: 'Print' };
      if (path !== '/') return { links: ['/print/1'], text: path };
      return { links: range(2000).map((i) => `/${wordsOf(i + 8000)}`), text: 'Home' };
    };
    const { total, closed, pages, maxStateBytes } = watchedCrawl(site, order);
    expect(closed).toEqual(['/print/0']);
    expect(total - (pages['/print/0'] ?? 0)).toBe(2001);
    expect(maxStateBytes).toBeLessThan(500);
  });
});

/** Watches pages each of which has a new URL of its own template, besides the new links that are given. */
function growing(minNew = 0.05, state: readonly WatchedTemplate[] = []): TemplateWatch {
  const watch = createTemplateWatch(state, { minNew });
  return {
    wantsText: (url) => watch.wantsText(url),
    worthOfLink: (url) => watch.worthOfLink(url),
    isClosed: (url) => watch.isClosed(url),
    closedBy: (url) => watch.closedBy(url),
    forbidsUse: (template) => watch.forbidsUse(template),
    closed: () => watch.closed(),
    state: () => watch.state(),
    count: (url, brought) => watch.count(url, { ...brought, newLinks: [...brought.newLinks, url] }),
  };
}

describe('a template', () => {
  const watched = growing;
  const worthless = { newLinks: [], textHash: 7 };
  const closesAfter = (watch: TemplateWatch, max = 5000) => {
    for (let i = 0; i < max; i++) {
      if (watch.isClosed('http://a.com/p/1')) return i;
      watch.count(`http://a.com/p/${i}`, worthless);
    }
    return undefined;
  };

  test('of pages that are all alike closes after 83', () => {
    expect(closesAfter(watched())).toBe(83);
  });

  test('has 50 pages before it closes, however little is enough', () => {
    expect(closesAfter(watched(0.5))).toBe(50);
  });

  const CONSTANTS = range(5000).map((i) => `http://a.com/constants/KEY_dots_${i}.html`);

  test.each<[string, Record<string, string[]>]>([
    ['one page lists', { '/index': CONSTANTS }],
    ['its first page lists', { '/constants/KEY_dots_0.html': CONSTANTS.slice(1) }],
    [
      'each of it lists in its sidebar',
      Object.fromEntries(CONSTANTS.map((url) => [url.slice(12), CONSTANTS])),
    ],
    [
      'twelve pages of an index list, which name one another',
      {
        '/all-0': range(12).map((i) => `http://a.com/all-${i}`),
        ...Object.fromEntries(
          range(12).map((i) => [
            `/all-${i}`,
            [...range(12).map((k) => `http://a.com/all-${k}`), ...CONSTANTS.slice(i * 400, (i + 1) * 400)],
          ]),
        ),
      },
    ],
    [
      'a list lists, each page of which has items of its own',
      {
        ...Object.fromEntries(
          range(500).map((i) => [
            `/list/${i}`,
            [`http://a.com/list/${i + 1}`, `http://a.com/text/${wordsOf(i)}`],
          ]),
        ),
        '/contents': CONSTANTS,
      },
    ],
  ])('of pages that are all alike and that %s is fetched to its end', (_, links) => {
    const watch = createTemplateWatch([], { minNew: 0.05 });
    const known = new Set<string>(
      Object.keys(links)
        .slice(0, 1)
        .map((path) => `http://a.com${path}`),
    );
    if ('/contents' in links) known.add('http://a.com/contents');
    const waiting = [...known];
    let constants = 0;
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      if (watch.isClosed(url)) continue;
      if (url.includes('/constants/')) constants++;
      const newLinks = (links[url.slice(12)] ?? []).filter((link) => !known.has(link));
      for (const link of newLinks) known.add(link);
      waiting.push(...newLinks);
      watch.count(url, { newLinks, textHash: url.includes('/text/') ? hashOf(url) : 7 });
    }
    expect(constants).toBe([...known].filter((url) => url.includes('/constants/')).length);
    expect(constants).toBeGreaterThan(4000);
    expect(watch.closed()).not.toContain('/constants/KEY_dots_0.html');
  });

  test('never closes where nothing is too little', () => {
    expect(closesAfter(watched(0))).toBeUndefined();
  });

  test('closes by the same page whether the state was kept after each one or not', () => {
    let watch = watched();
    let pages = 0;
    while (!watch.isClosed('http://a.com/p/1') && pages < 200) {
      watch.count(`http://a.com/p/${pages++}`, worthless);
      // Also after the first one: a turn may fetch a single page.
      watch = growing(0.05, JSON.parse(JSON.stringify(watch.state())));
    }
    expect(pages).toBe(83);
    expect(watch.state()).toEqual([
      { template: '/p/0', pages: 83, fresh: expect.any(Number), seen: [], isClosed: true },
    ]);
  });

  /** Counts pages as a crawl does: with a text only where one is wanted. */
  const crawled = (watch: ReturnType<typeof watched>, pages: number, textOf: (i: number) => number) =>
    range(pages).map((i) => {
      const url = `http://a.com/p/${i}`;
      const wants = watch.wantsText(url);
      watch.count(url, { newLinks: [], ...(wants && { textHash: textOf(i) }) });
      return wants;
    });

  test('wants no text of its first pages, each soon after the first worthless one, and none once it is closed', () => {
    const watch = watched();
    const wants = crawled(watch, 130, () => 7);
    const first = wants.indexOf(true);
    const repeated = wants.indexOf(true, first + 1);
    const last = wants.lastIndexOf(true);
    expect(first).toBeGreaterThanOrEqual(8);
    expect(wants.slice(repeated, last + 1)).not.toContain(false);
    expect(watch.closed()).toEqual(['/p/0']);
    // As soon as if each text had been requested.
    expect(last - repeated).toBeLessThan(75);
  });

  test('whose pages are good wants one text in four, and notices all the same when they become worthless', () => {
    const watch = watched();
    const wants = crawled(watch, 1000, (i) => hashOf(wordsOf(i)));
    expect(wants.filter(Boolean).length).toBeGreaterThan(200);
    expect(wants.filter(Boolean).length).toBeLessThan(300);
    expect(watch.closed()).toEqual([]);
    crawled(watch, 340, () => 7);
    expect(watch.closed()).toEqual(['/p/0']);
  });

  test('whose text is not known counts as new', () => {
    const watch = watched();
    for (const i of range(500)) watch.count(`http://a.com/p/${i}`, { newLinks: [] });
    expect(watch.closed()).toEqual([]);
  });

  test('one in six of whose pages brings something new stays open for 10,000', () => {
    const watch = watched();
    for (const i of range(10_000)) {
      // By chance, as a hash deals it.
      const isNew = (hashOf(`${wordsOf(i)} dealt`) >>> 3) % 6 === 0;
      watch.count(`http://a.com/p/${i}`, { newLinks: [], textHash: isNew ? hashOf(wordsOf(i)) : 7 });
    }
    expect(watch.closed()).toEqual([]);
  });

  test('closes though its pages bring new links, if those lead to itself or to closed ones', () => {
    const watch = watched();
    closesAfter(watch);
    const newLinks = ['http://a.com/q/1', 'http://a.com/p/77'];
    for (const i of range(90)) watch.count(`http://a.com/q/${i}`, { newLinks, textHash: 7 });
    expect(watch.closed()).toEqual(['/p/0', '/q/0']);
  });

  test('stays open because of a new link if it does not get the URL', () => {
    const watch = watched();
    for (const i of range(500))
      watch.count(`http://a.com/p/${i}`, { newLinks: ['http://a.com/elsewhere'], textHash: 7 });
    expect(watch.closed()).toEqual([]);
  });
});

describe('the state', () => {
  test('holds 16 open templates and 32 closed ones, and those with the most pages stay', () => {
    const watch = growing();
    for (const t of range(40))
      for (const i of range(100))
        watch.count(`http://a.com/trap-${wordsOf(t)}/${i}`, { newLinks: [], textHash: 7 });
    for (const i of range(4000)) {
      watch.count(`http://a.com/good/${i}`, { newLinks: [], textHash: hashOf(wordsOf(i)) });
      for (const j of range(5))
        watch.count(`http://a.com/${wordsOf(i * 5 + j)}/`, { newLinks: ['http://a.com/elsewhere'] });
    }
    const state = watch.state();
    expect(state.filter(({ isClosed }) => isClosed).length).toBe(32);
    expect(watch.isClosed(`http://a.com/trap-${wordsOf(7)}/1`)).toBe(false);
    expect(watch.isClosed(`http://a.com/trap-${wordsOf(8)}/1`)).toBe(true);
    // And the last four of those that were met once.
    const kept = state.filter(({ isClosed }) => !isClosed).map(({ template }) => template);
    expect(kept.slice(0, 1)).toEqual(['/good/0']);
    expect(kept).toHaveLength(5);
  });

  test('judges 16 templates whose pages come by turns, and no more', () => {
    const closed = (templates: number) => {
      const watch = growing();
      for (const i of range(200))
        for (const t of range(templates))
          watch.count(`http://a.com/trap-${wordsOf(t)}/${i}`, { newLinks: [], textHash: 7 });
      return range(templates).filter((t) => watch.isClosed(`http://a.com/trap-${wordsOf(t)}/1`)).length;
    };
    expect([closed(16), closed(17)]).toEqual([16, 0]);
  });

  test('counts for a template no pages that others had, when it judges it', () => {
    const watch = growing(0.5);
    for (const t of range(16))
      for (const i of range(60))
        watch.count(`http://a.com/${wordsOf(t)}/${i}`, { newLinks: ['http://a.com/elsewhere'] });
    for (const i of range(49)) watch.count(`http://a.com/new/${i}`, { newLinks: [], textHash: 7 });
    expect(watch.closed()).toEqual([]);
    expect(watch.state().find(({ template }) => template === '/new/0')).toMatchObject({
      pages: 109,
      inherited: 60,
    });
    watch.count('http://a.com/new/50', { newLinks: [], textHash: 7 });
    expect(watch.closed()).toEqual(['/new/0']);
  });

  test('takes 4 KB where all its templates are long and full', () => {
    const watch = createTemplateWatch([], { minNew: 0.05 });
    for (const t of range(16))
      for (const i of range(300))
        watch.count(`http://a.com/${'long/'.repeat(18)}${wordsOf(t + 400)}/${i}`, {
          newLinks: [],
          textHash: hashOf(wordsOf(i)),
        });
    expect(JSON.stringify(watch.state()).length).toBeLessThan(4500);
  });
});
