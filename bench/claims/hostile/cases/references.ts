/** Pages with very many or very long references, and pages that say odd things of themselves. */
import { MARKUP } from '../check-outputs.ts';
import { asked, atMost, type Check, kept, settled } from '../checks.ts';
import type { HostileCase } from '../hostile-case.ts';
import { KB, listed, MB, pageCase, raw, redirect, repeated, response } from '../replies.ts';

const BOTH = [kept(), asked('/first'), asked('/last')];
const QUICK = { isQuick: true };

/** A case of pages with these hostile parts before their body, by path; `/` links to `/a`, which must be kept. */
const headCase = (
  name: string,
  parts: Readonly<Record<string, () => string>>,
  checks: readonly Check[],
  more: Partial<HostileCase> = {},
): HostileCase =>
  pageCase(name, () => '<a href=/a>a</a>', [kept(), kept('/a'), ...checks], {
    ...more,
    answer({ target }) {
      const part = parts[target];
      return part && response({ body: part() });
    },
  });

/** Very many references. */
const LINKS: readonly HostileCase[] = [
  pageCase('links: a million', () => listed(1_000_000, (i) => `<a href=/x${i}>`), [
    kept(),
    asked('/first'),
    atMost(10),
  ]),
  pageCase('links: a million times one', () => repeated('<a href=/same>', 12 * MB), [
    kept(),
    asked('/first'),
    asked('/same'),
    atMost(10),
  ]),
  pageCase(
    'links: 3,000 hosts',
    ({ addresses }) =>
      listed(3000, (i) => `<a href="http://h${i}.canary.test:${addresses.port}${addresses.canaryPath}">`),
    BOTH,
  ),
  pageCase(
    'links: 7,000 that may be fetched, and one behind them',
    () => listed(7000, (i) => `<a href=/x${i}>`),
    BOTH,
  ),
  pageCase(
    'base: 2 MB, and 3,000 references',
    () => `<base href="/x${repeated('y', 2 * MB)}/">${listed(3000, (i) => `<a href=${i}>`)}`,
    [kept()],
  ),
  pageCase(
    'base: 60 KB, and 3,000 references',
    () => `<base href="/x${repeated('%41.', 60 * KB)}/">${listed(3000, (i) => `<a href=${i}>`)}`,
    [kept()],
  ),
  pageCase('base: 100,000 base elements', () => repeated('<base href=/x/>', 1.5 * MB), [
    kept(),
    asked('/first'),
  ]),
  pageCase('base: data:', () => '<base href="data:text/html,"><a href=/x1>1</a>', [kept(), atMost(6)], QUICK),
  pageCase(
    'base: javascript:',
    () => '<base href="javascript:alert(1)"><a href=/x1>1</a>',
    [kept(), atMost(6)],
    QUICK,
  ),
  pageCase(
    'links: 1,000 host names of 5,000 letters',
    () => listed(1000, (i) => `<a href="http://${repeated('ü', 5000)}${i}.test/">`),
    BOTH,
  ),
  pageCase(
    'links: 2,000 host names in Punycode',
    () => listed(2000, (i) => `<a href="http://xn--${repeated('a', 5000)}${i}-.test/">`),
    BOTH,
  ),
  pageCase(
    'links: 50 host names of 5,000 letters',
    () => listed(50, (i) => `<a href="http://${repeated('ü', 5000)}${i}.test/">`),
    BOTH,
    QUICK,
  ),
  pageCase(
    'links: 500 host names of 60 labels',
    () => listed(500, (i) => `<a href="http://${repeated('é.', 180)}${i}.test/">`),
    BOTH,
  ),
  pageCase('links: 3 MB of ../', () => `<a href="${repeated('../', 3 * MB)}x">a</a>`, BOTH),
  pageCase(
    'links: 200,000 ping and itemid lists',
    () => `<a href=/x ping="${repeated('/x ', 4 * MB)}">a</a>`,
    BOTH,
  ),
  pageCase('srcset: 500,000 candidates', () => `<img srcset="${listed(500_000, (i) => `/x${i} ${i}w,`)}">`, [
    kept(),
    asked('/first'),
  ]),
  pageCase('srcset: 4 MB of commas', () => `<img srcset="${repeated(',', 4 * MB)}">`, BOTH),
  pageCase('srcset: 2 MB of open brackets', () => `<img srcset="/x ${repeated('(', 2 * MB)}">`, BOTH),
  pageCase(
    'css: 500,000 references in a style',
    () => `<style>${listed(500_000, (i) => `a{b:url(/x${i})}`)}</style>`,
    [kept(), asked('/first')],
  ),
  pageCase('css: references without an end', () => `<style>${repeated('url(', 4 * MB)}</style>`, BOTH),
  pageCase(
    'css: 4 MB of brackets, escapes, comments',
    () => `<style>${repeated('([{\\', 2 * MB)}${repeated('/*', MB)}*/${repeated('\\66', MB)}</style>`,
    BOTH,
  ),
  pageCase('css: 100,000 imports', () => `<style>${repeated('@import "/x";', 1.3 * MB)}</style>`, BOTH),
  pageCase('css: 200,000 style attributes', () => repeated('<p style="a:url(', 3 * MB), [
    kept(),
    asked('/first'),
  ]),
  pageCase('iframes: 20,000 of the page itself', () => repeated('<iframe src=/></iframe>', 20_000 * 23), [
    ...BOTH,
    atMost(10),
  ]),
];

