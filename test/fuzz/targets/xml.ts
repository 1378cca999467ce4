/** Sitemaps, feeds and their values. */
import { gzipSync } from 'node:zlib';
import { createJsonFeedLinks } from '../../../shared/core/parser/json-feed.ts';
import { readRslLicense } from '../../../shared/core/parser/rsl-license.ts';
import { parseW3cDatetime } from '../../../shared/core/parser/w3c-datetime.ts';
import { usageRules } from '../../../shared/core/robots/usage-files.ts';
import { type FuzzTarget, MB } from '../target.ts';
import { checkDocument, readDocument } from './html.ts';

const XML = [
  ...[
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="',
    '<?',
    '?>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<!',
    '>',
  ],
  ...[
    '<!DOCTYPE urlset>',
    '<!DOCTYPE a [',
    '<!ENTITY a "b">',
    ']>',
    '&a;',
    '&amp;',
    '&lt;',
    '&#38;',
    '&#x26;',
    '&',
    '&#',
  ],
  ...[
    ' xml:base="',
    ' xmlns="',
    ' xmlns:x{#}="',
    ' a="',
    '"',
    "'",
    '/>',
    '</',
    '<',
    '</x>',
    '<x>',
    '<x:y>',
    '</x:y>',
    '<x{#}>',
  ],
  ...[
    'http://example.com/',
    'http://example.com/{#}',
    '/a/{#}',
    '?',
    '2026-01-01',
    '2026-01-01T00:00:00.{#}Z',
    '0.5',
    '1',
  ],
];
const JSON_FEED = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    'null',
    '7',
    '"id":',
    '"url":"/a",',
    '"external_url":',
    '"attachments":[',
  ],
  ...[
    '"date_modified":"2026-01-02T00:00:00Z",',
    '"next_url":',
    '{"url":"https://b.test/"},',
    '\\u0000',
    '\\',
    ' ',
  ],
];

const RSL = [
  ...XML,
  ...['<rsl>', '<content url="/{#}">', '<content url="https://example.com/">', '</content>', ' server="x"'],
  ...[
    '<license>',
    '</license>',
    '<permits type="usage">',
    '<prohibits type="usage">',
    '<payment type="free"/>',
  ],
  ...['<permits type="user">', ' all', ' ai-train', ' search', '</permits>'],
];
const SITEMAP = [
  ...[
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    '</urlset>',
    '<sitemapindex>',
    '</sitemapindex>',
  ],
  ...[
    '<sitemap>',
    '</sitemap>',
    '<url>',
    '</url>',
    '<loc>',
    '</loc>',
    '<url><loc>http://example.com/{#}</loc></url>',
  ],
  ...[
    '<url><loc>/{#}',
    '<priority>',
    '</priority>',
    '<lastmod>',
    '</lastmod>',
    '<changefreq>',
    '<image:image>',
    '<image:loc>',
  ],
  ...['<xhtml:link rel="alternate" href="', '<video:player_loc>', '0.', '.5', '1e9', '+', '-'],
];
const FEED = [
  ...[
    '<rss version="2.0">',
    '</rss>',
    '<channel>',
    '</channel>',
    '<item>',
    '</item>',
    '<link>',
    '</link>',
    '<guid>',
    '</guid>',
  ],
  ...[
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '</feed>',
    '<entry>',
    '</entry>',
    '<link href="',
    ' rel="alternate"',
  ],
  ...[
    '<rdf:RDF>',
    '<enclosure url="',
    '<media:content url="',
    '<content type="xhtml">',
    '<div>',
    '</div>',
    '<a href="/{#}">',
  ],
  ...['<item><link>/{#}</link></item>', '<pubDate>', '<title>', '</title>', '<guid isPermaLink="false">'],
];

