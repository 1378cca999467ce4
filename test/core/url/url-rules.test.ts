import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crawlConfigSchema, parseConfig } from '../../../shared/core/crawl/config.ts';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import {
  appliedUrlRules,
  createUrlRules,
  URL_RULES,
  type UrlRules,
} from '../../../shared/core/url/url-rules.ts';
import { reference } from './references.ts';

const NONE: UrlRules = {
  trackingParameters: false,
  sessionParameters: false,
  sortQuery: false,
  indexPages: false,
};
const HEX = '9f86d081884c7d659a2feaa0c55ad015';

const a = (rest: string) => `http://a.com${rest}`;

describe('trackingParameters', () => {
  const rule = createUrlRules({ ...NONE, trackingParameters: true });
  test.each([
    ['/?utm_source=x&utm_medium=y', '/', 'a query emptied by it loses its mark'],
    ['/?a=1&gclid=Cj0K&b=2', '/?a=1&b=2', 'the others stay in their order'],
    ['/?UTM_Source=x&a=1', '/?a=1', 'case does not count'],
    ['/?utm_source', '/', 'without a value'],
    ['/?a=1&amp;utm_source=x', '/?a=1', 'an ampersand escaped twice'],
    ['/?utm_source=x&', '/', 'nothing but separators is left'],
    ['/?fbclid=1&x=', '/?x=', 'a parameter without a value stays'],
    ['/?utm_source=x;id=3', '/?utm_source=x;id=3', 'where `;` may part parameters, the next one is not lost'],
    ['/?utm=1&my_utm_source=2&gclids=3', '/?utm=1&my_utm_source=2&gclids=3', 'names that only look so'],
    ['/?q=utm_source=1', '/?q=utm_source=1', 'a value that looks so'],
    ['/utm_source=1', '/utm_source=1', 'a path that looks so'],
    ['/?', '/?', 'an empty query stays: nothing was dropped from it'],
    ['/?wt.mc_id=1&wtxmc_id=2', '/?wtxmc_id=2', 'the dot is a dot'],
  ])('%s becomes %s: %s', (url, expected) => {
    expect(rule(a(url))).toBe(a(expected));
  });
});

describe('sessionParameters', () => {
  const rule = createUrlRules({ ...NONE, sessionParameters: true });
  test.each([
    [`/x.do;jsessionid=${HEX}.node1?a=1`, '/x.do?a=1', 'in the path'],
    ['/x.do;JSESSIONID=1', '/x.do', 'in any case'],
    ['/x;v=1;jsessionid=1;w=2/y', '/x;v=1;w=2/y', 'among other path parameters'],
    ['/..;jsessionid=1/x', '/..;jsessionid=1/x', 'no dot segment comes of it'],
    ['/.;jsessionid=1', '/.;jsessionid=1', 'nor of the other kind'],
    ['/x..;jsessionid=1/y', '/x../y', 'two dots after a letter are none'],
    ['/x;jsessionid=1&id=3', '/x;jsessionid=1&id=3', 'what is meant besides is not lost'],
    [`/?PHPSESSID=${HEX}`, '/', 'PHP'],
    ['/?ASPSESSIONIDQACQBRTS=ABC&a=1', '/?a=1', 'ASP'],
    ['/?cfid=1&a=1&CFTOKEN=2', '/?a=1', 'ColdFusion'],
    ['/?cfid=1&a=1', '/?cfid=1&a=1', 'one half of ColdFusion is something else'],
    [`/?sid=${HEX}`, '/', 'a sid that looks like one'],
    ['/?session_id=550e8400-e29b-41d4-a716-446655440000', '/', 'a UUID'],
    ['/?sid=21/11/01/123', '/?sid=21/11/01/123', "Slashdot's sid"],
    ['/?sid=2024010112345678', '/?sid=2024010112345678', 'a date and a number'],
    ['/?sid=internationalization', '/?sid=internationalization', 'a word'],
    ['/?sid=the-2024-election-results', '/?sid=the-2024-election-results', 'words'],
    ['/?session=2024', '/?session=2024', 'a session of a parliament'],
    [`/?id=${HEX}`, `/?id=${HEX}`, 'another name'],
  ])('%s becomes %s: %s', (url, expected) => {
    expect(rule(a(url))).toBe(a(expected));
  });

  test('a name of a host that looks like a session stays', () => {
    expect(rule('http://;jsessionid=/')).toBe('http://;jsessionid=/');
  });
});

