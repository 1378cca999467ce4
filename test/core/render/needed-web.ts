/** A generated web of 26 templates of pages: how their sites send them, and how a browser shows them. */
import { randomOf } from '../../../simulation/models/random.ts';

export interface MadeTemplate {
  readonly name: string;
  readonly pages: number;
  /** Its scripts bring most of its content. */
  readonly needsRendering: boolean;
  /** The page as sent, and as shown. */
  readonly make: (n: number) => { readonly sent: string; readonly shown: string };
}

const COMMON =
  'the of and to in is that for it as with on by this from are an be at or which were has have not its one'.split(
    ' ',
  );

function text(seed: string, words: number): string {
  const random = randomOf(7, seed);
  return Array.from({ length: words }, () =>
    random() < 0.4
      ? COMMON[Math.floor(random() * COMMON.length)]
      : `w${Math.floor(random() * 5000).toString(36)}`,
  ).join(' ');
}

const links = (folder: string, from: number, count: number) =>
  Array.from(
    { length: count },
    (_, i) => `<li><a href="/${folder}/${(from + i * 7) % 1000}">Item ${from + i}</a></li>`,
  ).join('');

const nav =
  '<nav><a href="/">Home</a><a href="/shop/">Shop</a><a href="/about">About</a><a href="/blog/">Blog</a></nav>';
const whole = (body: string, head = '') =>
  `<!doctype html><html><head><title>Site</title>${head}</head><body>${body}</body></html>`;
/** Scripts of a page from the server add this: a banner, a counter, a widget. */
const extras = (n: number) =>
  `<div class="banner" role="dialog">We use cookies on this site. <button>Accept</button></div><span>${n} visitors</span>`;
const article = (seed: string, words: number) =>
  `<main><article><h1>${text(`${seed} title`, 6)}</h1>${[1, 2, 3].map((i) => `<p>${text(`${seed} ${i}`, Math.ceil(words / 3))}</p>`).join('')}</article></main>`;

const SCRIPT = '<script src="/main.js"></script>';
const MODULE =
  '<script type="module" src="/assets/index.js"></script><link rel="modulepreload" href="/assets/vendor.js">';

/** Pages whose content comes from the server; scripts add little to them. */
const served = (name: string, pages: number, body: (n: number) => string, head = SCRIPT): MadeTemplate => ({
  name,
  pages,
  needsRendering: false,
  make: (n) => ({ sent: whole(nav + body(n), head), shown: whole(nav + extras(n) + body(n), head) }),
});

/** Pages that are empty until their scripts have run. */
const rendered = (name: string, pages: number, mount: string, head: string): MadeTemplate => ({
  name,
  pages,
  needsRendering: true,
  make: (n) => ({
    sent: whole(mount, head),
    shown: whole(`${nav}${article(`${name} ${n}`, 90 + (n % 60))}<ul>${links(name, n, 5)}</ul>`, head),
  }),
});

export const TEMPLATES: readonly MadeTemplate[] = [
  rendered('react', 400, '<div id="root"></div>', MODULE),
  rendered(
    'vue',
    250,
    '<noscript>This app does not work without JavaScript.</noscript><div id="app"></div>',
    MODULE,
  ),
  rendered('angular', 120, '<app-root></app-root>', SCRIPT),
  rendered('old', 30, '<div class="page">Loading...</div>', SCRIPT),
  rendered('small', 5, '<div id="app"></div>', SCRIPT),
  {
    name: 'list',
    pages: 300,
    needsRendering: true,
    // The frame is there, and the products are not.
    make: (n) => {
      const frame = (inner: string) =>
        whole(
          `${nav}<aside>${text('filters', 150)}</aside><main><h1>Products ${n}</h1>${inner}</main>`,
          SCRIPT,
        );
      return {
        sent: frame(''),
        shown: frame(`<ul>${links('product', n, 24)}</ul><p>${text(`list ${n}`, 80)}</p>`),
      };
    },
  },
  {
    name: 'profile',
    pages: 200,
    needsRendering: true,
    make: (n) => {
      const frame = (inner: string) =>
        whole(`${nav}<main><h1>Profile ${n}</h1><p>${text(`profile ${n}`, 60)}</p>${inner}</main>`, MODULE);
      return { sent: frame('<div>Please wait</div>'), shown: frame(`<p>${text(`posts ${n}`, 90)}</p>`) };
    },
  },
  {
    name: 'manual',
    pages: 150,
    needsRendering: false,
    // The text is there; scripts add the table of contents, the same to each page.
    make: (n) => {
      const body = article(`manual ${n}`, 160);
      return { sent: whole(body, SCRIPT), shown: whole(`<ul>${links('manual', 0, 60)}</ul>${body}`, SCRIPT) };
    },
  },
  served('blog', 600, (n) => article(`blog ${n}`, 300)),
  served('news', 900, (n) => article(`news ${n}`, 120)),
  served('docs', 500, (n) => article(`docs ${n}`, 200), MODULE),
  served(
    'next',
    300,
    (n) => `<div id="__next">${article(`next ${n}`, 150)}</div>`,
    `${MODULE}<script id="__NEXT_DATA__" type="application/json">{}</script>`,
  ),
  served('nuxt', 200, (n) => `<div id="__nuxt">${article(`nuxt ${n}`, 100)}</div>`, MODULE),
  served('category', 150, (n) => `<main><h1>Category ${n}</h1><ul>${links('blog', n, 30)}</ul></main>`),
  served('tag', 400, (n) => `<main><h1>Tag ${n}</h1><ul>${links('news', n, 12)}</ul></main>`),
  served(
    'gallery',
    200,
    (n) =>
      `<main><h1>Gallery ${n}</h1>${'<img src="/i.jpg">'.repeat(9)}<p>${text(`gallery ${n}`, 25)}</p></main>`,
  ),
  served(
    'thanks',
    20,
    (n) => `<main><p>Thank you, order ${n} is on its way to you. ${text('thanks', 20)}</p></main>`,
  ),
  served(
    'contact',
    25,
    (n) => `<main><h1>Office ${n}</h1><p>${text(`office ${n}`, 40)}</p><form><input></form></main>`,
  ),
  served('wiki', 700, (n) => article(`wiki ${n}`, 500)),
  served(
    'forum',
    800,
    (n) =>
      `<main>${[1, 2, 3, 4].map((i) => `<section><h2>Answer ${i}</h2><p>${text(`forum ${n} ${i}`, 60)}</p></section>`).join('')}</main>`,
  ),
  served('event', 100, (n) => article(`event ${n}`, 80)),
  served('job', 60, (n) => article(`job ${n}`, 160)),
  served('law', 40, (n) => article(`law ${n}`, 900)),
  served('press', 5, (n) => article(`press ${n}`, 200)),
  served('team', 5, (n) => article(`team ${n}`, 70)),
  served('plain', 150, (n) => article(`plain ${n}`, 250), ''),
];
