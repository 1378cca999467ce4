/** A page of the generated web as HTML: as large, as linked and as untidy as pages are. */
import { skewed, stream } from '../../../test/web/random.ts';
import type { Entry, Scheme } from './graph.ts';

/**
 * Sizes are log-normal, as on the web, where half of the pages have less than some 30 KB of HTML; this is
 * their mean.
 */
const MEAN_BYTES = 52_000;
const MAX_BYTES = 1_000_000;

const SYLLABLES = 'ba co di fe gu la me ni po ra sto tri plu chan sher thon brea nou sai mel'.split(' ');
const WORDS = Array.from({ length: 4000 }, (_, i) => {
  const random = stream('word', i);
  const syllable = () => SYLLABLES[Math.floor(random() * SYLLABLES.length)];
  return Array.from({ length: 1 + Math.floor(random() * 4) }, syllable).join('');
});

/** `authority` gives a host's name with its port. Copies are rendered as their originals. */
export function renderPage(
  page: Entry,
  authority: (host: number) => string,
  scheme: Scheme = 'http',
): string {
  const random = stream('page', page.host, page.index);
  const word = () => WORDS[Math.floor(WORDS.length * random() ** 2)] as string;
  const words = (n: number) => Array.from({ length: n }, word).join(' ');
  const size = Math.min(MAX_BYTES, MEAN_BYTES * skewed(random));
  const title = words(5);
  const reference = (to: Entry) =>
    referenceOf(page, to, (host) => `${scheme}://${authority(host)}`, Math.floor(random() * 1000));
  const [home, ...links] = page.links as [Entry, ...Entry[]];
  const menu = links.splice(0, 12);
  const parts = [
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    `<title>${title} &mdash; Site ${page.host}</title>\n`,
    `<meta name="description" content="${words(20)}">\n<meta name="viewport" content="width=device-width">\n`,
    '<link rel="stylesheet" href="/static/site.css"><link rel="icon" href="/favicon.ico">\n<script src="/static/app.js" defer></script>\n',
    `<style>${menu.map((_, i) => `.c${i}>li:hover{color:#${i}a${i % 9}b;background:url('/img/${i}.jpg')}`).join('')}</style>\n`,
    `</head>\n<body class="page page-${page.index}">\n<a name=top></a>\n<header id="hd"><a class="logo" href="${reference(home)}"><img src="/static/logo.png" alt="logo" width=120 height=40></a><nav><ul class="menu">\n`,
    ...menu.map(
      (to, i) =>
        `<li class="menu-item menu-item-${i}"><a href="${reference(to)}" class="menu-link" data-id='${i}'><span>${word()}</span></a></li>\n`,
    ),
    '</ul></nav><form action="/search"><input type=search name=q><button>Go</button></form></header>\n',
    `<div class=breadcrumbs><A HREF=/>Home</A> &gt; <a href="#top">up</a> <a href="mailto:info@example.test">mail</a></div>\n<main><article><h1>${title}</h1>\n`,
    `<!-- moved: <a href="/false/comment-${page.index % 4}.html">gone</a> -->\n`,
    `<script>var t='<a href="/false/script-${page.index % 4}.html">x<\\/a>';window.data=[${page.index},${page.host}];</script>\n`,
  ];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  const add = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (let section = 1; links.length > 0 || length < size; section++) {
    if (section % 6 === 0) add(`<h2 id="s${section}">${words(4)}</h2>\n`);
    if (section % 9 === 4)
      add(
        `<figure><picture><source srcset="/img/${section % 12}.jpg 1x, /img/1.jpg 2x"><img src="/img/${section % 12}.jpg" alt="${word()}"></picture><figcaption>${words(6)}</figcaption></figure>\n`,
      );
    if (size > 150_000 && section % 8 === 5)
      add(
        `<script type="application/json">{"items":[${Array.from({ length: 80 }, (_, id) => `{"id":${id},"name":"${word()} ${word()}","score":${random().toFixed(4)}}`).join()}]}</script>\n`,
      );
    add(
      `<p class="c${section % 12}">${words(25 + Math.floor(random() * 40))} <em>${word()}</em>, ${words(12)}.\n`,
    );
    for (let n = Math.ceil(random() * 4); n > 0; n--) {
      const to = links.pop();
      if (to) add(anchor(reference(to), words(2), links.length));
    }
    add('</p>\n');
  }
  parts.push(`</article></main>\n<footer><p>&copy; Site ${page.host}</p></footer>\n</body>\n</html>\n`);
  return parts.join('');
}

function anchor(href: string, text: string, style: number): string {
  switch (style % 8) {
    case 0:
      return /[ &'"`=<>]/.test(href)
        ? `<a href='${href}'>${text}</a> `
        : `<a href=${href} class=u>${text}</a> `;
    case 1:
      return `<a class="ext link" title="${text}" href='${href}'>${text}</a> `;
    case 2:
      return `<a href=" ${href}\n"><b>${text}</b></a> `;
    case 3:
      return `<a target="_blank" rel="noopener" href="${href}"><span class="lbl">${text}</span></a> `;
    default:
      return `<a href="${href}">${text}</a> `;
  }
}

/**
 * A reference as pages write them: absolute, without scheme, from the root; with a fragment, or encoded for
 * HTML.
 */
function referenceOf(from: Entry, to: Entry, origin: (host: number) => string, style: number): string {
  const isSame = from.host === to.host;
  const site = origin(to.host);
  let text = to.path;
  if (!isSame || style % 8 === 6) text = `${site}${text}`;
  else if (style % 8 === 7) text = `${site.slice(site.indexOf('/'))}${text}`;
  if (style % 11 === 3) text += '#part';
  if (style % 2 === 0) text = text.replace('%C3%A9', 'é');
  const ampersand = ['&amp;', '&#38;', '&', '&#x26;'][style % 4] as string;
  return text.replaceAll('&', ampersand);
}
