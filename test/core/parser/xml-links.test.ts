import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createXmlLinks, type XmlLinksOptions } from '../../../shared/core/parser/xml-links.ts';

function parse(
  xml: string | Uint8Array,
  options: Partial<XmlLinksOptions> = {},
  step = Number.POSITIVE_INFINITY,
) {
  const parser = createXmlLinks({
    url: 'http://h/d/x.xml',
    contentType: 'application/xml',
    maxLinks: 100,
    wantsRequisites: true,
    ...options,
  });
  const bytes = Buffer.from(xml as Uint8Array);
  for (let at = 0; at < bytes.length; at += step) parser.write(bytes.subarray(at, at + step));
  return parser.end();
}
const links = (xml: string, options?: Partial<XmlLinksOptions>) =>
  parse(xml, options).links.map(({ kind, url }) => `${kind} ${url.replace('http://h/', '')}`);
const urlset = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${content}</urlset>`;

describe('sitemaps', () => {
  test('a URL has its priority and its date', () => {
    const xml = urlset(
      '<url>\n<loc> http://h/a?b=1&amp;c=2#d\n</loc><lastmod>2005-01-01</lastmod><changefreq>monthly</changefreq><priority>0.8</priority></url>' +
        '<url><priority>1</priority><loc><![CDATA[http://h/b?c&d]]></loc></url><url><loc>/c</loc></url>',
    );
    expect(parse(xml)).toEqual({
      type: 'sitemap',
      root: 'urlset',
      charset: 'utf-8',
      droppedLinks: 0,
      links: [
        { url: 'http://h/a?b=1&c=2', kind: 'url', priority: 0.8, modifiedAt: Date.UTC(2005, 0, 1) },
        { url: 'http://h/b?c&d', kind: 'url', priority: 1 },
        { url: 'http://h/c', kind: 'url' },
      ],
    });
  });

  test.each(['1.1', '-1', 'high', '', '0,5', 'Infinity', '1e-1'])('a priority of %j is none', (priority) => {
    const xml = urlset(`<url><loc>/a</loc><priority>${priority}</priority><lastmod>now</lastmod></url>`);
    expect(parse(xml).links).toEqual([{ url: 'http://h/a', kind: 'url' }]);
  });

  test('an index names sitemaps', () => {
    const xml = '<sitemapindex><sitemap><loc>/a.xml.gz</loc><lastmod>2005</lastmod></sitemap></sitemapindex>';
    expect(parse(xml)).toMatchObject({
      type: 'sitemapIndex',
      links: [{ url: 'http://h/a.xml.gz', kind: 'sitemap', modifiedAt: Date.UTC(2005, 0, 1) }],
    });
  });

  test('an entry may be the URL itself', () => {
    expect(
      parse(urlset('<url> http://h/a </url><url>b</url><url><lastmod>2005</lastmod></url>')).links,
    ).toEqual([{ url: 'http://h/a', kind: 'url' }]);
    const index = '<sitemapindex><sitemap>\nhttp://h/s.xml?a&amp;b\n</sitemap></sitemapindex>';
    expect(parse(index).links).toEqual([{ url: 'http://h/s.xml?a&b', kind: 'sitemap' }]);
  });

  test('translations are URLs, images and videos requisites, under any prefixes', () => {
    const xml = `<s:urlset xmlns:s="s"><s:url><s:loc>/a</s:loc><x:link rel="alternate" hreflang="de" href="/b?c&amp;d"/><x:link rel="self" href="/e"/>
      <i:image><i:loc>/f.png</i:loc></i:image><v:video><v:thumbnail_loc>/g.png</v:thumbnail_loc><v:content_loc>/h.mp4</v:content_loc></v:video>
      <o:loc>/no</o:loc></s:url></s:urlset>`;
    const expected = ['url a', 'url b?c&d', 'img f.png', 'img g.png', 'media h.mp4'];
    expect(links(xml)).toEqual(expected);
    expect(links(xml, { wantsRequisites: false })).toEqual(expected.slice(0, 2));
  });

  test('the facts about a URL that a translation named before are kept', () => {
    const xml = urlset(
      '<url><loc>/a</loc><x:link rel="alternate" href="/b"/></url><url><loc>/b</loc><priority>0.1</priority></url>',
    );
    expect(parse(xml).links[1]).toEqual({ url: 'http://h/b', kind: 'url', priority: 0.1 });
  });

  test('URLs that are none are passed over', () => {
    expect(
      links(urlset('<url><loc>mailto:a</loc></url><url><loc> </loc></url><url/><url><loc/></url>')),
    ).toEqual([]);
  });

  test('50,000 URLs are read, and more are counted', () => {
    const urls = Array.from({ length: 50_010 }, (_, n) => `<url><loc>http://h/${n}</loc></url>`);
    const whole = parse(urlset(urls.slice(0, 50_000).join('')));
    expect([whole.links.length, whole.droppedLinks, whole.fault]).toEqual([50_000, 0, undefined]);
    const more = parse(urlset(urls.join('')));
    expect([more.links.length, more.droppedLinks, more.fault]).toEqual([50_000, 10, 'more than 50000 links']);
  });
});

