/** robots.txt, and header fields with times. */
import assert from 'node:assert/strict';
import { headerUsage } from '../../../shared/core/parser/header-usage.ts';
import { parseRobots, robotName } from '../../../shared/core/robots/parse-robots.ts';
import { normalPath } from '../../../shared/core/robots/pattern.ts';
import { expiry } from '../../../shared/core/robots/policy.ts';
import { parseRetryAfter } from '../../../shared/core/robots/retry-after.ts';
import { isAllowed, usageAt } from '../../../shared/core/robots/rules.ts';
import { decodeRules, encodeRules } from '../../../shared/core/robots/rules-text.ts';
import {
  combinedValue,
  readContentSignal,
  readContentUsage,
} from '../../../shared/core/usage/usage-values.ts';
import { type FuzzTarget, MB } from '../target.ts';

const ROBOTS = [
  ...[
    'User-agent: *\n',
    'User-agent: strand\n',
    'user-agent:',
    'Allow: ',
    'Disallow: ',
    'Disallow: /\n',
    'Disallow: /a{#}\n',
  ],
  ...[
    'Crawl-delay: ',
    'Sitemap: ',
    'Sitemap: /s{#}.xml\n',
    '\n',
    '\r',
    '\r\n',
    '#',
    '/',
    '*',
    '$',
    '/*',
    '/**/',
    '*a',
    '*$',
  ],
  ...[
    '%2f',
    '%2A',
    '%',
    '/a/b?c=d',
    ' ',
    '\t',
    ':',
    'Disallow /',
    '\ufeff',
    '\xa0',
    'ü',
    '<html>',
    '1.5',
    'Noindex: /',
    'Content-Usage: /a{#} train-ai=n\n',
    'Content-Usage:',
    'Content-Signal: ai-train=no\n',
    'License: /l\n',
    'train-ai=y, l{#}=n',
  ],
];

/** RFC 9309, section 2.2.3, by the book: whether the pattern matches a beginning of the path. */
function matchesByTheBook(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const text = isAnchored ? pattern.slice(0, -1) : pattern;
  /** Ends of the matched beginnings so far. */
  let ends = new Set([0]);
  for (const octet of text) {
    const next = new Set<number>();
    if (octet === '*') for (let at = Math.min(...ends); at <= path.length; at++) next.add(at);
    else for (const at of ends) if (path[at] === octet) next.add(at + 1);
    if (next.size === 0) return false;
    ends = next;
  }
  return isAnchored ? ends.has(path.length) : true;
}

