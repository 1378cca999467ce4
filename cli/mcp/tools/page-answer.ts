/** A page in the answer of a tool. */
import { z } from 'zod';
import type { OpenedCrawl } from '../../../api/crawl-place.ts';
import type { PageVersion } from '../../../api/page-version.ts';
import { pageLine, pageText, pieceOf } from '../page-text.ts';
import type { AnsweredPage } from '../read-pages.ts';
import type { Call } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { sentence, spellingsOf } from './fields.ts';

const MAX_TITLE = 300;

export const PAGE_OUTPUT = {
  url: z.string(),
  title: z.string().optional(),
  text: z.string(),
  next: z.int().optional(),
  fetchedAt: z.string(),
  status: z.int().optional(),
  language: z.string().optional(),
  usage: z.record(z.string(), z.string()).optional(),
  crawl: z.string().optional(),
  asked: z.string().optional(),
};

/** `asked`: is in the answer if the page has another URL. */
export function pageAnswer(
  { url, asked, title, markdown, usage, ...facts }: AnsweredPage,
  { start = 0, max_chars: maxChars }: { readonly start?: number | undefined; readonly max_chars: number },
  { mark }: Pick<Call, 'mark'>,
) {
  const whole = pageText(markdown);
  if (start > 0 && start >= whole.length)
    throw new ToolError(
      'noMoreText',
      `The page has ${whole.length} characters, so none at ${start}: it was read to its end.`,
    );
  const { text, next } = pieceOf(whole, start, maxChars);
  return {
    url,
    ...(asked !== url && { asked }),
    ...(title !== undefined && start === 0 && { title: mark(pageLine(title, MAX_TITLE)) }),
    ...facts,
    ...(usage && {
      usage: Object.fromEntries(Object.entries(usage).filter(([use]) => /^[\w-]{1,40}$/.test(use))),
    }),
    text: mark(text),
    ...(next !== undefined && { next }),
  };
}

/** The page that is meant, as the crawl has it at that time; undefined if the crawl does not have it by any spelling. */
export async function archivedPage(
  crawl: OpenedCrawl,
  asked: string,
  at: Date | undefined,
  { session: { purpose } }: Pick<Call, 'session'>,
): Promise<AnsweredPage | undefined> {
  for (const url of spellingsOf(asked)) {
    const known = await crawl.url(url);
    if (known?.warcFile === undefined || known.status === 'redirect') continue;
    const version = await crawl
      .document(known.url, { at, onlySeen: true, asDeclared: true, purpose })
      .catch((error: Error) => {
        if (error.name !== 'NoVersion') throw error;
        throw new ToolError(
          /forbids its use/.test(error.message) ? 'usageForbidden' : 'noText',
          sentence(error.message),
        );
      });
    return answered(version, asked);
  }
  return undefined;
}

const answered = ({ visit, document, usage }: PageVersion, asked: string): AnsweredPage => ({
  asked,
  url: document.url,
  title: document.title,
  markdown: document.markdown,
  fetchedAt: visit.time,
  status: visit.change === 'notModified' ? undefined : visit.httpStatus,
  language: document.language,
  usage,
});
