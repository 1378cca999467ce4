import { z } from 'zod';
import type { OpenedCrawl } from '../../../api/crawl-place.ts';
import type { LineDifference } from '../../../api/text-difference.ts';
import { URL_CHANGES, type UrlChange } from '../../../shared/core/frontier/url-change.ts';
import { fitting, pageLine } from '../page-text.ts';
import { type Call, tool } from '../tool.ts';
import { crawlField, dateOf, limitField, sentence, timeField } from './fields.ts';

/** Further changes are left out: a nearer `since` finds them. */
const MAX_CHANGES = 10_000;
/** Pages whose words are compared for one answer. */
const MAX_COMPARED = 10;
const MAX_WORDS = 300;

export const changes = tool({
  name: 'changes',
  title: 'Changes',
  description:
    'Lists pages that are new, changed, gone or moved since a time, latest first. For one page, use diff_page.',
  kind: 'read',
  input: z.strictObject({
    crawl: crawlField,
    since: timeField,
    kinds: z.array(z.enum(URL_CHANGES)).min(1).max(URL_CHANGES.length).optional(),
    limit: limitField(50, 200),
    cursor: z.int().min(0).optional(),
  }),
  hasPageText: true,
  output: z.object({
    changes: z.array(
      z.object({
        url: z.string(),
        change: z.string(),
        at: z.string(),
        cause: z.string().optional(),
        removed: z.string().optional(),
        added: z.string().optional(),
      }),
    ),
    total: z.int(),
    cursor: z.int().optional(),
  }),
  run: async ({ crawl: name, since, kinds, limit, cursor = 0 }, call) =>
    call.session.crawls.with(name, async (crawl) => {
      const from = dateOf(since) as Date;
      const all = await collect(crawl, from, kinds, call.signal);
      const page = all.slice(cursor, cursor + limit);
      const rows = [];
      let compared = 0;
      for (const { url, change, at, cause } of page) {
        const isCompared = change === 'changed' && compared++ < MAX_COMPARED && !call.signal.aborted;
        rows.push({
          url,
          change,
          at,
          ...(cause !== undefined && { cause: sentence(cause) }),
          ...(isCompared && (await wordsOf(crawl, url, from, call))),
        });
      }
      const shown = fitting(rows);
      const next = cursor + shown.length;
      return { changes: shown, total: all.length, ...(next < all.length && { cursor: next }) };
    }),
});

/** The latest first. */
async function collect(
  crawl: OpenedCrawl,
  since: Date,
  kinds: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<UrlChange[]> {
  const found: UrlChange[] = [];
  for await (const one of crawl.changes(since)) {
    signal.throwIfAborted();
    if (kinds !== undefined && !kinds.includes(one.change)) continue;
    if (found.push(one) >= MAX_CHANGES) break;
  }
  return found.sort((a, b) => (a.at !== b.at ? (a.at < b.at ? 1 : -1) : a.url < b.url ? -1 : 1));
}

/** The words that differ from what the page was at that time; none if they cannot be compared. */
async function wordsOf(crawl: OpenedCrawl, url: string, from: Date, { session, mark }: Call) {
  try {
    const { lines } = await crawl.diff(url, { from, onlySeen: true, purpose: session.purpose });
    const words = (kind: 'removed' | 'added') => {
      const text = pageLine(partsOf(lines, kind), MAX_WORDS);
      return text === '' ? {} : { [kind]: mark(text) };
    };
    return { ...words('removed'), ...words('added') };
  } catch (error) {
    if ((error as Error).name === 'NoDifference') return {};
    throw error;
  }
}

/** The words of that kind in their order; where others stand between them, ` ... `. */
function partsOf(lines: readonly LineDifference[], kind: 'removed' | 'added'): string {
  const pieces: string[] = [];
  for (const { parts } of lines) {
    let piece = '';
    for (const part of parts) {
      if (part.kind === kind || (part.kind === 'same' && part.text.trim() === '')) piece += part.text;
      else if (part.kind === 'same') {
        pieces.push(piece);
        piece = '';
      }
    }
    pieces.push(piece);
  }
  return pieces
    .filter((piece) => piece.trim() !== '')
    .map((piece) => piece.trim())
    .join(' ... ');
}
