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
  const fields: object[] = [];
  const fetch: LoginAt['fetch'] = async ({ url, method = 'GET', headers = {}, body }) => {
    fields.push(headers);
    sent.push(`${method} ${url.replace(ORIGIN, '')}${body === undefined ? '' : ` ${body}`}`);
    const { status = 200, location, body: html = '' } = answer(url);
    const answered = [
      ['Content-Type', 'text/html'],
      ...(location === undefined ? [] : [['Location', location]]),
    ];
    return {
      ...{ status: 'response' as const, url, httpStatus: status, statusText: '', startedAt: 0, endedAt: 0 },
      headers: answered as unknown as FetchedResponse['headers'],
      body: memoryBody(Buffer.from(html)),
      ...{ requestHead: Buffer.alloc(0), ipAddress: '' },
    };
  };
  const at = { origin: ORIGIN, cookies: createHostCookies(Date.now), fetch };
  const { tools } = await createLoginTools(at, undefined, (url) => url.startsWith(`${ORIGIN}/`));
  return { tools, sent, fields };
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

test('a form is sent with Origin and Referer as by a browser, and a redirect that repeats it, too', async () => {
  const { tools, fields } = await toolsOf((url) =>
    url.endsWith('/in') ? { status: 307, location: '/again' } : { body: FORM },
  );
  const form = tools.form(await tools.get('/login?next=/a'));
  await tools.post(form.action, form.fields);
  const Referer = `${ORIGIN}/login?next=/a`;
  expect(fields).toMatchObject([
    {},
    { Origin: ORIGIN, Referer },
    { Origin: ORIGIN, Referer: `${ORIGIN}/in` },
  ]);
  expect(fields[0]).not.toHaveProperty('Origin');
  await tools.post('/in', {}, { Origin: 'null' });
  expect(fields[3]).toMatchObject({ Origin: 'null' });
});

test.each<[what: string, html: string, form: object]>([
  [
    'the name of its first button',
    '<form><input name=a><button name=login value=Go>Go</button><button name=b></form>',
    { fields: { a: '', login: 'Go' } },
  ],
  [
    'the name of a submit field',
    '<form><input type=submit name=go><input type=submit name=x></form>',
    { fields: { go: '' } },
  ],
  [
    'no button that does nothing',
    '<form><button type=button name=show></button><input name=a></form>',
    { fields: { a: '' } },
  ],
  [
    'its action by the base of the page',
    '<base href="/app/"><form action=in></form>',
    { action: `${ORIGIN}/app/in` },
  ],
  [
    'its action by its page, if the base is broken',
    '<base href="https://"><form action=in></form>',
    { action: `${ORIGIN}/in` },
  ],
  [
    'its page as action, whatever the base is',
    '<base href="/app/"><form></form>',
    { action: `${ORIGIN}/login` },
  ],
])('a form has %s', async (_, body, form) => {
  const { tools } = await toolsOf(() => ({ body }));
  expect(tools.form(await tools.get('/login'))).toEqual(expect.objectContaining(form));
});