describe('feeds', () => {
  test('RSS: links, permanent links, enclosures', () => {
    const xml = `<rss version="2.0" xmlns:atom="a"><channel><link>/no</link><atom:link href="/no" rel="self"/><item><title>A &nbsp; <b>x</b></title><link>/a</link>
      <atom:link href="/no"/><atom:link>/no</atom:link><guid>http://h/b</guid><enclosure url="/c.mp3?x&amp;y" length="1"/></item>
      <item><guid isPermaLink="false">http://h/no</guid><guid>17</guid></item></channel></rss>`;
    expect(parse(xml).type).toBe('feed');
    expect(links(xml)).toEqual(['item a', 'item b', 'media c.mp3?x&y']);
  });

  test('further pages of the feed (RFC 5005)', () => {
    const paged =
      '<link rel="next" href="/p2"/><link rel="previous" href="/no"/><link rel="Prev-Archive" href="/old"/>';
    const atom = `<feed xmlns="a">${paged}<entry><link rel="next" href="/no"/></entry></feed>`;
    expect(links(atom)).toEqual(['link p2', 'link old']);
    const rss = `<rss xmlns:atom="a"><channel>${paged.replaceAll('<link', '<atom:link')}<link>/no</link></channel></rss>`;
    expect(links(rss)).toEqual(['link p2', 'link old']);
  });

  test('RSS 1.0', () => {
    const xml =
      '<rdf:RDF xmlns:rdf="r" xmlns="s"><channel><link>/no</link></channel><item rdf:about="/a"><link>/a</link></item></rdf:RDF>';
    expect(links(xml)).toEqual(['item a']);
  });

  test('Atom: alternates and enclosures of entries, at their xml:base', () => {
    const xml = `<feed xmlns="a" xml:base="/e/"><link href="/no"/><entry><link href="b"/><link rel="alternate" href="/c"/><link rel="edit" href="/no"/>
      <link rel="enclosure" href="d.mp3"/><source><link href="/no"/></source><content type="xhtml"><div><a href="/no">x</a></div></content></entry>
      <entry xml:base="f/"><link href="g"/></entry></feed>`;
    expect(links(xml)).toEqual(['item e/b', 'item c', 'media e/d.mp3', 'item e/f/g']);
  });

  test('an item has the newest of its dates', () => {
    const dated = (xml: string) => parse(xml).links.map(({ url, modifiedAt }) => [url.slice(9), modifiedAt]);
    const at = Date.UTC(2026, 10, 3, 12, 30);
    expect(
      dated(
        `<rss xmlns:dc="d"><channel><pubDate>Tue, 10 Nov 2026 12:30:00 GMT</pubDate><item><pubDate>Tue, 03 Nov 2026 12:30:00 +0000</pubDate><link>/a</link>
        <guid>http://h/b</guid></item><item><link>/c</link></item><item><link>/d</link><dc:date>2026-11-03T14:30+02:00</dc:date></item>
        <item><link>/e</link><pubDate>soon</pubDate></item></channel></rss>`,
      ),
    ).toEqual([
      ['a', at],
      ['b', at],
      ['c', undefined],
      ['d', at],
      ['e', undefined],
    ]);
    expect(
      dated(
        `<feed><updated>2026-11-09T00:00:00Z</updated><entry><published>2020-01-01T00:00:00Z</published><link href="/a"/><updated>2026-11-03T12:30:00Z</updated>
        <source><updated>2026-11-08T00:00:00Z</updated></source></entry></feed>`,
      ),
    ).toEqual([['a', at]]);
  });

  test('links beyond the limit are counted', () => {
    const xml = `<rss><channel>${'abc'.replace(/./g, '<item><link>/$&</link></item>')}</channel></rss>`;
    expect(parse(xml, { maxLinks: 2 })).toMatchObject({ droppedLinks: 1, fault: 'more than 2 links' });
  });
});

