import { z } from 'zod';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import type { Explanation } from '../../../shared/services/report/explanation.ts';
import { pageLine } from '../page-text.ts';
import { type Call, tool } from '../tool.ts';
import { crawlField, readUrl, sentence, urlField } from './fields.ts';

const MAX_RULE = 200;

export const explainUrl = tool({
  name: 'explain_url',
  title: 'Explain a URL',
  description:
    'Says what a crawl would do with a URL and why: scope, robots.txt, template, rank, what happened. Makes no request.',
  kind: 'read',
  input: z.strictObject({ crawl: crawlField, url: urlField }),
  hasPageText: true,
  output: z.object({
    url: z.string(),
    verdict: z.string(),
    wouldBeFetched: z.boolean(),
    scope: z.string().optional(),
    robots: z.string().optional(),
    rule: z.string().optional(),
    line: z.int().optional(),
    template: z.string().optional(),
    rank: z.int().optional(),
    next: z.string().optional(),
    known: z.string().optional(),
  }),
  async run({ crawl: name, url }, call) {
    const asked = readUrl(url);
    const { crawls, config } = call.session;
    if (name === undefined && (await crawls.list()).length !== 1) {
      const { explainUrl: explain } = await import('../../../shared/services/report/explain.ts');
      return answerOf(asked, explain({ url: asked, config: parseConfig(config), now: Date.now() }), call);
    }
    return crawls.with(name, async (crawl) => answerOf(asked, await crawl.explain(asked), call));
  },
});

function answerOf(asked: string, explained: Explanation, { mark }: Call) {
  const {
    canonical = asked,
    verdict,
    wouldBeFetched,
    scope,
    robots,
    template,
    rank,
    hostState,
    hours,
    known,
  } = explained;
  const next = hours?.from ?? hostState?.nextFetchAt;
  const isTemplateShut = template?.isClosed === true || template?.isFull === true;
  const result =
    known && [known.status, known.httpStatus, known.cause].filter((one) => one !== undefined).join(', ');
  return {
    url: canonical,
    verdict: sentence(verdict),
    wouldBeFetched,
    ...(scope && { scope: `${scope.reason === undefined ? 'in' : 'out'}: ${sentence(scope.rule)}` }),
    ...(robots && {
      robots: robots.forbiddenUse === undefined ? robots.says : `forbids ${sentence(robots.forbiddenUse)}`,
    }),
    ...(robots?.rule !== undefined && { rule: mark(pageLine(robots.rule, MAX_RULE)) }),
    ...(robots?.line !== undefined && { line: robots.line }),
    ...(template && { template: `${sentence(template.template)}, ${isTemplateShut ? 'closed' : 'open'}` }),
    ...(rank !== undefined && { rank }),
    ...(next !== undefined && { next }),
    ...(result !== undefined && { known: sentence(result) }),
  };
}
