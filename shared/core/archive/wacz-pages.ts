import { hash } from 'node:crypto';

/** A page as a person would call it: HTML that was had. */
export interface WaczPage {
  readonly url: string;
  /** WARC-Date of its capture. */
  readonly date: string;
  readonly title?: string | undefined;
  readonly isSeed: boolean;
}

/** The first line of `pages/pages.jsonl`. */
export const waczPagesHeader = (): string =>
  jsonLine({ format: 'json-pages-1.0', id: 'pages', title: 'Pages' });

/** The line of a page. Its id follows from its URL and date. */
export function waczPageLine({ url, date, title, isSeed }: WaczPage): string {
  const id = hash('sha256', `${date} ${url}`, 'buffer').toString('base64url', 0, 16);
  return jsonLine({ id, url, ts: date, title: title || undefined, seed: isSeed || undefined });
}

const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;
