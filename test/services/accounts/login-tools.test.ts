/** Pages that a login may meet: none of them makes it endless, or leads it to another site. */
import { expect, test } from 'vitest';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../shared/core/outcome/memory-body.ts';
import { createHostCookies } from '../../../shared/crawler/access/host-cookies.ts';
import type { LoginAt } from '../../../shared/crawler/turn/access/accounts.ts';
import { createLoginTools } from '../../../shared/services/accounts/login-tools.ts';

const ORIGIN = 'https://members.example.org';
const FORM = '<form method=post action=/in><input name=csrf value=1><input type=password name=word></form>';

interface Answer {
  readonly status?: number;
  readonly location?: string;
  readonly body?: string;
}

async function toolsOf(answer: (url: string) => Answer) {
  const sent: string[] = [];
  const fetch: LoginAt['fetch'] = async ({ url, method = 'GET', body }) => {
    sent.push(`${method} ${url.replace(ORIGIN, '')}${body === undefined ? '' : ` ${body}`}`);
    const { status = 200, location, body: html = '' } = answer(url);
    const fields = [
      ['Content-Type', 'text/html'],
      ...(location === undefined ? [] : [['Location', location]]),
    ];
    return {
      ...{ status: 'response' as const, url, httpStatus: status, statusText: '', startedAt: 0, endedAt: 0 },
      headers: fields as unknown as FetchedResponse['headers'],
      body: memoryBody(Buffer.from(html)),
      ...{ requestHead: Buffer.alloc(0), ipAddress: '' },
    };
  };
  const at = { origin: ORIGIN, cookies: createHostCookies(Date.now), fetch };
  const { tools } = await createLoginTools(at, undefined, (url) => url.startsWith(`${ORIGIN}/`));
  return { tools, sent };
}

test.each<[what: string, answer: (url: string) => Answer, message: string]>([
  ['redirects without end', (url) => ({ status: 302, location: `${url}x` }), 'at most 10 redirects'],
  [
    'a redirect to another site',
    () => ({ status: 302, location: 'https://sso.example.net/' }),
    'example.net',
  ],
  [
    'a redirect to http',
    () => ({ status: 301, location: 'http://members.example.org/' }),
    'none of its hosts',
  ],
  ['a redirect to a script', () => ({ status: 302, location: 'javascript:1' }), ''],
  ['a redirect to nowhere', () => ({ status: 302, location: 'https://' }), ''],
])('a login that meets %s fails', async (_, answer, message) => {
  const { tools, sent } = await toolsOf(answer);
  await expect(tools.get('/login')).rejects.toThrow(message);
  expect(sent.length).toBeLessThanOrEqual(11);
  expect(sent.every((line) => line.startsWith('GET /'))).toBe(true);
});

test.each([
  [303, ['POST /in word=1', 'GET /next']],
  [302, ['POST /in word=1', 'GET /next']],
  [307, ['POST /in word=1', 'POST /next word=1']],
])('after a redirect with %i the form is sent again only if that says so', async (status, requests) => {
  const { tools, sent } = await toolsOf((url) => (url.endsWith('/in') ? { status, location: '/next' } : {}));
  await tools.post('/in', { word: '1' });
  expect(sent).toEqual(requests);
});

test('a page that refreshes itself is the page, and its form is read', async () => {
  const { tools, sent } = await toolsOf(() => ({
    body: `<meta http-equiv=refresh content="0;url=/x">${FORM}`,
  }));
  expect(tools.form(await tools.get('/login'))).toMatchObject({
    action: `${ORIGIN}/in`,
    fields: { csrf: '1' },
  });
  expect(sent).toEqual(['GET /login']);
});

test('a form of 10 MB is read, and one beyond the limit of a page fails', async () => {
  const fields = (bytes: number) => `<form><input name=a value="${'x'.repeat(bytes)}"></form>`;
  const { tools } = await toolsOf((url) => ({
    body: fields(url.endsWith('/large') ? 17_000_000 : 10_000_000),
  }));
  expect(tools.form(await tools.get('/login')).fields.a).toHaveLength(10_000_000);
  const large = await tools
    .get('/large')
    .then((page) => tools.form(page))
    .catch((error: Error) => error);
  expect(large).toBeInstanceOf(Error);
});

test('a page without a form says where it was looked for', async () => {
  const { tools } = await toolsOf(() => ({ body: '<p>Sign in by our app' }));
  const page = await tools.get('/login?ticket=1');
  expect(() => tools.form(page)).toThrow('Expected a form at /login, found none');
});
