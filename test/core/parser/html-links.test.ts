import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_TITLE_CHARS } from '../../../shared/core/parser/html-link-collector.ts';
import { createHtmlLinks, type HtmlLinksOptions } from '../../../shared/core/parser/html-links.ts';

const page = 'http://example.com/dir/page.html';

function parse(
  html: string | Uint8Array,
  options: Partial<HtmlLinksOptions> = {},
  step = Number.POSITIVE_INFINITY,
) {
  const parser = createHtmlLinks({
    url: page,
    contentType: 'text/html; charset=utf-8',
    maxLinks: 6000,
    ...options,
  });
  const bytes = typeof html === 'string' ? Buffer.from(html) : html;
  for (let at = 0; at < bytes.length; at += step) parser.write(bytes.subarray(at, at + step));
  return parser.end();
}
const urls = (html: string, options?: Partial<HtmlLinksOptions>) =>
  parse(html, options).links.map(({ url }) => url);

describe('links', () => {
  test('each URL stands once, with its first kind, in the order of the document', () => {
    const html =
      '<iframe src=/f></iframe><a href=/b#x>1</a><area href=/a><a href="/b">2</a><a href=/f>3</a><frame src=/g>';
    expect(parse(html).links).toEqual([
      { url: 'http://example.com/f', kind: 'frame' },
      { url: 'http://example.com/b', kind: 'a' },
      { url: 'http://example.com/a', kind: 'area' },
      { url: 'http://example.com/g', kind: 'frame' },
    ]);
  });

  test('nofollow holds only if every link to the URL says so', () => {
    const html =
      '<a rel="UGC NoFollow" href=/a></a><a rel=nofollow href=/b></a><a rel=nofollow href=/b#2></a><a href=/A/../a></a>';
    expect(parse(html).links).toEqual([
      { url: 'http://example.com/a', kind: 'a' },
      { url: 'http://example.com/b', kind: 'a', nofollow: true },
    ]);
  });

  test('the first base counts for all links, wherever it stands', () => {
    expect(urls('<a href=x></a><base target=_top><base href=/b/><base href=/c/><a href=y></a>')).toEqual([
      'http://example.com/b/x',
      'http://example.com/b/y',
    ]);
  });

  test('those of a document within a frame are links of the page', () => {
    const inner =
      '<base href=/x/><meta name=robots content=nofollow><a href=b>B</a><iframe srcdoc="<a href=c>"></iframe>';
    const html = `<base href=/a/><iframe src=f srcdoc='${inner.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}'></iframe>`;
    expect(parse(html)).toMatchObject({
      base: 'http://example.com/a/',
      robots: { nofollow: false },
      links: ['a/f', 'a/b', 'a/c'].map((path) => ({ url: `http://example.com/${path}` })),
    });
    expect(urls(`<iframe srcdoc="&lt;img src=i>">`, { wantsRequisites: true })).toEqual([
      'http://example.com/dir/i',
    ]);
    const nested = (depth: number): string =>
      depth === 0
        ? '<a href=deep>'
        : `<iframe srcdoc="${nested(depth - 1)
            .replaceAll('&', '&amp;')
            .replaceAll('"', '&quot;')}">`;
    expect([4, 5].map((depth) => urls(nested(depth)).length)).toEqual([1, 0]);
  });

  test.each([
    ['a', '<a href="/ж?ж">'],
    ['area', '<area href="/ж?ж">'],
    ['a reference', '<a href="/ж?&#x436;">'],
    ['link', '<link rel=next href="/ж?ж">'],
    ['frame', '<iframe src="/ж?ж">'],
    ['refresh', '<meta http-equiv=refresh content="0; url=/ж?ж">'],
    ['SVG', '<svg><a xlink:href="/ж?ж"></a></svg>'],
    ['base', '<base href="/ж?ж"><a href="">'],
    ['img', '<img src="/ж?ж">'],
    ['srcset', '<img srcset="/ж?ж 2x">'],
    ['style', '<style>a{b:url(/ж?ж)}</style>'],
  ])('the query of %s is encoded in the charset of the page, and the path is not', (_, html) => {
    const options = { contentType: 'text/html', wantsRequisites: true };
    const bytes = [...`<meta charset=windows-1251>${html}`].map((letter) =>
      letter === 'ж' ? 0xe6 : letter.charCodeAt(0),
    );
    expect(parse(Uint8Array.from(bytes), options).links.map(({ url }) => url)).toEqual([
      'http://example.com/%D0%B6?%E6',
    ]);
    const utf8 = parse(html, { ...options, contentType: 'text/html; charset=utf-8' });
    expect(utf8.links.map(({ url }) => url)).toEqual(['http://example.com/%D0%B6?%D0%B6']);
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'http://['])(
    'a base of %s counts as none',
    (base) => {
      expect(parse(`<base href="${base}"><a href=x>`)).toMatchObject({
        base: page,
        links: [{ url: 'http://example.com/dir/x' }],
      });
    },
  );

  test('what is not http is no link, and does not use up the limit', () => {
    const html =
      '<a href="mailto:a@b"></a><a href=" JavaScript:x()"></a><a href="ftp://h/"></a><a href=/yes></a>';
    expect(urls(html)).toEqual(['http://example.com/yes']);
    expect(parse(html.replace('<a href="ftp://h/"></a>', ''), { maxLinks: 1 })).toMatchObject({
      links: [{ url: 'http://example.com/yes' }],
      droppedLinks: 0,
    });
  });

  test('the resolver is asked once for each distinct reference, without fragments', () => {
    const asked: string[] = [];
    const resolve = (reference: string, base: string) => {
      asked.push(`${reference} at ${base}`);
      return `http://r/${reference}`;
    };
    expect(
      urls('<base href=/b/><a href=x#1></a><a href=x#2></a><a href=y></a><a href=x></a>', { resolve }),
    ).toEqual(['http://r/x', 'http://r/y']);
    expect(asked).toEqual(['x at http://example.com/b/', 'y at http://example.com/b/']);
  });

  test('links beyond the limit are counted, known ones are not', () => {
    const html = '<a href=/1></a><a href=/2></a><a href=/3></a><a href=/1></a><a href=/4></a>';
    const { links, droppedLinks } = parse(html, { maxLinks: 2 });
    expect([links.length, droppedLinks]).toEqual([2, 2]);
  });

  test('fallback of browsers without frames, scripts and plug-ins has links', () => {
    const link = (n: number) => `<p><a href=/${n}>a</a></p>`;
    const html = `<frameset><frame src=/1><noframes><body>${link(2)}</body></noframes></frameset>
      <noscript>${link(3)}</noscript><object data=x.swf type=application/x-shockwave-flash>${link(4)}</object>`;
    expect(urls(html)).toEqual([1, 2, 3, 4].map((n) => `http://example.com/${n}`));
  });

  test('documents in embed and object are links, and other objects are not', () => {
    const html = `<object data=/1 type=application/pdf></object><embed src=/2 type="text/html; charset=utf-8">
      <object data=/3.PDF#page=2></object><embed src="/4.html?a&amp;b"><object data=/5.pdf type=image/svg+xml></object>
      <embed src=/6.swf><embed type=application/pdf><object data=/7></object>`;
    const found = parse(html).links;
    expect(found.map(({ url }) => url)).toEqual(
      ['1', '2', '3.PDF', '4.html?a&b'].map((name) => `http://example.com/${name}`),
    );
    expect(found[0]).toMatchObject({ kind: 'frame' });
    expect(parse(html, { wantsRequisites: true }).links[0]).toMatchObject({
      kind: 'frame',
      requisite: 'media',
    });
  });

  test('tags inside raw text, comments and templates are no links', () => {
    const link = '<a href=/no></a>';
    const html = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'template']
      .map((name) => `<${name}>${link}</${name}>`)
      .join('');
    expect(
      urls(`<!--${link}--><select>${link}</select>${html}<noscript><a href=/yes></a></noscript>`),
    ).toEqual(['http://example.com/yes']);
  });

  test.each([
    ['<x-a><template shadowrootmode=open><a href=/1></a></template><a href=/2></a></x-a>', ['1', '2']],
    ['<x-a><TEMPLATE ShadowRootMode=CLOSED><p><a href=/1></a></template></x-a><a href=/2></a>', ['1', '2']],
    ['<x-a><template shadowrootmode><a href=/1></a></template></x-a><a href=/2></a>', ['2']],
    [
      '<template><x-a><template shadowrootmode=open><a href=/1></a></template></x-a></template><a href=/2>',
      ['2'],
    ],
    [
      '<x-a><template shadowrootmode=open><template><a href=/1></a></template><a href=/2></a></template></x-a><a href=/3>',
      ['2', '3'],
    ],
    ['<x-a><template shadowrootmode=open><svg><a href=/1></a></svg></template><a href=/2></a>', ['1', '2']],
  ])('links in the shadow root of an element are links of the page: %s', (html, paths) => {
    expect(urls(html)).toEqual(paths.map((path) => `http://example.com/${path}`));
  });

  test('routes behind # are named, each once, and other fragments are not', () => {
    const route = (href: string) => `<a href="${href}">x</a>`;
    const html = [
      '#/a',
      '/#/a',
      '#!/b?c=d',
      '/app/#/e',
      '#',
      '#!',
      '#/',
      '#top',
      '#//x',
      '/dir/page.html#/a',
    ];
    const given = ['<base href=/>', ...html.map(route), '<link rel=next href="#/f">'].join('');
    expect(parse(given).hashRoutes).toEqual([
      'http://example.com/#/a',
      'http://example.com/#!/b?c=d',
      'http://example.com/app/#/e',
      'http://example.com/dir/page.html#/a',
    ]);
    const many = Array.from({ length: 1500 }, (_, i) => route(`#/${i}`)).join('');
    expect(parse(many).hashRoutes).toHaveLength(1000);
    expect(parse(route('#top'))).not.toHaveProperty('hashRoutes');
  });

  test('other languages of the page, the next and the previous one are links; an a counts before them', () => {
    const html = `<link rel="Alternate" hreflang=de href=/de><link rel=next href=/2><link rel="nofollow prev" href=/0>
      <link rel=alternate media=print href=/no><link hreflang=fr href=/no><link rel=nexto href=/no><a href=/2></a>`;
    expect(parse(html).links).toEqual([
      { url: 'http://example.com/de', kind: 'link' },
      { url: 'http://example.com/2', kind: 'a' },
      { url: 'http://example.com/0', kind: 'link', nofollow: true },
    ]);
    expect(parse('<a href=/2></a><link rel=next href=/2>').links).toEqual([
      { url: 'http://example.com/2', kind: 'a' },
    ]);
  });

  test('an a of SVG is a link, by either name of its reference', () => {
    const svg = '<svg><g><a xlink:href=/1><text>1</text></a></g><a href=/2 xlink:href=/no></a><a>3</a></svg>';
    expect(parse(`${svg}<svg><image href=/no></svg>`).links).toEqual([
      { url: 'http://example.com/1', kind: 'link' },
      { url: 'http://example.com/2', kind: 'link' },
    ]);
    expect(urls(`<template>${svg}</template>`)).toEqual([]);
  });

  test('HTML inside SVG, and behind an SVG that is never closed, has links', () => {
    expect(
      urls('<svg><foreignObject><p><a href=/1></a></p></foreignObject></svg><a href=/2></a>'),
    ).toHaveLength(2);
    expect(urls('<div><svg><path></div><a href=/1></a>')).toEqual(['http://example.com/1']);
  });

  test('in XHTML an empty script is empty, and CDATA is text', () => {
    const html = '<script src="x"/><![CDATA[<a href="/no"/>]]><a href="/yes"/>';
    expect(urls(html, { contentType: 'application/xhtml+xml; charset=utf-8' })).toEqual([
      'http://example.com/yes',
    ]);
    expect(urls(html)).toEqual([]);
  });
});