describe('sortQuery', () => {
  const rule = createUrlRules({ ...NONE, sortQuery: true });
  test.each([
    ['/?b=2&a=1', '/?a=1&b=2', 'by name'],
    ['/?a=2&a=1&a', '/?a&a=1&a=2', 'then by value'],
    ['/?a-b=1&a=2', '/?a=2&a-b=1', 'a name ends at its sign'],
    ['/?b&&a', '/?&a&b', 'empty ones too'],
    ['/?a=1&b=2', '/?a=1&b=2', 'sorted already'],
  ])('%s becomes %s: %s', (url, expected) => {
    expect(rule(a(url))).toBe(a(expected));
  });
});

describe('indexPages', () => {
  const rule = createUrlRules({ ...NONE, indexPages: true });
  test.each([
    ['/index.html', '/', 'the root'],
    ['/a/Default.aspx', '/a/', 'in any case'],
    ['/a/index.php?x=1', '/a/index.php?x=1', 'with a query it may be any page'],
    ['/a/index.php?', '/a/index.php?', 'with an empty one, too'],
    ['/a/default.php', '/a/default.php', 'no default of a server'],
    ['/a/myindex.html', '/a/myindex.html', 'another name'],
    ['/a/index.html/', '/a/index.html/', 'a folder of that name'],
    ['/index.html/index.html', '/index.html/', 'only the last segment'],
  ])('%s becomes %s: %s', (url, expected) => {
    expect(rule(a(url))).toBe(a(expected));
  });
});

describe('the rules together', () => {
  const PIECES =
    'utm_source=1 gclid=2 amp;utm_x=1 a b= c=3 c=2 ; ;x=1 sid=1 cfid=1 cftoken=2 PHPSESSID=x & && ? / /. /.. % 41 ' +
    `;jsessionid=1 ;jsessionid= index.html /Default.asp sid=${HEX} %2E %25`;
  const url = fc
    .oneof(
      fc
        .array(fc.constantFrom(...PIECES.split(' ')), { maxLength: 8 })
        .map((pieces) => a(`/${pieces.join('')}`)),
      fc
        .array(fc.constantFrom(...PIECES.split(' ')), { maxLength: 8 })
        .map((pieces) => a(`/x?${pieces.join('&')}`)),
      reference,
    )
    .map((text) => canonicalize(text))
    .filter((canonical) => canonical !== undefined);
  const rules: fc.Arbitrary<UrlRules> = fc.record({
    trackingParameters: fc.boolean(),
    sessionParameters: fc.boolean(),
    sortQuery: fc.boolean(),
    indexPages: fc.boolean(),
  });

  test('give a canonical URL, which they leave as it is', () => {
    fc.assert(
      fc.property(url, rules, (given, which) => {
        const apply = createUrlRules(which);
        const result = apply(given);
        expect(canonicalize(result)).toBe(result);
        expect(apply(result)).toBe(result);
      }),
      { numRuns: 5000 },
    );
  });

  test('change a URL if and only if one of them says that it applies, one after the other', () => {
    fc.assert(
      fc.property(url, rules, (given, which) => {
        const applied = appliedUrlRules(which, given);
        expect(applied.length > 0).toBe(createUrlRules(which)(given) !== given);
        expect(applied.every((name) => which[name])).toBe(true);
        const oneByOne = applied.reduce((now, name) => createUrlRules({ ...NONE, [name]: true })(now), given);
        expect(oneByOne).toBe(createUrlRules(which)(given));
      }),
      { numRuns: 3000 },
    );
  });

  test('are named in the order in which they work', () => {
    const all = { trackingParameters: true, sessionParameters: true, sortQuery: true, indexPages: true };
    expect(appliedUrlRules(all, a(`/index.html;jsessionid=1?gclid=1&PHPSESSID=2`))).toEqual([
      'trackingParameters',
      'sessionParameters',
      'indexPages',
    ]);
    expect(URL_RULES.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(crawlConfigSchema().shape.urlRules.parse({})).toSorted(),
    );
    expect(URL_RULES.every(({ why }) => why !== '')).toBe(true);
  });

  test('that are on by default drop no more than what names visitors and visits', () => {
    const apply = createUrlRules(parseConfig({}).urlRules);
    expect(apply(a('/index.html?b=2&a=1'))).toBe(a('/index.html?b=2&a=1'));
    expect(apply(a('/;jsessionid=1?b=2&utm_id=1'))).toBe(a('/?b=2'));
  });

  test('take time linear in the length of a URL', () => {
    const apply = createUrlRules({ ...NONE, trackingParameters: true, sessionParameters: true });
    for (const piece of [';jsessionid=', '&utm_', ';jsessionid', '&sid=aaaaaaaaaaaaaaaaaaaa', '&amp;'])
      expect(apply(a(`/?${piece.repeat(100_000)}`)).length).toBeGreaterThan(0);
    expect(apply(a(`/${';jsessionid='.repeat(100_000)}`))).toBe(a('/'));
  });
});
