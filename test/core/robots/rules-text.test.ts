import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRobots } from '../../../shared/core/robots/parse-robots.ts';
import type { RobotsRules } from '../../../shared/core/robots/robots-rules.ts';
import { decodeRules, encodeRules } from '../../../shared/core/robots/rules-text.ts';

test('rules are stored a line each, in order of precedence', () => {
  const body = 'User-agent: *\nCrawl-delay: 2\nDisallow: /a b\nAllow: /*.gif$\nSitemap: https://h/s.xml\n';
  expect(encodeRules(parseRobots(Buffer.from(body), 'Strand'))).toBe(
    ['1 2000', '+4 /*.gif$', '-3 /a%20b', 'shttps://h/s.xml'].join('\n'),
  );
});

test('no rules take one character', () => {
  expect(encodeRules({ rules: [], sitemaps: [] })).toBe('1');
});

test('rules come back as they were stored', () => {
  const rule = fc.record({
    allow: fc.boolean(),
    pattern: fc.stringMatching(/^[/*][!-~]*$/),
    line: fc.integer({ min: 1, max: 1_048_576 }),
  });
  const rules: fc.Arbitrary<RobotsRules> = fc.record(
    {
      rules: fc.array(rule),
      crawlDelayMs: fc.nat(),
      sitemaps: fc.array(fc.string({ unit: 'binary' }).filter((url) => !url.includes('\n'))),
    },
    { requiredKeys: ['rules', 'sitemaps'] },
  );
  fc.assert(
    fc.property(rules, (each) => {
      expect(decodeRules(encodeRules(each))).toEqual(each);
    }),
  );
});

test('preferences about the use of content are stored in lines of their own', () => {
  const body =
    'User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /ok/ train-ai=y\nContent-Signal: search=yes\nDisallow: /a\nLicense: https://h/l.xml\n';
  const rules = parseRobots(Buffer.from(body), 'Strand');
  const text = encodeRules(rules);
  expect(text.split('\n')).toEqual([
    '1',
    '-5 /a',
    'u/ok/ train-ai=y',
    'u/ train-ai=n',
    'g/ search=yes',
    'l/ https://h/l.xml',
  ]);
  expect(decodeRules(text)).toEqual(rules);
});

test.each(['', '2', '2 1000', '1 x', '1000\n+1 /', 'User-agent: *\nDisallow: /'])(
  'text of another version is known as such: %j',
  (text) => expect(decodeRules(text)).toBeUndefined(),
);