describe('the head', () => {
  test('the title is the first, decoded, with its white space folded', () => {
    expect(
      parse('<svg><title>no</title></svg><title>\n A &amp;\t B&eacute;<b> </title><title>C</title>').title,
    ).toBe('A & Bé<b>');
  });

  test.each([
    ['5; url=next', '/dir/next'],
    ['0;URL = "/q?a=1" ', '/q?a=1'],
    [".5,'/s'", '/s'],
    ['1 /t', '/t'],
    ['300', undefined],
    ['0; url=', undefined],
    ['url=/x', undefined],
    ['0; url=mailto:x', undefined],
  ])('a refresh of %j leads to %s', (content, path) => {
    const { refresh, links } = parse(
      `<meta http-equiv=Refresh content='${content.replaceAll("'", '&apos;')}'>`,
    );
    const expected = path && `http://example.com${path}`;
    expect(refresh).toBe(expected);
    expect(links).toEqual(expected ? [{ url: expected, kind: 'refresh' }] : []);
  });

  test('a refresh inside noscript is a link, and sends nobody away', () => {
    const refresh = (url: string) => `<meta http-equiv=refresh content="0;url=/${url}">`;
    const none = parse(`<noscript>${refresh('a')}</noscript>`);
    expect([none.refresh, none.refreshMs, none.links]).toEqual([
      undefined,
      undefined,
      [{ url: 'http://example.com/a', kind: 'refresh' }],
    ]);
    const behind = parse(`<noscript>${refresh('a')}</NOSCRIPT >${refresh('b')}`);
    expect([behind.refresh, behind.links.length]).toEqual(['http://example.com/b', 2]);
  });

  test('robots directives add up', () => {
    expect(
      parse('<meta name=robots content=noindex><meta name=ROBOTS content="Max-Snippet:5, NOFOLLOW">').robots,
    ).toEqual({ nofollow: true, noindex: true });
    expect(parse('<meta name=robots content=none>').robots).toEqual({ nofollow: true, noindex: true });
    expect(parse('<meta name=robots content="index,follow">').robots).toEqual({
      nofollow: false,
      noindex: false,
    });
  });

  test('canonical is resolved like a link, and is none', () => {
    const { canonical, links } = parse(
      '<link rel="alternate Canonical" href="/c?a&amp;b#f"><base href="//h/">',
    );
    expect([canonical, links]).toEqual(['http://h/c?a&b', []]);
  });

  test.each([
    [
      'twice, in two spellings',
      '<link rel=canonical href=/c><link rel=canonical href=http://h/c#top>',
      'http://h/c',
    ],
    ['twice, as different pages', '<link rel=canonical href=/c><link rel=canonical href=/d>', undefined],
    ['in the body: perhaps by a reader', '<body><p><link rel=canonical href=/c>', undefined],
    ['again in the body', '<link rel=canonical href=/c><body><link rel=canonical href=/d>', 'http://h/c'],
    ['without a reference', '<link rel=canonical href="">', undefined],
  ])('canonical %s', (_, html, canonical) => {
    expect(parse(`<base href="//h/"><head>${html}`).canonical).toBe(canonical);
  });
});