/** Statements of a page about itself. */
const META: readonly HostileCase[] = [
  {
    name: 'meta refresh: a chain of 100',
    isQuick: true,
    checks: [kept(), asked('/r1'), atMost(105)],
    answer: ({ target }) =>
      target === '/robots.txt'
        ? undefined
        : response({
            body: `<meta http-equiv=refresh content="0; url=/r${Math.min(Number(target.slice(2)) + 1, 100)}">`,
          }),
  },
  pageCase(
    'meta refresh: to itself',
    () => '<meta http-equiv=refresh content="0">',
    [kept(), atMost(5)],
    QUICK,
  ),
  pageCase(
    'meta refresh: javascript:, data:, file:',
    () =>
      '<meta http-equiv=refresh content="0;url=javascript:1"><meta http-equiv=refresh content="0;url=data:,x"><meta http-equiv=refresh content="0;url=file:///etc/passwd">',
    [kept(), asked('/first'), atMost(6)],
    QUICK,
  ),
  pageCase(
    'meta refresh: 4 MB of spaces',
    () => `<meta http-equiv=refresh content="5${repeated(' ', 4 * MB)}x">`,
    [kept(), asked('/first')],
  ),
  pageCase('meta: 200,000 robots', () => repeated('<meta name=robots content=all>', 6 * MB), BOTH),
  pageCase(
    'meta: robots of 4 MB of commas',
    () => `<meta name=robots content="${repeated(',', 4 * MB)}">`,
    BOTH,
  ),
  pageCase('meta: 200,000 charsets', () => repeated('<meta charset=utf-7>', 4 * MB), BOTH),
  pageCase(
    'meta: charset of 4 MB',
    () => `<meta http-equiv=content-type content="text/html;${repeated(' charset', 4 * MB)}">`,
    BOTH,
  ),
  pageCase('rel: 4 MB of spaces', () => `<a rel="${repeated(' ', 4 * MB)}nofollo" href=/x>a</a>`, BOTH),
  headCase('canonical: 100,000', { '/a': () => listed(100_000, (i) => `<link rel=canonical href=/x${i}>`) }, [
    asked('/first'),
  ]),
  headCase(
    'canonical: two pages that name each other',
    { '/a': () => '<link rel=canonical href=/b>', '/b': () => '<link rel=canonical href=/a>' },
    [kept('/b')],
    QUICK,
  ),
  headCase(
    'canonical: file: and javascript:',
    { '/a': () => '<link rel=canonical href="file:///etc/passwd"><link rel=canonical href="javascript:1">' },
    BOTH,
    QUICK,
  ),
];

/** Text that would do harm where it is printed or stored: line ends, escapes of terminals, markup. */
const WORDS: readonly HostileCase[] = [
  pageCase(
    'words: a title of fields, escapes and markup',
    () => `<title>a&#13;&#10;WARC-Type: response&#13;&#10;&#13;&#10;&#27;[2J&#155;0;b&#7;${MARKUP}</title>`,
    BOTH,
    QUICK,
  ),
  pageCase(
    'words: URLs of line ends, escapes and markup',
    () => `<a href='/a&#27;[2J&#13;&#10;WARC/1.1&#13;&#10;${MARKUP}'>a</a><a href="/%1b[2J%0d%0a">b</a>`,
    [...BOTH, asked('/a%1B[2JWARC/1.1%3Cscript%3Ealert(%22hostile%22)%3C/script%3E')],
    QUICK,
  ),
  {
    name: 'words: a type, a status and fields of escapes and markup',
    isQuick: true,
    checks: [settled()],
    answer: ({ target }) =>
      target === '/'
        ? raw(
            `HTTP/1.1 500 \x1b[2J${MARKUP}\r\nContent-Type: ${MARKUP}\x1b]0;b\x07/x\r\nContent-Length: 0\r\n\r\n`,
          )
        : undefined,
  },
  {
    name: 'words: a Location of escapes and markup',
    isQuick: true,
    checks: [settled()],
    answer: ({ target }) => (target === '/' ? redirect(`no-scheme-\x1b[2J:${MARKUP}`) : undefined),
  },
  {
    name: 'words: robots.txt with rules of escapes and markup',
    isQuick: true,
    checks: [settled()],
    answer: ({ target }) =>
      target === '/robots.txt'
        ? response({ type: 'text/plain', body: `User-agent: *\nDisallow: /*${MARKUP}\x1b[2J\nDisallow: /\n` })
        : undefined,
  },
];

export const REFERENCE_CASES: readonly HostileCase[] = [...LINKS, ...META, ...WORDS];
