import { describe, expect, test } from 'vitest';
import {
  createHtmlLinks,
  type HtmlLink,
  type HtmlLinksOptions,
} from '../../../shared/core/parser/html-links.ts';
import { createXmlLinks } from '../../../shared/core/parser/xml-links.ts';
import { canonicalize, createResolver } from '../../../shared/core/url/canonical.ts';
import { withoutHang } from '../../hang-guard.ts';

const URL = 'https://a.test/dir/page.html';
const resolve = (reference: string, base: string) => createResolver(base)(reference);

const linksOf = (html: string, options: Partial<HtmlLinksOptions> = {}): string[] =>
  parse(html, options).map(({ url }) => url);

const parse = (html: string, options: Partial<HtmlLinksOptions> = {}): HtmlLink[] =>
  withoutHang(() => {
    const parser = createHtmlLinks({
      url: URL,
      contentType: 'text/html',
      maxLinks: 100_000,
      resolve,
      ...options,
    });
    parser.write(Buffer.from(html));
    return parser.end().links;
  });

describe('a page that is made to take long', () => {
  test('a tag of equals signs inside SVG', () => {
    expect(linksOf(`<svg><g ${'='.repeat(4_000_000)} "/></svg><a href=/x>`)).toEqual(['https://a.test/x']);
    expect(linksOf(`<svg><g ${'=/'.repeat(2_000_000)}/></svg><a href=/x>`)).toEqual(['https://a.test/x']);
  });

  test('end tags that close nothing, inside many open elements', () => {
    const open = `<svg>${'<g>'.repeat(600)}`;
    expect(linksOf(`${open}${'</x>'.repeat(4_000_000)}</svg><a href=/x>`)).toEqual(['https://a.test/x']);
    const gates = `<svg><title><x><svg><desc><svg>${'<g>'.repeat(600)}`;
    expect(linksOf(`${gates}${'</x>'.repeat(4_000_000)}`)).toEqual([]);
  });

  test('a base of megabytes, and thousands of references', () => {
    const references = Array.from({ length: 50_000 }, (_, i) => `<a href=%${i}>`).join('');
    const found = linksOf(`<base href="https://b.test/${'b'.repeat(2_000_000)}/">${references}`);
    expect(found).toEqual([]);
  });

  test('links that need no more than the host of a base that is too long', () => {
    const long = `https://b.test/${'\u4e00'.repeat(2000)}/`;
    const html = `<base href="${long}"><a href=x><a href=?y><a href=/x><a href="//c.test/"><a href="http:/z">`;
    expect(linksOf(html)).toEqual(['https://b.test/x', 'https://c.test/', 'http://z/']);
  });

  test('host names of thousands of characters', () => {
    const label = Array.from({ length: 5000 }, (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 20_000)));
    const links = Array.from({ length: 1000 }, (_, i) => `<a href="//${label.join('')}${i}.test/">`).join('');
    expect(linksOf(`${links}<a href=/x>`)).toEqual(['https://a.test/x']);
  });
});