describe('however the document arrives', () => {
  const fragments = [
    '<a href="/é?q=日本&amp;x">ü</a>',
    '<A HREF=\'x\'y="1" href=no>',
    '<!-- <a href=/no> -->',
    '<!--><a href=/c>-->',
    '<script>"<!--<script>"</script><a href=/no>"</script>',
    '<title>a &amp; é</title>',
    '<svg><title><a href=/t></title><a xlink:href=/s></svg>',
    '<noscript>',
    '</NoScript>',
    '<![CDATA[x]]>',
    '<svg><![CDATA[<p>]]></svg>',
    '<base href="/b/">',
    '<textarea></textareas></TEXTAREA >',
    '<meta http-equiv=refresh content="0;url=r">',
    '<template><select><a href=/no></template>',
    '< a></ ><?x><!x></>',
    '😀 &lt; "\' = / > ',
    '<a href=unquoted/>',
    '<p title="',
    '">',
    '<select>',
    '</select>',
    '<math><mi><a href=/m></mi></math>',
  ];
  const documents = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((list) => list.join(''));
  const encodings = fc.constantFrom<[BufferEncoding, string | undefined]>(
    ['utf8', 'text/html; charset=utf-8'],
    ['utf8', undefined],
    ['utf16le', 'text/html; charset=utf-16le'],
    ['latin1', 'text/html; charset=shift_jis'],
  );

  test('the result is the same', () => {
    fc.assert(
      fc.property(documents, encodings, fc.array(fc.nat(400)), (html, [encoding, contentType], cuts) => {
        const bytes = Buffer.from(html, encoding);
        const options = { url: page, contentType, maxLinks: 4 };
        const parser = createHtmlLinks(options);
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        for (let n = 1; n < places.length; n++) parser.write(bytes.subarray(places[n - 1], places[n]));
        expect(parser.end()).toEqual(parse(bytes, options));
      }),
      { numRuns: 500 },
    );
  });

  test('the result is the same beyond the bytes that are sniffed', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 9 }), (html, step) => {
        const bytes = Buffer.from(`${'<p>x'.repeat(4096)}${html}`);
        expect(parse(bytes, { contentType: undefined }, step)).toEqual(
          parse(bytes, { contentType: undefined }),
        );
      }),
      { numRuns: 30 },
    );
  });
});

