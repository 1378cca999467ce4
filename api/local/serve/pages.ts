/** The pages that the server itself makes. */

import { shorten } from '../../../shared/core/text/printable.ts';
import type { ListedCapture } from '../../../shared/engines/local/archive/capture-index.ts';

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}' +
  'td{padding:.1rem .8rem .1rem 0;vertical-align:top}td:nth-child(3){overflow-wrap:anywhere}input[type=search]{width:24rem;max-width:60%}';

const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style><body>${body}\n`;

export const errorPage = (title: string, text: string): string =>
  page(
    title,
    `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(shorten(text, 2000))}</p><p><a href="/">All pages</a></p>`,
  );

export interface IndexPage {
  readonly crawl: string;
  readonly total: number;
  readonly query: string;
  readonly onlyPages: boolean;
  /** From 0. */
  readonly number: number;
  readonly rows: readonly ListedCapture[];
  readonly hasMore: boolean;
  readonly pathOf: (capture: ListedCapture) => string;
}

export function indexPage(given: IndexPage): string {
  const { crawl, total, query, onlyPages, number, rows, hasMore, pathOf } = given;
  const linkTo = (to: number) =>
    `/?${new URLSearchParams({ q: query, ...(onlyPages ? {} : { all: '1' }), page: String(to) })}`;
  const row = (capture: ListedCapture) => {
    const { url, timestamp, status = '' } = capture;
    return `<tr><td>${escapeHtml(timeText(timestamp))}<td>${status}<td><a href="${escapeHtml(pathOf(capture))}">${escapeHtml(shorten(url, 300))}</a>`;
  };
  return page(
    crawl,
    `<h1>${escapeHtml(crawl)}</h1><form action="/"><input type="search" name="q" value="${escapeHtml(query)}" placeholder="words of a URL">
<label><input type="checkbox" name="all" value="1"${onlyPages ? '' : ' checked'}> images, styles and other files too</label> <button>Search</button></form>
<p>${total.toLocaleString('en')} responses in the archive.${rows.length === 0 ? ' None of them matches.' : ''}</p>
<table>${rows.map(row).join('\n')}</table><p>${number > 0 ? `<a href="${escapeHtml(linkTo(number - 1))}">Previous</a> ` : ''}${
      hasMore ? `<a href="${escapeHtml(linkTo(number + 1))}">Next</a>` : ''
    }</p>`,
  );
}

/** `2026-11-23 04:00:00`. */
const timeText = (timestamp: string): string =>
  timestamp.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3 $4:$5:$6');
