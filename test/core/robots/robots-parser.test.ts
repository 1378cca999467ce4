/**
 * Compares our robots.txt matcher with the package `robots-parser`: both agree on the files that people
 * write, and each difference has the rule of RFC 9309 that decides it.
 */
import fc from 'fast-check';
import robotsParser from 'robots-parser';
import { expect, test } from 'vitest';
import { parseRobots } from '../../../shared/core/robots/parse-robots.ts';
import { isAllowed, pathAndQuery } from '../../../shared/core/robots/rules.ts';

/** The package's types describe an ES module; it is a CommonJS module whose export is the function. */
const parser = robotsParser as unknown as typeof robotsParser.default;

const ORIGIN = 'http://example.org';

const ours = (file: string, url: string): boolean =>
  isAllowed(parseRobots(Buffer.from(file), 'Strand'), pathAndQuery(url)).allowed;

const theirs = (file: string, url: string): boolean | undefined =>
  parser(`${ORIGIN}/robots.txt`, file).isAllowed(url, 'Strand');

const AGENTS = ['*', 'strand', 'Strand', 'STRAND/2.0', 'OtherBot', 'strandbot', 'stran'];
const PIECES = [...'/ab.?=&*$-:+', 'ab', '%2F', '%2f', '%C3%A9', '%c3%a9', 'é'];

const pathFrom = (pieces: readonly string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `/${parts.join('')}`);

/**
 * A `$` or `*` that a pattern means literally, and a `%` that begins no escape, are among the differences
 * below.
 */
const pattern = fc
  .tuple(pathFrom(PIECES.filter((piece) => piece !== '$')), fc.constantFrom('', '$'))
  .map((parts) => parts.join(''));
const rule = fc
  .tuple(fc.constantFrom('Allow', 'Disallow', 'disallow'), pattern)
  .map((parts) => parts.join(': '));
const group = fc
  .tuple(
    fc.array(fc.constantFrom(...AGENTS), { minLength: 1, maxLength: 3 }),
    fc.array(rule, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '# a comment', 'Crawl-delay: 3', 'Sitemap: http://example.org/map.xml'),
  )
  .map(([agents, rules, other]) =>
    [...agents.map((agent) => `User-agent: ${agent}`), ...rules, other].join('\n'),
  );
const file = fc.array(group, { maxLength: 4 }).map((groups) => groups.join('\n'));
const url = pathFrom(PIECES.filter((piece) => !'*$'.includes(piece))).map((path) =>
  new URL(ORIGIN + path).href.replace(/\?+$/, ''),
);

test('both allow and deny the same URLs by the files that people write', () => {
  fc.assert(
    fc.property(file, url, (text, asked) => {
      expect(ours(text, asked)).toBe(theirs(text, asked));
    }),
    { numRuns: 2000 },
  );
});

interface Difference {
  readonly what: string;
  readonly rule: string;
  readonly file: readonly string[];
  readonly path: string;
  readonly allowed: boolean;
}

const DIFFERENCES: readonly Difference[] = [
  {
    what: 'text after the product token of a User-agent line is ignored',
    rule: 'section 2.2.1: groups are found by the product token',
    file: ['User-agent: Strand (news)', 'Disallow: /'],
    path: '/a',
    allowed: false,
  },
  {
    what: 'a group without rules that names the crawler replaces the group for all',
    rule: 'section 2.2.1: the group for * applies only if no group matches',
    file: ['User-agent: *', 'Disallow: /', 'User-agent: Strand'],
    path: '/a',
    allowed: true,
  },
  {
    what: 'other records between User-agent lines do not begin a new group',
    rule: 'section 2.2.4: other records must not interfere with the parsing of groups',
    file: ['User-agent: Strand', 'Sitemap: /map.xml', 'User-agent: OtherBot', 'Disallow: /'],
    path: '/a',
    allowed: false,
  },
  {
    what: 'a percent-encoded unreserved character in a rule is that character',
    rule: 'section 2.2.2: octets are unencoded before the comparison if they are unreserved',
    file: ['User-agent: *', 'Disallow: /%7Ejoe/'],
    path: '/~joe/a',
    allowed: false,
  },
  {
    what: 'a percent-encoded unreserved character in a URL is that character',
    rule: 'section 2.2.2',
    file: ['User-agent: *', 'Disallow: /~joe/'],
    path: '/%7Ejoe/a',
    allowed: false,
  },
  {
    what: 'a $ in a URL and %24 in a rule are the same octet',
    rule: 'section 2.2.3: special characters that are meant literally are percent-encoded',
    file: ['User-agent: *', 'Disallow: /path/file-with-a-%24.html'],
    path: '/path/file-with-a-$.html',
    allowed: false,
  },
  {
    what: 'a * in a URL and %2A in a rule are the same octet',
    rule: 'section 2.2.3',
    file: ['User-agent: *', 'Disallow: /path/file-with-a-%2A.html'],
    path: '/path/file-with-a-*.html',
    allowed: false,
  },
  {
    what: 'the ? of an empty query belongs to the URL',
    rule: 'section 2.2.2: octets of path and query are compared',
    file: ['User-agent: *', 'Disallow: /a$'],
    path: '/a?',
    allowed: true,
  },
  {
    what: 'a misspelt Disallow counts',
    rule: 'section 2.2 leaves it open; Google and crawler-commons accept it',
    file: ['User-agent: *', 'Dissallow: /'],
    path: '/a',
    allowed: false,
  },
  {
    what: 'robots.txt itself is always allowed',
    rule: 'section 2.2.2: the /robots.txt URI is implicitly allowed',
    file: ['User-agent: *', 'Disallow: /'],
    path: '/robots.txt',
    allowed: true,
  },
];

test.each(DIFFERENCES)('they differ: $what ($rule)', ({ file, path, allowed }) => {
  const text = file.join('\n');
  expect(ours(text, ORIGIN + path)).toBe(allowed);
  expect(theirs(text, ORIGIN + path)).toBe(!allowed);
});
