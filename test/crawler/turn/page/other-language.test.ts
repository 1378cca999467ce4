import { expect, test } from 'vitest';
import { otherLanguage } from '../../../../shared/crawler/turn/page/other-language.ts';
import type { HookedPage } from '../../../../shared/crawler/turn/page-hooks.ts';

const page = { url: 'http://a.test/' } as HookedPage;
const reads = (language: string | undefined) => async (given: HookedPage) => {
  expect(given).toBe(page);
  return language;
};

test('a crawl wants its languages, whatever their regions, and pages whose language is unknown', async () => {
  const config = { languages: ['de-AT', 'nb'] };
  expect(await otherLanguage(config, page, reads('de'))).toBeUndefined();
  expect(await otherLanguage(config, page, reads('no'))).toBeUndefined();
  expect(await otherLanguage(config, page, reads(undefined))).toBeUndefined();
  expect(await otherLanguage(config, page, reads('en'))).toBe('en');
});

test('a crawl without languages reads no page', async () => {
  const never = () => Promise.reject(new Error('it was read'));
  expect(await otherLanguage({ languages: undefined }, page, never)).toBeUndefined();
});

test('a worker that cannot read languages does not work for a crawl with some', async () => {
  await expect(otherLanguage({ languages: ['de'] }, page, undefined)).rejects.toThrow('Expected a worker');
});
