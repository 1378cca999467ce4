/** URLs: canonical form, rules, hosts, keys of indexes. */
import assert from 'node:assert/strict';
import { surt } from '../../../shared/core/archive/surt.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createScope } from '../../../shared/core/crawl/scope.ts';
import { pathAndQuery } from '../../../shared/core/robots/rules.ts';
import { ancestors } from '../../../shared/core/url/ancestors.ts';
import { canonicalize, createResolver } from '../../../shared/core/url/canonical.ts';
import { hostKey, hostName, origin, pathOf } from '../../../shared/core/url/host-key.ts';
import { compileHostPattern } from '../../../shared/core/url/host-pattern.ts';
import { parseSeed } from '../../../shared/core/url/parse-seed.ts';
import { registrableDomain } from '../../../shared/core/url/registrable-domain.ts';
import { isSameSite } from '../../../shared/core/url/same-site.ts';
import { templateOf } from '../../../shared/core/url/template-of.ts';
import { createUrlRules } from '../../../shared/core/url/url-rules.ts';
import type { FuzzTarget } from '../target.ts';

const URLS = [
  ...[
    'http://',
    'https://',
    'HTTP:',
    '//',
    '/',
    '\\',
    '..',
    '/../',
    '/./',
    '.',
    '?',
    '#',
    '&',
    '=',
    ';',
    ':',
    '@',
    '%',
    '%2f',
    '%25',
  ],
  ...[
    'example.com',
    'www.',
    'a.example',
    'co.uk',
    'xn--',
    'xn--nxasmq6b',
    'ü',
    'ü.example',
    '.example',
    '[::1]',
    '127.0.0.1',
    '0x7f',
  ],
  ...[
    ':80',
    ':443',
    ':99999',
    'user:pass@',
    'a{#}',
    'a={#}&',
    '/a{#}',
    '?a=1&b=2',
    '&a=1',
    'utm_source=x',
    'PHPSESSID=',
    ';jsessionid=',
  ],
  ...[
    'sid=',
    'cfid=',
    '&cftoken=',
    'cfid=1&cftoken=2',
    'index.html',
    '/index.php',
    '%E4%BC%9A',
    '%C3%BC',
    '%ff',
    '会',
    '(S(abcdefgh))',
  ],
  ...[
    '0123456789abcdef0123456789abcdef',
    '2026/01/02',
    '-1',
    '+',
    ' ',
    'javascript:',
    'data:,',
    'localhost',
    '[',
    ']',
    '|',
    '^',
    '`',
  ],
];

const RULES = createUrlRules({
  trackingParameters: true,
  sessionParameters: true,
  sortQuery: true,
  indexPages: true,
});
const SEED = 'http://example.com/dir/';
const SCOPE = createScope(
  parseConfig({ scope: 'domain', contact: 'a@example.org', exclude: ['/private/'] }),
  [SEED],
);
const RESOLVE = createResolver('http://example.com/dir/page?q');

/** Everything that the crawl makes of a canonical URL. */
const partsOf = (url: string) => [
  RULES(url),
  hostKey(url),
  hostName(hostKey(url)),
  origin(url),
  pathOf(url),
  pathAndQuery(url),
  templateOf(url),
  registrableDomain(hostKey(url)),
  isSameSite(url, SEED),
  surt(url),
  SCOPE.check(url, 1),
];

const url = (name: string, run: (text: string) => unknown, more: Partial<FuzzTarget> = {}): FuzzTarget => ({
  name,
  tokens: URLS,
  frames: [
    ['http://', '/'],
    ['//', '/'],
    ['http://example.com/', ''],
    ['http://example.com/?', '#'],
    ['http://example.com/?a=', '&'],
    ['http://', '.test'],
    ['/', '?'],
    ['?', ''],
  ],
  maxBytes: 256 * 1024,
  maxUsPerByte: 1,
  maxHeldPerByte: 64,
  run: (input) => run(input.toString()),
  ...more,
});

export const TARGETS: readonly FuzzTarget[] = [
  url('canonical URLs', (text) => [canonicalize(text), canonicalize(text, SEED), RESOLVE(text)], {
    check(input) {
      const text = input.toString();
      for (const canonical of [canonicalize(text), canonicalize(text, SEED)]) {
        if (canonical === undefined) continue;
        assert.equal(canonicalize(canonical), canonical, 'is not its own canonical form');
        assert.match(canonical, /^https?:\/\/[^/?#]+\/[!-~]*$/);
        const ruled = RULES(canonical);
        assert.equal(RULES(ruled), ruled, 'rules change their own result');
        assert.equal(canonicalize(ruled), ruled, 'rules give what is not canonical');
      }
      assert.equal(RESOLVE(text), canonicalize(text, 'http://example.com/dir/page?q'), 'resolver');
    },
  }),
  url('names of hosts', (text) => canonicalize(`http://${text}/`)),
  url('what is made of a URL', (text) => partsOf(text), {
    prepare: (document) => Buffer.from(canonicalize(document.toString(), SEED) ?? SEED),
    // All of the functions together.
    maxUsPerByte: 2,
  }),
  // As long as a URL may be, by default.
  url('folders of a URL', (text) => ancestors(text), {
    prepare: (document) => Buffer.from(canonicalize(document.toString(), SEED) ?? SEED),
    maxBytes: 2083,
    maxHeldPerByte: 2083,
  }),
  url('keys of an index', surt),
  url('seeds', (text) => parseSeed(text), {
    check(input) {
      const seed = parseSeed(input.toString());
      assert.ok(seed === undefined || canonicalize(seed) !== undefined, `${seed} has no canonical form`);
    },
  }),
  url(
    'patterns of hosts',
    (text) => {
      const [pattern = '', host = ''] = text.split('/', 2);
      return compileHostPattern(pattern.slice(0, 2083))(host.slice(0, 2083));
    },
    { tokens: ['*', '*.', '.', 'a', 'a.', 'example', ':80', '/', '*a', 'a.example'] },
  ),
];
