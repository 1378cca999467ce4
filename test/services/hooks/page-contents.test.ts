import { expect, test, vi } from 'vitest';
import type { PageHooks } from '../../../shared/crawler/turn/page-hooks.ts';
import { createHooks } from '../../../shared/services/hooks/create-hooks.ts';
import { createLanguageReader } from '../../../shared/services/hooks/read-language.ts';
import { handClock, madePage } from './made-page.ts';

const config = {
  blockTimeoutMs: 60_000,
  hookTimeoutMs: 60_000,
  maxDecodedBytes: 5_000_000,
  maxLinksPerPage: 5,
};

/** Returns how often the body of a page is read for its language, by an extraction hook and by `onPage`. */
async function readsOf(body: string): Promise<number> {
  const page = await madePage({ body });
  const bytes = vi.spyOn(page.response.body, 'bytes');
  const hooks = createHooks(
    {
      extraction: [async (page, next) => ({ ...(await next()), title: page.markdown })],
      onPage: ({ text, markdown, mainText, language }) => ({ text, markdown, mainText, language }),
    },
    { config, clock: handClock().clock },
  ) as PageHooks;
  await createLanguageReader(config)(page);
  await hooks.extract(page);
  const { items } = await hooks.onPage(page);
  expect(JSON.parse(items[0]!)).toMatchObject({ text: 'Nur ein Satz', mainText: 'Nur ein Satz' });
  return bytes.mock.calls.length;
}

const SENTENCE = '<p>Nur ein Satz</p>';

test('the language of a page and its hooks share one content', async () => {
  expect(await readsOf(SENTENCE)).toBe(1);
});

test('the content of a large page is not kept between them', async () => {
  expect(await readsOf(`${SENTENCE}<!--${'x'.repeat(1024 * 1024)}-->`)).toBe(3);
});
