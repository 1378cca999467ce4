import { expect, test } from 'vitest';
import { answerTo } from './operations.ts';

const PUBLIC = '93.184.215.14';

// The published files hold no cases of these two operations.
test.each<[what: string, steps: unknown[], outcome: string]>([
  ['a file', [{ status: 200, body: 'User-agent: *' }], 'parse'],
  ['a file behind five redirects', [...redirects(5), { status: 200 }], 'parse'],
  ['a sixth redirect', [...redirects(6), { status: 200 }], 'allow_all'],
  [
    'a redirect to another host',
    [{ status: 307, location: 'https://other.test/' }, { status: 200 }],
    'parse',
  ],
  ['a redirect to nothing', [{ status: 301 }], 'allow_all'],
  ['a redirect out of the web', [{ status: 301, location: 'ftp://other.test/' }], 'allow_all'],
  ['a redirect to an error', [...redirects(1), { status: 503 }], 'disallow_all'],
  ['no file', [{ status: 404 }], 'allow_all'],
  ['a closed door', [{ status: 403 }], 'allow_all'],
  ['too many questions', [{ status: 429 }], 'disallow_all'],
  ['a broken server', [{ status: 500 }], 'disallow_all'],
  ['a server that does not answer', [{ error: 'timeout' }], 'disallow_all'],
  ['a name that does not resolve', [{ error: 'dns' }], 'disallow_all'],
  ['an end in the middle of redirects', redirects(2), 'disallow_all'],
])('robots.txt that is %s', async (_what, steps, outcome) => {
  expect(await answerTo({ op: 'robots_fetch', start: 'http://a.test/b?c', steps })).toEqual({ outcome });
});

function redirects(times: number): unknown[] {
  return Array.from({ length: times }, (_, i) =>
    i % 2 === 0 ? { status: 301, location: `/r${i}` } : { status: 302, headers: { Location: `/r${i}` } },
  );
}

test.each<[question: Record<string, unknown>, allow: boolean]>([
  [{ url: `http://${PUBLIC}/` }, true],
  [{ url: 'http://127.0.0.1/' }, false],
  [{ url: 'http://2130706433/' }, false],
  [{ url: 'http://0x7f.1/' }, false],
  [{ url: 'http://[::1]:8080/' }, false],
  [{ url: 'http://[::ffff:169.254.169.254]/latest' }, false],
  [{ url: 'http://[2606:4700::6810:84e5]/' }, true],
  [{ url: 'http://①②⑦.0.0.1/' }, false],
  [{ url: 'file:///etc/passwd' }, false],
  [{ url: 'http://user@a.test/', resolves_to: PUBLIC }, true],
  [{ url: 'http://a.test/', resolves_to: [] }, false],
  [{ url: 'http://a.test/' }, false],
  [{ url: 'http://a.test/', resolves_to: ['10.0.0.1'] }, false],
  [{ url: 'http://a.test/', resolves_to: ['::ffff:10.0.0.1', 'not an address'] }, false],
  // Only the public one is connected to.
  [{ url: 'http://a.test/', resolves_to: ['10.0.0.1', PUBLIC] }, true],
  [{ url: 'http://localhost/', answers: [['127.0.0.1']] }, false],
  // The addresses of a later moment are not requested.
  [{ url: 'http://a.test/', answers: [[PUBLIC], ['127.0.0.1']] }, true],
  [{ url: 'http://a.test/', answers: [['127.0.0.1'], [PUBLIC]] }, false],
])('whether a connection is made for %j: %s', async (question, allow) => {
  expect(await answerTo({ op: 'ssrf', ...question })).toEqual({ allow });
});

test('what a document says about itself is answered beside its links', async () => {
  const html = `<title>A  b</title><meta name=robots content=nofollow>
    <meta http-equiv=refresh content="5; url=next#x"><a href=one rel=nofollow>1</a><area href="/two#b">
    <iframe src=three></iframe>`;
  expect(await answerTo({ op: 'links', html, url: 'http://a.test/d/', content_type: 'text/html' })).toEqual({
    links: ['http://a.test/d/one', 'http://a.test/two'],
    all: ['http://a.test/d/one', 'http://a.test/two', 'http://a.test/d/three'],
    title: 'A b',
    refresh: 'http://a.test/d/next',
    nofollow: ['http://a.test/d/one'],
    page_nofollow: true,
  });
});
