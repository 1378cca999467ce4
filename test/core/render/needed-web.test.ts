import { expect, test } from 'vitest';
import { extractContent } from '../../../shared/core/content/extract.ts';
import { createDocumentParser, type DocumentFacts } from '../../../shared/core/parser/document.ts';
import { gainOf, NEEDED_GAIN, type ReadPage } from '../../../shared/core/render/gain.ts';
import { createTemplateNeeds } from '../../../shared/core/render/template-needs.ts';
import { isUnfilled } from '../../../shared/core/render/unfilled.ts';
import { randomOf } from '../../../simulation/models/random.ts';
import { TEMPLATES } from './needed-web.ts';

/** A rendering that fails, and says nothing of the page. */
const FAILING = 0.05;

async function parse(url: string, html: string): Promise<DocumentFacts> {
  const headers = [['Content-Type', 'text/html; charset=utf-8']] as const;
  const parser = createDocumentParser({
    url,
    headers,
    maxDecodedBytes: 1e7,
    maxLinks: 1000,
    wantsSigns: true,
  });
  parser.write(Buffer.from(html));
  return parser.end();
}

async function read(url: string, html: string): Promise<ReadPage> {
  const { text, visibleText = '' } = extractContent(html, url);
  return { url, main: text, visible: visibleText, links: (await parse(url, html)).links };
}

test('of 26 templates those are rendered that need it, for few trials', async () => {
  const random = randomOf(3, 'rendering');
  const all = TEMPLATES.flatMap((template) =>
    Array.from({ length: template.pages }, (_, n) => ({ template, n })),
  );
  const pages = all
    .map((page) => ({ page, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ page }) => page);
  const needs = createTemplateNeeds();
  // Links of pages as they count.
  const known = new Set<string>();
  const counts = { rendered: 0, right: 0, needed: 0, trials: 0 };
  for (const { template, n } of pages) {
    const url = `http://a.test/${template.name}/${n}`;
    const { sent, shown } = template.make(n);
    const { signs, links } = await parse(url, sent);
    const { hasScripts = false, textChars = 0 } = signs ?? {};
    const ownLinks = links.filter(({ kind }) => kind === 'a').length;
    const mode = needs.modeOf(
      url,
      { hasScripts, isUnfilled: () => isUnfilled(sent, { textChars, ownLinks }) },
      0,
    );
    const fails = random() < FAILING;
    let isRendered = mode === 'rendered' && !fails;
    if (mode === 'trial') {
      counts.trials++;
      const gain = fails
        ? undefined
        : gainOf(await read(url, sent), await read(url, shown), (link) => !known.has(link));
      needs.learn(url, gain, 0);
      isRendered = (gain ?? 0) > NEEDED_GAIN;
    }
    for (const link of (await parse(url, isRendered ? shown : sent)).links) known.add(link.url);
    if (template.pages < 20 || (fails && mode !== 'plain')) continue;
    if (isRendered) counts.rendered++;
    if (template.needsRendering) counts.needed++;
    if (isRendered && template.needsRendering) counts.right++;
  }
  const figures = {
    precision: counts.right / counts.rendered,
    recall: counts.right / counts.needed,
    trialShare: counts.trials / pages.length,
  };
  expect(figures.precision, JSON.stringify(figures)).toBeGreaterThanOrEqual(0.98);
  expect(figures.recall, JSON.stringify(figures)).toBeGreaterThanOrEqual(0.98);
  expect(figures.trialShare, JSON.stringify(figures)).toBeLessThanOrEqual(0.02);
  const modes = TEMPLATES.filter(({ pages }) => pages >= 20).map(({ name, needsRendering }) => [
    name,
    (needs.of(`http://a.test/${name}/0`)?.mode ?? 'plain') === 'rendered' ? needsRendering : !needsRendering,
  ]);
  expect(modes.filter(([, isRight]) => !isRight)).toEqual([]);
});
