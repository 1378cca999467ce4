import { hash } from 'node:crypto';

/** A page as a person would call it: HTML that was had. */
export interface WaczPage {
  readonly url: string;
  /** WARC-Date of its capture. */
  readonly date: string;
  readonly title?: string | undefined;
  readonly isSeed: boolean;
}

/**
 * The lines of `pages/pages.jsonl`: a header, then one for each page. A page's id follows from its URL and
 * date.
 */
export async function* waczPageLines(pages: AsyncIterable<WaczPage>): AsyncGenerator<string> {
  yield waczPagesHeader();
  for await (const page of pages) yield waczPageLine(page);
}

/** The first line. */
export const waczPagesHeader = (): string =>
  jsonLine({ format: 'json-pages-1.0', id: 'pages', title: 'Pages' });

export function waczPageLine({ url, date, title, isSeed }: WaczPage): string {
  const id = hash('sha256', `${date} ${url}`, 'buffer').toString('base64url', 0, 16);
  return jsonLine({ id, url, ts: date, title: title || undefined, seed: isSeed || undefined });
}

const jsonLine = (value: object): string => `${JSON.stringify(value)}\n`;
