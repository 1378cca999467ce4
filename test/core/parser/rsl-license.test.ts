import { expect, test } from 'vitest';
import { readRslLicense } from '../../../shared/core/parser/rsl-license.ts';

const ORIGIN = 'https://example.test';
const rsl = (content: string) =>
  `<?xml version="1.0"?><rsl xmlns="https://rslstandard.org/rsl">${content}</rsl>`;
const license = (inner: string, url = '/') =>
  rsl(`<content url="${url}"><license>${inner}</license></content>`);
const uses = (text: string) => readRslLicense(text, ORIGIN).map(({ path, value }) => `${path} ${value}`);

test.each([
  ['<prohibits type="usage">ai-train</prohibits>', 'ai-input=y, search=y, tdm=y, train-ai=n'],
  ['<prohibits type="usage">ai-all</prohibits>', 'ai-input=n, search=y, tdm=y, train-ai=n'],
  ['<prohibits type="usage">all</prohibits>', 'ai-input=n, search=n, tdm=n, train-ai=n'],
  ['<permits type="usage">search</permits>', 'ai-input=n, search=y, tdm=n, train-ai=n'],
  ['<permits type="usage">SEARCH, ai-input\n ai-index</permits>', 'ai-input=y, search=y, tdm=n, train-ai=n'],
  ['<permits type="usage"/>', 'ai-input=n, search=n, tdm=n, train-ai=n'],
  [
    '<permits type="usage">all</permits><prohibits type="usage">train-ai</prohibits>',
    'ai-input=y, search=y, tdm=y, train-ai=n',
  ],
  ['<payment type="free"/>', 'ai-input=y, search=y, tdm=y, train-ai=y'],
  ['<payment type="attribution"></payment>', 'ai-input=y, search=y, tdm=y, train-ai=y'],
  [
    '<permits type="usage">train-ai</permits><payment type="subscription"><custom>https://a.test/</custom></payment>',
    'ai-input=n, search=n, tdm=n, train-ai=n',
  ],
  ['<permits type="user">education</permits>', 'ai-input=n, search=n, tdm=n, train-ai=n'],
  ['<permits type="usage"><![CDATA[search]]></permits>', 'ai-input=n, search=y, tdm=n, train-ai=n'],
  ['<permits type="usage"><!-- all -->search</permits>', 'ai-input=n, search=y, tdm=n, train-ai=n'],
])('a licence allows what it permits without a condition: %s', (inner, value) => {
  expect(uses(license(inner))).toEqual([`/ ${value}`]);
});

test('of several licences each offers something', () => {
  const two = rsl(
    '<content url="/a"><license><permits type="usage">search</permits></license><license><permits type="usage">ai-train</permits><payment type="crawl"/></license></content>',
  );
  expect(uses(two)).toEqual(['/a ai-input=n, search=y, tdm=n, train-ai=n']);
});

test('content is named by a path or by a URL of the origin', () => {
  const named = (url: string) => uses(license('<payment type="free"/>', url)).map((one) => one.split(' ')[0]);
  expect(named('/news/*.html$')).toEqual(['/news/*.html$']);
  expect(named(`${ORIGIN}/a?b=1&amp;c=2`)).toEqual(['/a?b=1&c=2']);
  expect(named(ORIGIN)).toEqual(['/']);
  for (const other of [
    'https://other.test/',
    `${ORIGIN}.evil.test/`,
    '//other.test/',
    '',
    'a',
    `/${'a'.repeat(3000)}`,
  ])
    expect(named(other)).toEqual([]);
});

test('a content with a licence server allows nothing, one without a licence states nothing', () => {
  expect(uses(rsl('<content url="/" server="https://l.test"><license/></content>'))).toEqual([
    '/ ai-input=n, search=n, tdm=n, train-ai=n',
  ]);
  expect(uses(rsl('<content url="/"></content>'))).toEqual([]);
});

test('elements may have a prefix, and may be left open', () => {
  expect(uses('<r:rsl><r:content url="/"><r:license><r:prohibits type="usage">search</r:prohibits>')).toEqual(
    ['/ ai-input=y, search=n, tdm=y, train-ai=y'],
  );
});

test('what is no RSL, or declares entities, states nothing', () => {
  for (const text of [
    '',
    '<html><content url="/"><license/></content></html>',
    '{"a":1}',
    '<'.repeat(100_000),
  ])
    expect(uses(text)).toEqual([]);
  expect(uses(`<!DOCTYPE rsl [<!ENTITY a "b">]>${license('<payment type="free"/>')}`)).toEqual([]);
});

test('a very long file is read as far as the limits go', () => {
  const many = rsl('<content url="/a"><license/></content>'.repeat(20_000));
  expect(readRslLicense(many, ORIGIN).length).toBeLessThanOrEqual(1000);
  const long = license(`<permits type="usage">${' search'.repeat(100_000)}</permits>`);
  expect(uses(long)).toEqual(['/ ai-input=n, search=y, tdm=n, train-ai=n']);
});
