/** An HTML page with links, as people and programs write them. */
import type { Random } from '../models/random.ts';
import { renderRequisite } from './assets.ts';
import type { Feed } from './lists.ts';
import { LIST_TYPES } from './render-list.ts';
import { spell } from './spelling.ts';

const WORDS =
  'time person year way day thing man world life hand part child eye woman place work week case point government company number group problem fact '.split(
    ' ',
  );
/** Text to cut fillings from. */
const FILLING = Array.from({ length: 40_000 }, (_, i) => WORDS[(i * i * 7 + (i >> 3)) % WORDS.length])
  .join(' ')
  .replaceAll('  ', ' ');
const MAX_FILLING = FILLING.length / 2;

/** Text of about this number of bytes. */
export function filling(bytes: number, random: Random): string {
  const length = Math.min(Math.max(0, Math.floor(bytes)), MAX_FILLING);
  const from = Math.floor(random() * (FILLING.length - length));
  return FILLING.slice(from, from + length);
}

export interface HtmlContent {
  readonly links: readonly string[];
  readonly requisites: readonly string[];
  /** One of the links. */
  readonly feed?: Feed | undefined;
  /** The URL that the page names as canonical. */
  readonly canonical?: string | undefined;
  /** About the page's size. */
  readonly bytes: number;
  /** A further paragraph. */
  readonly text?: string;
  /** A line that is on the page whatever its size. */
  readonly sign?: string | undefined;
}

export function renderHtml(
  url: string,
  { links, requisites, feed, canonical, bytes, text: more, sign }: HtmlContent,
  random: Random,
): Buffer {
  let items = '';
  for (const part of requisites) items += renderRequisite(part, spell(part, url, random));
  for (const link of links) {
    if (feed?.isAlternate && link === feed.url) {
      items += `<link rel="alternate" type="${LIST_TYPES[feed.kind]}" href="${spell(link, url, random)}">\n`;
      continue;
    }
    items += item(spell(link, url, random), random());
    if (random() < 0.05) items += item(spell(link, url, random), random());
  }
  if (random() < 0.2)
    items += '<a href="mailto:someone@sim.test">write</a><a href="javascript:void(0)">up</a>';
  const title = `<title>${url.length} ${filling(20, random)}</title>`;
  const named = canonical === undefined ? '' : canonicalLink(spell(canonical, url, random), random());
  const head = `<!doctype html>\n<html><head><meta charset="utf-8">${title}${named}</head>\n<body>\n${sign ? `<p>${sign}.</p>\n` : ''}`;
  const text = filling(bytes - head.length - items.length - 30, random);
  return Buffer.from(
    `${head}<p>${text}</p>\n${more ? `<p>${more}</p>\n` : ''}<ul>\n${items}</ul>\n</body></html>\n`,
  );
}

const canonicalLink = (reference: string, way: number): string =>
  way < 0.8
    ? `<link rel="canonical" href="${reference}">`
    : `<LINK href='${reference}' rel='shortlink Canonical'/>`;

function item(reference: string, way: number): string {
  if (way < 0.7) return `<li><a href="${reference}">a link</a>\n`;
  if (way < 0.8) return `<li><a class=far href='${reference}' title="more">a link</a></li>\n`;
  if (way < 0.9) return `<A HREF=" ${reference}\n" rel="next">a <b>link</b></A>\n`;
  return `<map><area shape="rect" href="${reference}"></map>\n`;
}
