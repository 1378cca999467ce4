import { z } from 'zod';
import type { PageDocument } from '../../../shared/services/outputs/page-document.ts';
import type { PageContext } from '../../../shared/services/project/project.ts';
import { notRead } from '../not-read.ts';
import type { AnsweredPage } from '../read-pages.ts';
import { type Call, tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { charsField, readUrl, sentence, startField, urlField } from './fields.ts';
import { archivedPage, PAGE_OUTPUT, pageAnswer } from './page-answer.ts';

export const readPage = tool({
  name: 'read_page',
  title: 'Read a page',
  description:
    'Returns a web page as Markdown, from a crawl or fetched. For many pages, use map_site or search_crawl first.',
  kind: 'web',
  input: z.strictObject({
    url: urlField,
    start: startField,
    max_chars: charsField,
    fresh: z.boolean().default(false),
  }),
  hasPageText: true,
  output: z.object(PAGE_OUTPUT),
  async run({ url: text, fresh, ...part }, call) {
    const asked = readUrl(text);
    const { pages } = call.session;
    const page = await pages.read(JSON.stringify([asked]), !part.start, async () => {
      const kept = fresh ? undefined : await pageOfCrawls(asked, call);
      return kept ?? fetchedPage(asked, fresh, call);
    });
    return pageAnswer(page, part, call);
  },
});

const pageOfCrawls = (asked: string, call: Call): Promise<AnsweredPage | undefined> =>
  call.session.crawls.first(async (crawl, { crawl: name }) => {
    const page = await archivedPage(crawl, asked, undefined, call);
    return page && { ...page, crawl: name };
  });

async function fetchedPage(
  asked: string,
  fresh: boolean,
  { session: { live } }: Call,
): Promise<AnsweredPage> {
  await live.check(asked);
  const page = await live.fetch(asked, fresh).catch((error: Error) => {
    throw notRead(error);
  });
  const { url, response, usage } = page;
  const { title, markdown, language } = await contentOf(page);
  return {
    ...{ url, asked, title, markdown },
    fetchedAt: new Date(response.startedAt).toISOString(),
    status: response.httpStatus,
    language,
    usage: usage?.preferences,
  };
}

const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** By the type that the page has, whatever its server states. */
async function contentOf({ url, response, body }: PageContext): Promise<PageDocument> {
  const headers = response.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding');
  const page = { date: '', headers, body: Buffer.from(body) };
  const { documentOf } = await import('../../../shared/services/outputs/page-document.ts');
  const document = await documentOf(url, page, MAX_PAGE_BYTES, { onlySeen: true, asDeclared: true }).catch(
    (error: Error) => {
      throw new ToolError('noText', sentence(`${url} cannot be read: ${error.message}`));
    },
  );
  if (document !== undefined) return document;
  throw new ToolError(
    'noText',
    `${url} has no text, or only with JavaScript, which this tool does not run. Look for another page, such as its llms.txt (map_site).`,
  );
}
