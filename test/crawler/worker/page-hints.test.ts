import { expect, test } from 'vitest';
import { page, redirect, type Site } from './scripted-fetcher.ts';
import { crawlToEnd, recordOf } from './world.ts';

const A = 'http://a.test';
const APP =
  '<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript>' +
  '<div id=root></div><script src=/app.js></script>';
const FORM = '<form><input name=user><input type=password name=word></form><p>Please sign in.</p>';

test.each([
  ['scripts and no text', APP, { javascript: 1 }],
  ['scripts, text and a link', `<script></script>${'text '.repeat(100)}<a href=/1>1</a>`, undefined],
  ['scripts and text, where the crawl ends', `<script></script>${'text '.repeat(100)}`, { javascript: 1 }],
  ['scripts and a link', `${APP}<a href=/1>1</a>`, undefined],
  ['neither scripts nor text', '<p>', undefined],
])('a page with %s', async (_, body, hints) => {
  for (const requisites of [false, true]) {
    const { totals, engine } = await crawlToEnd({ [`${A}/`]: { body } }, { requisites });
    expect(totals.hints).toEqual(hints);
    const { result } = (await recordOf(engine, `${A}/`))!;
    expect(result?.cause?.code).toBe(hints ? 'needsJavaScript' : undefined);
  }
});

test('a seed that redirects to a login page counts as one that led to it, and not as fetched', async () => {
  const site: Site = {
    [`${A}/`]: redirect('/account/login?next=/'),
    [`${A}/account/login?next=/`]: { body: FORM },
  };
  const { totals } = await crawlToEnd(site);
  expect(totals.seeds).toEqual({ redirect: 1, login: 1 });
  expect(totals.hints).toEqual({ login: 1 });
});

test.each([
  ['some of its links were left out', `${FORM}<a href="/1"></a><a href="/2"></a>`],
  ["it is for nobody's index", `<meta name="robots" content="noindex">${FORM}`],
])('a login page counts as one also if %s', async (_, body) => {
  const site: Site = { [`${A}/`]: redirect('/account/login'), [`${A}/account/login`]: { body } };
  const { totals } = await crawlToEnd(site, { maxLinksPerPage: 1 });
  expect(totals.seeds).toEqual({ redirect: 1, login: 1 });
});

test.each<[string, Site]>([
  [
    'a login page that the operator requested',
    { [`${A}/`]: redirect('/login/'), [`${A}/login/`]: page('/x') },
  ],
  [
    'a home page with a field for a password',
    { [`${A}/`]: redirect('/home'), [`${A}/home`]: { body: FORM } },
  ],
  ['an article about logins', { [`${A}/`]: redirect('/blogin/1'), [`${A}/blogin/1`]: { body: FORM } }],
])('%s is a page like any', async (_, site) => {
  const { totals } = await crawlToEnd(site);
  expect(totals.seeds).toEqual({ redirect: 1, fetched: 1 });
});