describe('hostile documents', () => {
  const mib = 1024 * 1024;
  const last = '<a href=/last></a>';
  test.each([
    ['ten million <', '<'.repeat(10 * mib), 1],
    ['ten million </', '</'.repeat(5 * mib), 0],
    ['a million nested div', '<div>'.repeat(1_000_000), 1],
    ['a million nested svg', '<svg>'.repeat(1_000_000), 1],
    ['half a million nested templates and gates', '<template><svg><desc>'.repeat(500_000), 0],
    ['an attribute of 10 MB', `<a title="${'x'.repeat(10 * mib)}">`, 1],
    ['an attribute of 10 MB that never ends', `<a title="${'x'.repeat(10 * mib)}>`, 0],
    ['a reference of 10 MB', `<a href="${'x'.repeat(10 * mib)}">`, 1],
    ['a tag of two million attributes', `<p ${'x="y" '.repeat(2_000_000)}>`, 1],
    ['a link of a million attributes', `<a ${'='.repeat(10)}${'/x=1'.repeat(1_000_000)}>`, 1],
    ['a comment of 10 MB', `<!--${'--'.repeat(5 * mib)}>`, 1],
    ['a million comments begun', '<!--'.repeat(1_000_000), 0],
    ['a script full of script tags', `<script>${'<!--<script>'.repeat(500_000)}`, 0],
    ['a title of 10 MB', `<title>${'&amp; '.repeat(2 * mib)}</title>`, 1],
    ['ten million spaces in a refresh', `<meta http-equiv=refresh content="1${' '.repeat(mib)}">`, 1],
    ['an SVG tag of a million =', `<svg><p ${'= '.repeat(1_000_000)}/></svg>`, 1],
  ])('%s', (_, html, count) => {
    const parsed = parse(html + last, {}, 16_384);
    expect(parsed.links.filter(({ url }) => url === 'http://example.com/last')).toHaveLength(count);
    expect(parsed.title?.length ?? 0).toBeLessThanOrEqual(MAX_TITLE_CHARS);
  });

  test('100,000 links stop at the limit', () => {
    const html = Array.from({ length: 100_000 }, (_, n) => `<a href=/${n}>${n}</a>`).join('\n');
    const { links, droppedLinks } = parse(html, {}, 16_384);
    expect([links.length, droppedLinks]).toEqual([6000, 94_000]);
  });

  test('links that a long base makes long are dropped and counted, and never compared with each other', () => {
    const html = Array.from({ length: 6000 }, (_, n) => `<a href=${n}></a>`).join('');
    const { links, droppedLinks } = parse(
      `<base href="/${'x'.repeat(60_000)}/"><a href=/short></a>${html}`,
      {},
      16_384,
    );
    expect(links.map(({ url }) => url)).toEqual(['http://example.com/short']);
    expect(droppedLinks).toBe(6000);
  });
});