const PATHS = ['/', '/a', '/a/b?c=d', '/a/b/c.html', '/aaaaaaaa', '/%2Fa', '/a$', '/*', '/ü', '/robots.txt'];

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'robots.txt',
    tokens: ROBOTS,
    frames: [
      ['User-agent: *\nDisallow: ', '\n'],
      ['User-agent: ', '\nDisallow: /'],
      ['Crawl-delay: ', '\n'],
      ['Sitemap: ', '\n'],
      ['User-agent: *\nAllow: /', '$\n'],
    ],
    seeds: ['robots.txt'],
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (body) => parseRobots(body, 'strand'),
    check(body) {
      const rules = parseRobots(body, 'strand');
      assert.deepEqual(decodeRules(encodeRules(rules)), rules, 'kept and read again');
      for (const path of PATHS) {
        const compared = normalPath(path);
        const first = rules.rules.find(({ pattern }) => matchesByTheBook(pattern, compared));
        const expected = path === '/robots.txt' || (first?.allow ?? true);
        assert.equal(isAllowed(rules, path).allowed, expected, path);
        const stated = usageAt(rules, path).find(({ signal }) => signal === 'content-usage')?.value ?? '';
        const usage = rules.usage?.find(
          ({ signal, pattern }) => signal === 'content-usage' && matchesByTheBook(pattern, compared),
        );
        assert.equal(stated, usage?.value ?? '', `usage of ${path}`);
      }
    },
  },
  {
    name: 'robots.txt, matching',
    tokens: ROBOTS,
    frames: [
      ['User-agent: *\nDisallow: ', '\n'],
      ['User-agent: ', '\nDisallow: /'],
      ['Crawl-delay: ', '\n'],
      ['Sitemap: ', '\n'],
      ['User-agent: *\nAllow: /', '$\n'],
    ],
    // The path is what stands before the first line's end.
    maxBytes: 256 * 1024,
    // `MAX_MATCH_STEPS`, about 10 ms, for whatever rules.
    maxUsPerByte: 2,
    maxHeldPerByte: 16,
    prepare: (document) => document,
    run(body) {
      const rules = parseRobots(Buffer.concat([Buffer.from('User-agent: *\n'), body]), 'strand');
      const path = `/${body.toString('latin1').replace(/\s/g, '').slice(0, 2083)}`;
      return isAllowed(rules, path);
    },
  },
  {
    name: 'rules of robots.txt, kept',
    tokens: [
      '1 ',
      '\n',
      '+',
      '-',
      '+1 /a\n',
      '-z /b*$\n',
      's',
      'sitemap',
      '500',
      ' ',
      'NaN',
      '{#}',
      '\t',
      '=',
      '/',
    ],
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (body) => decodeRules(body.toString()),
  },
  {
    name: 'Content-Usage, Content-Signal and Link',
    tokens: [
      ...['train-ai', 'search', '=', 'n', 'y', '?1', ',', ', ', ';', ';a=1', '"', '\\', '(', ')', ' ', '\t'],
      ...['1.5', '-', ':aGk=:', '@1', '%"%c3%bc"', 'l{#}=n', 'ai-train=no', 'use=full', 'A', '*', 'ü'],
      ...['<', '>', '; rel=license', '; rel="', 'license', 'noai'],
    ],
    frames: [
      ['train-ai=(', ')'],
      ['a="', '"'],
      ['<', '>; rel="license"'],
      ['<a>; rel="', ' license"'],
    ],
    maxBytes: 64 * 1024,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (input) => headerUsage(() => [input.toString('latin1')], [input.toString('latin1')]),
    check(input) {
      const text = input.toString('latin1');
      const usage = readContentUsage(text);
      assert.equal(readContentUsage(usage), usage, 'one form for equal statements');
      for (const value of [usage, readContentSignal(text)]) {
        assert.equal(combinedValue(value, value), value, 'combined with itself');
        assert.equal(combinedValue(value, ''), value, 'combined with nothing');
        assert.ok(value.length < 2500, `${value.length} characters`);
      }
    },
  },
  {
    name: 'Retry-After and Cache-Control',
    tokens: [
      ...[
        '120',
        'Fri, 31 Dec 1999 23:59:59 GMT',
        'Friday, 31-Dec-99 23:59:59 GMT',
        'Fri Dec 31 23:59:59 1999',
        ' GMT',
        ',',
        ' ',
      ],
      ...[
        'Fri, ',
        '31 ',
        'Dec ',
        '1999 ',
        '23:',
        '-',
        'max-age=',
        'no-store',
        'no-cache',
        '"',
        '=',
        '9999999999999999',
        '1.5',
        '+',
      ],
    ],
    frames: [
      ['max-age=', ''],
      ['Fri, ', ' GMT'],
      ['Fri, 31 Dec 1999 ', ' GMT'],
      ['max-age="', '"'],
    ],
    maxBytes: 64 * 1024,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 16,
    run: (input) => [
      parseRetryAfter(input.toString(), 1e12),
      expiry(1e12, [input.toString()], 86_400_000),
      robotName(`Mozilla/5.0 (compatible; ${input.toString()}`),
    ],
    check(input) {
      const at = expiry(1e12, [input.toString()], 86_400_000);
      assert.ok(at >= 1e12 + 300_000 && at <= 1e12 + 86_400_000, `expiry ${at}`);
      const wait = parseRetryAfter(input.toString(), 1e12);
      assert.ok(wait === undefined || (Number.isFinite(wait) && wait >= 0), `Retry-After ${wait}`);
    },
  },
];
