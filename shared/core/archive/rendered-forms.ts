import { sha1LabelOf } from './digest.ts';
import type { WarcMember } from './warc-member.ts';
import { encodeRecord } from './warc-record.ts';

/** Forms of a page that was rendered, beside the response of its site. */
export interface RenderedForms {
  readonly url: string;
  /** WARC-Record-ID and WARC-Date of the page's response. */
  readonly page: string;
  readonly date: string;
  /** The rendered document. */
  readonly html?: Uint8Array | undefined;
  /** PNG. */
  readonly screenshot?: Uint8Array | undefined;
}

/**
 * Encodes a `conversion` record of the document (ISO 28500:2017, section 6.8), and a `resource` record of the picture
 * with the name that browser-based crawlers give it.
 */
export function encodeForms(forms: RenderedForms, newId: () => string): WarcMember[] {
  const { url, page, date, html, screenshot } = forms;
  const members: WarcMember[] = [];
  if (html)
    members.push(
      encodeRecord(
        {
          'WARC-Type': 'conversion',
          'WARC-Record-ID': newId(),
          'WARC-Date': date,
          'WARC-Target-URI': url,
          'WARC-Refers-To': page,
          ...digestsOf(html),
          'Content-Type': 'text/html; charset=utf-8',
        },
        html,
      ),
    );
  if (screenshot)
    members.push(
      encodeRecord(
        {
          'WARC-Type': 'resource',
          'WARC-Record-ID': newId(),
          'WARC-Date': date,
          'WARC-Target-URI': `urn:screenshot:${url}`,
          'WARC-Concurrent-To': [page],
          ...digestsOf(screenshot),
          'Content-Type': 'image/png',
        },
        screenshot,
        undefined,
        'store',
      ),
    );
  return members;
}

function digestsOf(block: Uint8Array) {
  const digest = sha1LabelOf(block);
  return { 'WARC-Payload-Digest': digest, 'WARC-Block-Digest': digest };
}
