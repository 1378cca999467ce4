import { expect, test } from 'vitest';
import { siteLines } from '../../cli/site-lines.ts';
import { UsageError } from '../../cli/usage-error.ts';

const URL_A = 'https://a.test/';

test.each<[form: string, text: string, sites: readonly object[]]>([
  [
    'a URL a line',
    '\ufeff# sites\r\na.test\r\n\r\nhttp://b.test:81/x\r\n',
    [{ url: URL_A }, { url: 'http://b.test:81/x' }],
  ],
  [
    'CSV',
    'url,group,delayMs,include,days\na.test,news,2000,,\n"b.test","sh-op",,"/x{1,2}/","mon,tue"\nc.test\n',
    [
      { url: URL_A, group: 'news', delayMs: 2000 },
      { url: 'https://b.test/', group: 'sh-op', include: ['/x{1,2}/'], days: 'mon,tue' },
      { url: 'https://c.test/' },
    ],
  ],
  ['a quote within a cell', 'url,exclude\na.test,"a""b"\n', [{ url: URL_A, exclude: ['a"b'] }]],
  [
    'JSON lines',
    '{"url":"a.test","maxDepth":2}\n{"url":"b.test"}',
    [{ url: URL_A, maxDepth: 2 }, { url: 'https://b.test/' }],
  ],
])('%s is read', (_, text, sites) => {
  expect(siteLines(text, 'f')).toEqual(sites);
});

test.each<[why: string, text: string, message: RegExp]>([
  [
    'a line that is no URL',
    '# x\na.test\n/b\n',
    /^--sites f: line 3: Expected an http or https URL, got "\/b"$/,
  ],
  [
    'an unknown column',
    'url,colour\na.test,1',
    /^--sites f: line 1: unknown column "colour"; there are delayMs, /,
  ],
  ['too many cells', 'url,group\n\na.test,x,y', /^--sites f: line 3: expected at most 2 columns, got 3$/],
  [
    'a number that is none',
    'url,delayMs\na.test,2s',
    /^--sites f: line 2: Expected delayMs to be of type number \(milliseconds\), got "2s"$/,
  ],
  ['a quote that is not closed', 'url,group\n"a.test,x', /^--sites f: line 2: a quote is not closed/],
  ['text after a quote', 'url,group\n"a.test"x,y', /^--sites f: line 2: a quote is not closed/],
  ...[';', '\t'].map((separator): [string, string, RegExp] => [
    `columns separated by ${JSON.stringify(separator)}`,
    `\ufeffurl${separator}group\r\nhttp://a.test/${separator}news\r\n`,
    /^--sites f: line 1: expected columns with commas between them, got /,
  ]),
  ['broken JSON', '{"url":', /^--sites f: line 1: expected an object as JSON, got "{"url":"$/],
  [
    'two lines of a site',
    'a.test\nb.test\nhttp://a.test/x',
    /^--sites f: line 3: a.test is the site of line 1$/,
  ],
  ['nothing', '# none\n', /^--sites f: Expected at least one site, got none$/],
])('%s is refused with the number of its line', (_, text, message) => {
  expect(() => siteLines(text, 'f')).toThrow(UsageError);
  expect(() => siteLines(text, 'f')).toThrow(message);
});
