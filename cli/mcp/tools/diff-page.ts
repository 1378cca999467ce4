import { z } from 'zod';
import { diffText } from '../../diff-text.ts';
import { pageText, pieceOf } from '../page-text.ts';
import { tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';
import { crawlField, dateOf, readUrl, sentence, timeField, urlField } from './fields.ts';

const MAX_CHARS = 20_000;

export const diffPage = tool({
  name: 'diff_page',
  title: 'Compare visits',
  description:
    'Shows how the text of a page differs between two times: [-old-]{+new+}. Without times, its last change.',
  kind: 'read',
  input: z.strictObject({
    crawl: crawlField,
    url: urlField,
    from: timeField.optional(),
    to: timeField.optional(),
  }),
  hasPageText: true,
  output: z.object({
    url: z.string(),
    from: z.string(),
    to: z.string(),
    diff: z.string(),
    cut: z.boolean().optional(),
  }),
  run: async ({ crawl: name, url, from, to }, { session: { crawls, purpose }, mark }) =>
    crawls.with(name, async (crawl) => {
      const asked = readUrl(url);
      const times = { from: dateOf(from), to: dateOf(to) };
      if (times.from && times.to && times.from > times.to)
        throw new ToolError('invalidTimes', 'Expected `from` before `to`.');
      const found = await crawl.diff(asked, { ...times, onlySeen: true, purpose }).catch((error: Error) => {
        if (error.name !== 'NoDifference') throw error;
        throw new ToolError('noDifference', sentence(`${error.message}. get_page shows what there is`));
      });
      const { text, next } = pieceOf(pageText(diffText(found, false)), 0, MAX_CHARS);
      return {
        url: found.url,
        from: found.from.time,
        to: found.to.time,
        diff: mark(text),
        ...(next !== undefined && { cut: true }),
      };
    }),
});
