import type { StrandConfig } from '../../../shared/services/project/project.ts';

/** A page that scripts render, and what a visitor could reach from it. */
export interface ScriptedPage {
  readonly name: string;
  readonly html: string | Buffer;
  /** All links of the page, as paths. */
  readonly links: readonly string[];
  /** How many of them a browser finds by itself. Default: all. */
  readonly plain?: number;
  /** How many it finds that does what a visitor does. Default: as `plain`. */
  readonly behaved?: number;
  /** Why some are not found, for people. */
  readonly lacks?: string;
  /** Further behaviour of a visitor, besides scrolling and clicking "Show more". */
  readonly behave?: StrandConfig['behave'];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly type?: string;
  readonly encoding?: 'gzip';
  /** Takes all memory, or never ends: left out where other crawlers run on the site. */
  readonly isHostile?: boolean;
  /** Tries to reach the web without the crawler. */
  readonly escapes?: boolean;
}

/** The second host of the site: another site for a browser. */
export const OTHER_HOST = '127.0.0.2';

export const leaves = (name: string, count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `/leaf/${name}/${from + i}`);

/** A script that renders links. */
export const render = (name: string, count: number, from = 0): string =>
  `show(${JSON.stringify(leaves(name, count, from))});`;

/** `show(urls)` appends links to the element `root`. */
const SHOW = `<script>function show(urls){document.getElementById('root').insertAdjacentHTML('beforeend',urls.map(u=>'<p><a href="'+u+'">Where '+u+' is</a></p>').join(''))}
const list=(name,n,from=0)=>fetch('/api/list?name='+name+'&n='+n+'&from='+from).then(r=>r.json());</script>`;

export const page = (script: string, { head = '', body = '', type = '' } = {}): string =>
  `<!doctype html><html><head><meta charset=utf-8><title>Page</title>${head}</head><body><div id=root></div>${SHOW}${body}<script${type && ` type=${type}`}>${script}</script></body></html>`;