describe('the charset', () => {
  const text = '<rss><item><link>/\u00e9</link></item></rss>';
  const expected = 'http://h/%C3%A9';
  test.each<[string, Buffer, string | undefined, string]>([
    ['a byte order mark', Buffer.from(`\ufeff<?xml encoding="latin1"?>${text}`), undefined, 'utf-8'],
    ['UTF-16 by its byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le'), undefined, 'utf-16le'],
    ['UTF-16 without one', Buffer.from(text, 'utf16le'), undefined, 'utf-16le'],
    [
      'Content-Type',
      Buffer.from(`<?xml encoding="utf-8"?>${text}`, 'latin1'),
      'text/xml; charset=latin1',
      'windows-1252',
    ],
    [
      'the XML declaration',
      Buffer.from(`<?xml version="1.0" encoding='latin1'?>${text}`, 'latin1'),
      undefined,
      'windows-1252',
    ],
    ['nothing', Buffer.from(text), 'text/xml', 'utf-8'],
  ])('follows from %s', (_, bytes, contentType, charset) => {
    expect(parse(bytes, { contentType })).toMatchObject({ charset, links: [{ url: expected }] });
  });
});

describe('faults', () => {
  test('a document type that declares entities ends it, and nothing is kept', () => {
    const bomb = '<!DOCTYPE x [<!ELEMENT a (b)>\n<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]>';
    expect(parse(`${bomb}<urlset><url><loc>&b;</loc></url></urlset>`)).toMatchObject({
      links: [],
      fault: 'declares entities',
    });
    expect(parse(`<urlset><url><loc>/a</loc></url>${bomb}`).links).toEqual([]);
  });

  test('a document type without entities is passed over, and unknown entities stay', () => {
    const types = ['<!DOCTYPE rss SYSTEM "rss-0.91.dtd">', '<!DOCTYPE rss [ <!ELEMENT a (b)> ] >'];
    for (const type of types)
      expect(links(`${type}<rss><item><link>/a?b&copy;&#x26;&#38;c</link></item></rss>`)).toEqual([
        'item a?b&copy;&&c',
      ]);
  });

  test.each([
    ['a cut sitemap', urlset('<url><loc>/a</loc></url>').slice(0, -5), 'ends inside <urlset>', 1],
    ['a cut URL', '<urlset><url><loc>/a</loc></url><url><loc>/b', 'ends inside <loc>', 1],
    ['elements that overlap', '<urlset><url><loc>/a</url></urlset>', '</url> where <loc> is open', 1],
    ['an end without a beginning', '<urlset></x><url><loc>/a</loc></url></urlset>', '</x> closes nothing', 1],
    ['deep nesting', `<urlset>${'<a>'.repeat(50)}`, 'elements nested deeper than 32', 0],
  ])('%s is reported, and what was read is kept', (_, xml, fault, count) => {
    const { fault: reported, links: found } = parse(xml);
    expect([reported, found.length]).toEqual([fault, count]);
  });

  test('texts too long for a URL are counted', () => {
    const long = `/${'x'.repeat(9000)}`;
    const xml = urlset(
      `<url><loc>${long}</loc><x:link rel="alternate" href="${long}"/></url><url><loc>/a</loc></url>`,
    );
    expect(parse(xml)).toMatchObject({ droppedLinks: 2, links: [{ url: 'http://h/a' }] });
  });

  test('other XML has no links and no fault, and is not looked at', () => {
    expect(parse(`<svg><a href="/x"/>${'<b>'.repeat(100)}`)).toMatchObject({
      type: 'other',
      root: 'svg',
      links: [],
      fault: undefined,
    });
    expect(parse('no XML')).toMatchObject({ type: 'other', links: [] });
  });
});