describe('a host name that is too long', () => {
  const label = Array.from({ length: 5000 }, (_, i) =>
    String.fromCharCode(0x4e00 + ((i * 7919) % 20_000)),
  ).join('');
  const percent = encodeURIComponent(label.slice(0, 1000));

  test.each([
    ['of an absolute URL', `https://${label}.test/`],
    ['behind white space and controls', ` \u0001 ht\ntp\t://\t/${label}.test/`],
    ['behind backslashes', `\\\\${label}.test/`],
    ['behind one slash', `https:/${label}.test/`],
    ['behind no slash', `http:${label}.test/`],
    ['behind user information', `//${'u'.repeat(800)}:p@${label}@${label}.test:80/`],
    ['percent-encoded', `//${percent}.test/`],
    ['of full-width letters', `//${'\uff41'.repeat(5000)}.test/`],
    ['up to a query', `//${label}.test?q`],
    ['of one label', `//${'a'.repeat(64)}.test/`],
    ['of many labels', `//${'a.'.repeat(127)}test/`],
    ['of an IDNA label', `//${'\u00fc'.repeat(60)}\u4e00.test/`],
  ])('%s is no URL', (_, reference) => {
    const many = () => Array.from({ length: 1000 }, () => canonicalize(reference, 'https://a.test/'));
    expect(withoutHang(many)[0]).toBeUndefined();
    expect(createResolver('https://a.test/')(reference)).toBeUndefined();
  });

  test.each([
    ['63 characters in a label', `https://${'a'.repeat(63)}.test/`],
    ['253 characters', `https://${'a.'.repeat(124)}tests/`],
    ['253 characters and a final dot', `https://${'a.'.repeat(124)}tests./`],
    ['253 characters and a port', `https://${'a.'.repeat(124)}tests:8080/`],
  ])('one of %s is a URL', (_, url) => {
    expect(canonicalize(url)).toBe(url);
    expect(createResolver('https://a.test/')(url)).toBe(url);
    expect(canonicalize(url.replace('https:', ''), 'https://a.test/')).toBe(url);
  });

  test.each([
    ['a path', `/${label}`],
    ['a path without a slash', `a${label}`],
    ['a query', `?${label}`],
    ['the path of another host', `//b.test/${label}`],
    ['user information', `//${'u'.repeat(2000)}@b.test/`],
    ['white space', `${' '.repeat(2000)}/x`],
  ])('is not mistaken for %s', (_, reference) => {
    expect(canonicalize(reference, 'https://a.test/')).toMatch(/^https:\/\/[ab]\.test\//);
  });
});

describe('a sitemap that is made to take long', () => {
  test('a priority of digits', () => {
    const digits = '0'.repeat(8000);
    const entry = `<url><loc>https://a.test/x</loc><priority>${digits}x</priority></url>`;
    const links = withoutHang(() => {
      const parser = createXmlLinks({ url: URL, contentType: 'text/xml', maxLinks: 10 });
      parser.write(Buffer.from(`<urlset>${entry.repeat(6000)}</urlset>`));
      return parser.end().links;
    });
    expect(links).toEqual([{ url: 'https://a.test/x', kind: 'url' }]);
  });

  test.each([
    ['0.5', 0.5],
    ['1', 1],
    ['.8', 0.8],
    ['0', 0],
    ['1.0', 1],
    ['00.25', 0.25],
  ])('priority %s is still read', (text, priority) => {
    const parser = createXmlLinks({ url: URL, contentType: 'text/xml', maxLinks: 10 });
    const entry = `<url><loc>https://a.test/x</loc><priority>${text}</priority></url>`;
    parser.write(Buffer.from(`<urlset>${entry}</urlset>`));
    expect(parser.end().links).toEqual([{ url: 'https://a.test/x', kind: 'url', priority }]);
  });
});

describe('a self-closing tag', () => {
  // Behind an empty title the link is one of SVG, inside of a title one of HTML.
  const isEmpty = (tag: string) => parse(`<svg><title ${tag}<a href=/x></title></svg>`)[0]?.kind === 'link';
  test.each(['/>', 'a/>', 'a=b />', 'a="b"/>', "a='b'/ />", 'a="/" />', 'a ="b" / />', '=/>'])(
    '%s',
    (tag) => {
      expect(isEmpty(tag)).toBe(true);
    },
  );
  test.each(['>', '/ >', 'a=b/>', 'a=/>', 'a= />', 'a="/">', 'a=b=c/>'])('not %s', (tag) => {
    expect(isEmpty(tag)).toBe(false);
  });
});

describe('a page of very many links', () => {
  const parse = (html: string, maxLinks: number) => {
    const parser = createHtmlLinks({ url: URL, contentType: 'text/html', maxLinks, resolve });
    parser.write(Buffer.from(html));
    return withoutHang(() => parser.end());
  };

  test('a million are taken in if they may', () => {
    const html = Array.from({ length: 1_000_000 }, (_, n) => `<a href=${n}>`).join('');
    expect(parse(html, 1_000_000)).toMatchObject({ droppedLinks: 0, links: { length: 1_000_000 } });
    const { links, droppedLinks, dropCause, dropped } = parse(html, 100_000);
    expect([links.length, droppedLinks, dropCause]).toEqual([100_000, 900_000, 'more than 100000 links']);
    expect(dropped).toHaveLength(1000);
    expect(dropped?.[0]).toBe('https://a.test/dir/100000');
  });

  test('their characters are bounded, also those that come from a long base', () => {
    const html = Array.from({ length: 100_000 }, (_, n) => `<a href=${n}>`).join('');
    const { links, droppedLinks, dropCause } = parse(`<base href="/${'b'.repeat(2000)}/">${html}`, 100_000);
    expect(links.length).toBeLessThan(17_000);
    expect(links.length + droppedLinks).toBe(100_000);
    expect(dropCause).toBe('more than 33554432 characters of links');
  });
});
