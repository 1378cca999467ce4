/**
 * Counts of a host's pages by the template of their URLs (`url/template-of.ts`), for `maxPagesPerTemplate`. As many
 * templates as a host has, 512 are counted: the summary of Misra and Gries ("Finding repeated elements", Science of
 * Computer Programming 2, 1982). A count is never too high, and too low by a 513th of the host's pages at most; with
 * up to 512 templates it is exact.
 */
import { isOwnRequest } from '../url/request-url.ts';
import { templateKey, templateOf } from '../url/template-of.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { UrlRecord } from './url-record.ts';

/** At 5 to 6 bytes each they are 4 KB in the host's head at most. */
export const MAX_COUNTED_TEMPLATES = 512;

export interface TemplateCounts {
  of(template: string): number;
  /** The highest count. */
  readonly highest: number;
  add(template: string): void;
  /** To be stored in the host's head: base64. Undefined: nothing was counted. */
  state(): string | undefined;
}

/** `max`: templates counted at a time. */
export function createTemplateCounts(stored?: string, max = MAX_COUNTED_TEMPLATES): TemplateCounts {
  const counts = new Map<number, number>(stored === undefined ? [] : unpack(stored));
  return {
    of: (template) => counts.get(templateKey(template)) ?? 0,
    get highest() {
      let highest = 0;
      for (const count of counts.values()) if (count > highest) highest = count;
      return highest;
    },
    add(template) {
      const key = templateKey(template);
      const count = counts.get(key);
      if (count !== undefined || counts.size < max) counts.set(key, (count ?? 0) + 1);
      else decrement(counts);
    },
    state: () => (counts.size === 0 ? undefined : pack(counts)),
  };
}

/** A URL as its host's ledger knows it. */
export type QuotaUrl = Pick<UrlRecord, 'url' | 'depth' | 'kind'>;

/**
 * The template that a URL counts for: none if it is a seed or where seeds redirect to, a part of a page, a sitemap or a
 * request of the project; or the only page of its template.
 */
export const quotaTemplateOf = ({ url, depth, kind }: QuotaUrl): string | undefined =>
  depth === 0 || kind !== undefined || isOwnRequest(url) ? undefined : countedTemplateOf(url);

/**
 * The template of a URL if it may have more than two URLs: it has a number, or a query, or is cut. Other templates have
 * words alone, and stand for one page each (by http and by https); they need not be counted, and a host may have
 * millions.
 */
function countedTemplateOf(url: string): string | undefined {
  const template = templateOf(url);
  const isMany = template.length >= CUT_LENGTH || template.includes('0') || template.includes('?');
  return isMany ? template : undefined;
}

/** Templates of this length may have been cut. */
const CUT_LENGTH = 96;

function decrement(counts: Map<number, number>): void {
  for (const [key, count] of counts) {
    if (count > 1) counts.set(key, count - 1);
    else counts.delete(key);
  }
}

function pack(counts: ReadonlyMap<number, number>): string {
  const writer = new ByteWriter();
  for (const [key, count] of counts) {
    writer.uint32(key);
    writer.varint(count);
  }
  return Buffer.from(writer.bytes()).toString('base64');
}

function* unpack(stored: string): Generator<[number, number]> {
  const reader = new ByteReader(Buffer.from(stored, 'base64'));
  while (!reader.isAtEnd) {
    yield [reader.uint32(), reader.varint()];
  }
}