describe('however the document arrives', () => {
  const fragments = [
    '<url><loc>http://h/\u00e9?a&amp;b</loc><priority>.5</priority></url>',
    '<url><loc><![CDATA[/x]]>y</loc><x:link rel="alternate" href="/z"/></url>',
    '<item><link>/b</link><guid>http://h/c</guid></item>',
    '<entry xml:base="q/"><link href=\'d\'/></entry>',
    '<!-- <url> -->',
    '<?pi <url> ?>',
    '</url>',
    '<loc>',
    ' < & \u00e9 ',
    ']]>',
    '<![CDATA[',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    '<!DOCTYPE a>',
    '<!x>',
  ];
  const documents = fc
    .tuple(
      fc.constantFrom('<urlset>', '<rss><channel>', '<feed>', '<!DOCTYPE a [ ]><rss>', '<sitemapindex>', ''),
      fc.array(fc.constantFrom(...fragments), { maxLength: 10 }),
    )
    .map(([root, list]) => root + list.join(''));

  test('the result is the same', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 40 }), fc.boolean(), (xml, step, isLong) => {
        const bytes = Buffer.from(`${' '.repeat(isLong ? 1100 : 0)}${xml}`);
        expect(parse(bytes, {}, step)).toEqual(parse(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('no bytes make it throw', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        fc.constantFrom('<urlset>', '<rss>', ''),
        (noise, root) => {
          expect(() => parse(Buffer.concat([Buffer.from(root), noise]), {}, 7)).not.toThrow();
        },
      ),
    );
  });

  const million = 1_000_000;
  test.each([
    ['elements', '<a>'.repeat(million)],
    ['empty elements', '<a/>'.repeat(million)],
    ['ends', '</a>'.repeat(million)],
    ['comments begun', '<!--'.repeat(million)],
    ['CDATA begun', '<![CDATA['.repeat(million)],
    ['document types', '<!DOCTYPE ['.repeat(million)],
    ['brackets', `<!DOCTYPE [${'] '.repeat(million)}`],
    ['<', '<'.repeat(10 * million)],
    ['&', `<url><loc>${'&'.repeat(10 * million)}</loc>`],
    ['texts in one', `<url><loc>${'x<!-- -->'.repeat(million)}</loc>`],
    ['attributes', `<a ${Array.from({ length: million }, (_, n) => `b${n}="c"`).join(' ')}>`],
    ['an endless name', `<${'a'.repeat(10 * million)}`],
    ['an endless value', `<a b="${'a'.repeat(10 * million)}`],
    ['bases', '<a xml:base="b/">'.repeat(million)],
    ['URLs', '<url><loc>http://h/x</loc></url>'.repeat(million / 4)],
  ])('a million %s take linear time', (_, xml) => {
    expect(parse(`<urlset>${xml}`, {}, 16_384).links.length).toBeLessThanOrEqual(1);
  });
});
