/** The form in which a response is read. */
import { describe, expect, test } from 'vitest';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import type { FetchedPage } from '../../../../shared/crawler/turn/fetched-page.ts';
import { formOf, type PageFormsOptions } from '../../../../shared/crawler/turn/page/page-forms.ts';
import type { PageReading } from '../../../../shared/crawler/turn/page/page-reader.ts';

const response = { httpStatus: 200, body: 'as it was sent' };
const fetched = { record: { url: 'http://a.test/' }, response } as unknown as FetchedPage;
const factsOf = (title: string) => ({ title }) as DocumentFacts;
const fetchedPage: PageReading = { state: 'fetched', facts: factsOf('as it was sent') };
const later = { retryMs: 1000, isAttempt: true, cause: { code: 'other', text: 'busy' } } as const;
const cause = { code: 'other', text: 'it was cut' } as const;

/** The ways of a turn, with what was asked of them. */
function formsOf(document: object | 'none' | 'stopped', rendered: object | 'none' | 'stopped' = 'none') {
  const asked: string[] = [];
  const documents = {
    reads: () => document !== 'none',
    async read() {
      asked.push('document');
      return document === 'stopped' ? undefined : document;
    },
  };
  const rendering = {
    wantsSigns: () => rendered !== 'none',
    async render({ facts }: { facts: DocumentFacts }) {
      asked.push(`render ${facts.title}`);
      return rendered === 'stopped' ? undefined : rendered;
    },
  };
  const options = { documents, rendering } as unknown as PageFormsOptions;
  const of = (page = fetchedPage) => formOf(options, fetched, page, (facts) => ({ facts }) as never);
  return { of, asked, options };
}

describe('a response is read as its site sent it', () => {
  test.each<[what: string, page: PageReading]>([
    ['if it redirects', { ...fetchedPage, state: 'redirect' }],
    ['if its page is gone', { ...fetchedPage, state: 'gone' }],
    ['if nothing was parsed', { state: 'fetched' }],
  ])('%s, whatever the crawl does with pages', (_, page) => {
    const { of, asked } = formsOf({ facts: factsOf('document') }, { facts: factsOf('rendered') });
    expect(of(page)).toEqual({ fetched, page });
    expect(asked).toEqual([]);
  });

  test('at once, if no module reads it and it is not rendered', () => {
    expect(formsOf('none').of()).toEqual({ fetched, page: fetchedPage });
    const { options } = formsOf('none');
    const form = formOf({ ...options, rendering: undefined }, fetched, fetchedPage, () => ({}) as never);
    expect(form).toEqual({ fetched, page: fetchedPage });
  });
});

describe('a document that a module reads', () => {
  test('has its content and facts, and is not rendered', async () => {
    const content = { text: 'text' };
    const { of, asked } = formsOf(
      { facts: factsOf('document'), content, cause },
      { facts: factsOf('rendered') },
    );
    expect(await of()).toEqual({
      fetched: { ...fetched, content },
      page: { state: 'fetched', facts: factsOf('document'), cause },
    });
    expect(asked).toEqual(['document']);
  });

  test('keeps the cause that its response has', async () => {
    const broken = { code: 'other', text: 'it broke off' } as const;
    const form = await formsOf({ facts: factsOf('document'), cause }).of({ ...fetchedPage, cause: broken });
    expect(form).toMatchObject({ page: { cause: broken } });
  });

  test('is read later, or not at all', async () => {
    expect(await formsOf(later).of()).toBe(later);
    expect(await formsOf('stopped').of()).toBeUndefined();
  });
});

describe('a page that is rendered', () => {
  test('is read as its scripts made it, and says what is to be released', async () => {
    const view = { ...response, body: 'as scripts made it' };
    const rendered = { facts: factsOf('rendered'), view, cause };
    const { of, asked } = formsOf('none', rendered);
    expect(await of()).toEqual({
      fetched: { ...fetched, response: view },
      page: { state: 'fetched', facts: factsOf('rendered'), cause },
      rendered,
    });
    expect(asked).toEqual(['render as it was sent']);
  });

  test('is read as its site sent it where that did not work', async () => {
    const rendered = { facts: factsOf('as it was sent'), cause };
    expect(await formsOf('none', rendered).of()).toEqual({
      fetched,
      page: { ...fetchedPage, cause },
      rendered,
    });
  });

  test('is rendered later, or not at all', async () => {
    expect(await formsOf('none', later).of()).toBe(later);
    expect(await formsOf('none', 'stopped').of()).toBeUndefined();
  });
});