const SITEMAP_FRAMES: readonly (readonly [string, string])[] = [
  ...([
    ['<urlset><url><loc>', '</loc></url></urlset>'],
    ['<urlset><url><priority>', '</priority></url>'],
    ['<urlset>', '</urlset>'],
  ] as const),
  ...([
    ['<urlset><url><lastmod>', '</lastmod></url>'],
    ['<urlset ', '>'],
    ['<urlset xml:base="', '">'],
    ['<', '>'],
  ] as const),
  ...([
    ['<urlset><url><image:image><image:loc>', '</image:loc>'],
    ['<sitemapindex><sitemap><loc>', '</loc>'],
    ['<urlset><!--', '-->'],
  ] as const),
  ...([
    ['<urlset><url><loc><![CDATA[', ']]></loc>'],
    ['<?xml encoding="', '"?>'],
    ['<!DOCTYPE ', '>'],
    ['<urlset></', '>'],
  ] as const),
  ...([
    ['<urlset><url><xhtml:link rel="alternate" href="', '"/>'],
    ['<urlset><url><changefreq>', '</changefreq>'],
  ] as const),
];
const FEED_FRAMES: readonly (readonly [string, string])[] = [
  ...([
    ['<rss><channel><item><link>', '</link></item>'],
    ['<rss><channel>', '</channel>'],
    ['<feed xml:base="', '">'],
  ] as const),
  ...([
    ['<feed><link href="', '"/>'],
    ['<feed><entry><link rel="', '" href="x"/>'],
    ['<feed ', '>'],
    ['<rss></', '>'],
  ] as const),
  ...([
    ['<rss><channel><item><guid>', '</guid>'],
    ['<rss><channel><item><pubDate>', '</pubDate>'],
    ['<rss><!--', '-->'],
  ] as const),
  ...([
    ['<rss><channel><item><enclosure url="', '"/>'],
    ['<rss><channel><item><link><![CDATA[', ']]></link>'],
  ] as const),
];
const NESTS = ['<url>', '<x>', '<item>', '<x xml:base="a/">'];

const xml = (
  name: string,
  tokens: readonly string[],
  contentType: string,
  more: Partial<FuzzTarget>,
): FuzzTarget => ({
  name,
  tokens: [...tokens, ...XML],
  frames: tokens === SITEMAP ? SITEMAP_FRAMES : tokens === FEED ? FEED_FRAMES : undefined,
  nests: NESTS,
  roots: ['<urlset>', '<sitemapindex>', '<rss><channel>', '<rss>', '<feed><entry>', '<feed>'],
  maxBytes: MB,
  maxUsPerByte: 0.6,
  maxHeldPerByte: 64,
  run: (body) => readDocument(body, { contentType, all: true }),
  check: (body) => checkDocument(body, { contentType, all: true }),
  ...more,
});

const asSitemap: Partial<FuzzTarget> = {
  run: (body) => readDocument(body, { contentType: 'application/xml', kind: 'sitemap', all: true }),
  check: (body) => checkDocument(body, { contentType: 'application/xml', kind: 'sitemap', all: true }),
};

export const TARGETS: readonly FuzzTarget[] = [
  xml('sitemap', SITEMAP, 'application/xml', { seeds: ['sitemap.xml'], share: 2, ...asSitemap }),
  xml('gzip sitemap', SITEMAP, 'application/gzip', {
    seeds: ['sitemap.xml'],
    ...asSitemap,
    isSwept: false,
    prepare: (document) => gzipSync(document, { level: 1 }),
  }),
  xml(
    'text sitemap',
    ['http://example.com/{#}\n', 'http://example.com/', '\n', '\r', '\r\n', '/a', '\ufeff', '?'],
    'text/plain',
    asSitemap,
  ),
  xml('feed', FEED, 'application/rss+xml', { seeds: ['feed.xml', 'feed.atom'] }),
  {
    name: 'JSON feed',
    tokens: JSON_FEED,
    frames: [
      ['{"version":"https://jsonfeed.org/version/1","items":[', ']}'],
      ['{"items":[{"url":"', '"}]}'],
    ],
    nests: ['[', '{"items":'],
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run(body) {
      const feed = createJsonFeedLinks({ url: 'https://example.com/feed.json', maxLinks: 1000 });
      feed.write(body);
      return feed.end();
    },
  },
  {
    name: 'RSL',
    tokens: RSL,
    frames: [
      ['<rsl><content url="/a"><license>', '</license></content></rsl>'],
      ['<rsl><content url="/', '"><license/></content></rsl>'],
      ['<rsl><content url="/"><license><permits type="usage">', '</permits>'],
    ],
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (body) => readRslLicense(body.toString(), 'https://example.com'),
    check(body) {
      const { usage = [] } = usageRules(readRslLicense(body.toString(), 'https://example.com'));
      for (const { value } of usage)
        if (!/^ai-input=[yn], search=[yn], tdm=[yn], train-ai=[yn]$/.test(value)) throw new Error(value);
    },
  },
  {
    name: 'dates of sitemaps',
    tokens: [
      '2026',
      '-',
      '01',
      '-31',
      'T',
      '00:00',
      ':00',
      '.123',
      'Z',
      '+01:00',
      '-12:59',
      ' ',
      '24:00',
      '99',
      '0',
    ],
    maxBytes: 64 * 1024,
    maxUsPerByte: 0.3,
    maxHeldPerByte: 16,
    run: (input) => parseW3cDatetime(input.toString()),
    check(input) {
      const time = parseW3cDatetime(input.toString());
      if (time !== undefined && !Number.isFinite(time)) throw new Error(`${time} is no time`);
    },
  },
];
