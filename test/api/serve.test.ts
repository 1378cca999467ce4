import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'cheerio';
import { expect, onTestFinished, test } from 'vitest';
import { type CrawlServer, serveCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { type SmallAnswer, serveAnswers } from './small-server.ts';

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** By `node:http`: `fetch` sets Host itself, and follows redirects. */
const get = (url: string, { method = 'GET', ...headers }: Record<string, string> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const path = url.slice(new URL(url).origin.length);
    request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string>,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    })
      .on('error', reject)
      .end();
  });

/** Crawls a site of these answers, all of them seeds, and serves the archive. */
async function serve(
  answers: Readonly<Record<string, SmallAnswer | string>>,
  address: string,
): Promise<{
  server: CrawlServer;
  show: (path: string, headers?: Record<string, string>) => Promise<Got>;
  out: string;
  site: string;
}> {
  const site = await serveAnswers(address, answers);
  const folder = mkdtempSync(join(tmpdir(), 'strand-serve-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const out = join(folder, 'c');
  const seeds = Object.keys(answers).map((path) => site + path);
  await (await startCrawl({ ...QUICK, seeds, out, scope: 'page' })).done;
  const server = await serveCrawl(out);
  onTestFinished(() => server.close());
  const show = (path: string, headers = {}) =>
    get(server.pageUrl(path.startsWith('http') ? path : site + path, '2030'), headers);
  return { server, show, out, site };
}

/** Returns the URLs that a browser without scripts would go to: absolute URLs of other origins. */
function leaks(html: string, at: string): string[] {
  const $ = load(html, { scriptingEnabled: false });
  const references = $('*')
    .toArray()
    .map((node) => $(node).attr() ?? {})
    // Without the name of an attribute, an animation has no effect.
    .flatMap(({ to = '', values = '', ...rest }) =>
      Object.entries('attributeName' in rest ? { ...rest, to, values } : rest),
    )
    .flatMap(([name, value]) => (name === 'content' ? [value.replace(/^.*url=/i, '')] : [value]));
  return references.filter((reference) => {
    const url = URL.parse(reference, at);
    return (
      /[:/]/.test(reference) &&
      url !== null &&
      /^(https?|ftp|wss?):$/.test(url.protocol) &&
      url.origin !== new URL(at).origin
    );
  });
}

const TRICKS = {
  link: '<a href="http://evil.example/a">x</a><a href=//evil.example/b>x</a><A HREF=\'\\\\evil.example\\c\'>x</A>',
  base: '<base href="http://evil.example/"><a href="d">x</a><base href="http://evil.example/2">',
  controls:
    '<a href="&#104;ttp://evil.example/e">x</a><a href="ht\ntp://evil.example/f">x</a><a href=" \u0001http://evil.example/g">x</a>',
  refresh:
    '<meta http-equiv="refresh" content="0;url=http://evil.example/h"><meta content="1; URL=\'//evil.example/i\'" http-equiv=Refresh>',
  noscript:
    '<noscript><a href="http://evil.example/j">x</a><meta http-equiv=refresh content="0;//evil.example/k"></noscript>',
  svgTitle: '<svg><title><a href="http://evil.example/l">x</a></title></svg>',
  svgStyle: '<svg><style><a xlink:href="http://evil.example/m">x</a></style></svg>',
  smil: '<svg><a><set attributeName="href" to="http://evil.example/n"/><animate attributeName=xlink:href values="//evil.example/o"/><text>x</text></a></svg>',
  srcdoc: '<iframe srcdoc="&lt;a target=_blank href=http://evil.example/p>x&lt;/a>"></iframe>',
  shadow: '<div><template shadowrootmode="open"><a href="http://evil.example/q">x</a></template></div>',
  closed:
    '<p><template shadowrootmode=closed><template shadowrootmode=open><a href="http://evil.example/11">x</a></template><a href=//evil.example/12>x</a></template>',
  template: '<template><a href="http://evil.example/13">x</a></template>',
  comment: '<!--><a href="http://evil.example/r">x</a>--><!-- --!><a href="http://evil.example/s">x</a>-->',
  cdata:
    '<![CDATA[><a href="http://evil.example/t">x</a>]]><svg><![CDATA[<a>]]><a href="http://evil.example/u">x</a></svg>',
  textarea: '<select><textarea></select><a href="http://evil.example/v">x</a></textarea>',
  math: '<math><annotation-xml encoding="text/html"><a href="http://evil.example/w">x</a></annotation-xml></math><math href=http://evil.example/x></math>',
  hints:
    '<link rel=dns-prefetch href=//evil.example/y><link rel=preconnect href=http://evil.example/z><a ping=http://evil.example/1 href=#>x</a>',
  frames:
    '<iframe src=http://evil.example/2></iframe><object data=http://evil.example/3></object><embed src=http://evil.example/4>',
  form: '<form action=http://evil.example/5><button formaction=//evil.example/6>x</button></form>',
  odd: '<a href="ftp://evil.example/7">x</a><a href="http://evil.example:0/8">x</a><a href="http://[::g]/">x</a>',
  long: `<a href="http://evil.example/${'9'.repeat(20_000)}">x</a>`,
  mutation: '<form><math><mtext></form><form><mglyph><style></math><a href="http://evil.example/10">x</a>',
} as const;

test('no reference of a page leads out of the server', async () => {
  const inShadow = (markup: string) => `<p><template shadowrootmode=closed>${markup}</template>`;
  const tricks = {
    ...TRICKS,
    ...{ cdataInShadow: inShadow(TRICKS.cdata), svgInShadow: inShadow(TRICKS.svgTitle) },
  };
  const pages = Object.entries(tricks).map(([name, markup]) => [
    `/${name}`,
    `<!doctype html><body>${markup}`,
  ]);
  const { server, show, site } = await serve(Object.fromEntries(pages), '127.78.0.71');
  for (const name of Object.keys(tricks)) {
    const { status, text, headers } = await show(`/${name}`);
    expect([name, status, headers['content-type']]).toEqual([name, 200, 'text/html; charset=utf-8']);
    expect.soft([name, leaks(text, server.pageUrl(`${site}/`, '2030'))]).toEqual([name, []]);
  }
});

test('a page that would take a parser minutes is shown as text', async () => {
  const attributes = Array.from({ length: 300_000 }, (_, i) => `a${i}`).join(' ');
  const { show } = await serve({ '/': `<p ${attributes}>x` }, '127.78.0.77');
  expect((await show('/')).headers['content-type']).toBe('text/plain; charset=utf-8');
});

test('encodings, unknown types and XML do not get around it', async () => {
  const link = '<a href="http://evil.example/">x</a>';
  const utf16 = Buffer.from(`\ufeff${link}<p>\u20ac`, 'utf16le');
  const { show, server, site } = await serve(
    {
      '/utf16': { body: utf16 },
      '/jp': {
        type: 'text/html; charset=iso-2022-jp',
        body: Buffer.from(`<a title="\u001b$B" href='http://evil.example/'>x</a>\u001b(B"`, 'latin1'),
      },
      '/utf7': { type: 'text/html; charset=utf-7', body: `+ADw-a href=http://evil.example/+AD4-` },
      '/svg': { type: 'image/svg+xml', body: `<svg xmlns="http://www.w3.org/2000/svg">${link}</svg>` },
      '/deep': `${'<div>'.repeat(3000)}${link}`,
      '/odd-type': { type: 'text/html <x>', body: link },
    },
    '127.78.0.72',
  );
  const at = server.pageUrl(`${site}/`, '2030');
  for (const path of ['/utf16', '/jp', '/utf7']) {
    const { text, headers } = await show(path);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(leaks(text, at)).toEqual([]);
  }
  expect((await show('/utf16')).text).toContain('\u20ac');
  for (const path of ['/svg', '/deep', '/odd-type'])
    expect((await show(path)).headers['content-type']).toBe('text/plain; charset=utf-8');
  const image = await show('/svg', { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin' });
  expect(image.headers['content-type']).toBe('image/svg+xml');
});

test('types that browsers might take apart or run are shown as text, or are for the disk', async () => {
  const types: Readonly<Record<string, readonly [document: string, other: string]>> = {
    'text/xsl': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'application/xslt+xml': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'multipart/x-mixed-replace': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'multipart/related': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'message/rfc822': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'text/javascript': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'application/json': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'text/x-component': ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    'application/x-shockwave-flash': ['application/octet-stream', 'application/octet-stream'],
    'application/x-mimearchive': ['application/octet-stream', 'application/octet-stream'],
    'application/zip': ['application/octet-stream', 'application/octet-stream'],
    'image/svg+xml': ['text/plain; charset=utf-8', 'image/svg+xml'],
    'image/png': ['image/png', 'image/png'],
    'video/mp4': ['video/mp4', 'video/mp4'],
    'font/woff2': ['font/woff2', 'font/woff2'],
    'application/font-woff': ['application/font-woff', 'application/font-woff'],
    'application/pdf': ['application/pdf', 'application/pdf'],
    'text/vtt': ['text/vtt', 'text/vtt'],
  };
  const body = '<?xml version="1.0"?><a href="http://evil.example/">x</a>';
  const pages = Object.fromEntries(Object.keys(types).map((type, i) => [`/${i}`, { type, body }]));
  const { show } = await serve(pages, '127.78.0.67');
  for (const [i, [type, expected]] of Object.entries(types).entries()) {
    const asImage = { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin' };
    const found = [await show(`/${i}`), await show(`/${i}`, asImage)].map(
      ({ headers }) => headers['content-type'],
    );
    expect([type, ...found]).toEqual([type, ...expected]);
  }
});

test('a redirect leads to the spelling, the bytes and the charset that its server meant', async () => {
  const form = {
    type: 'text/html; charset=windows-1251',
    body: Buffer.from('<a href="/?q=\xe6">', 'latin1'),
  };
  const { show, site, server } = await serve(
    {
      '/story%2C5': { status: 301, location: '/story%2c5' },
      '/story%2c5': 'the story',
      '/moved': { status: 301, location: '/caf\xe9' },
      '/caf%E9': 'the coffee house',
      '/form': form,
      '/?q=%E6': 'found',
    },
    '127.31.0.61',
  );
  for (const [from, to, text] of [
    ['/story%2C5', '/story%2c5', 'the story'],
    ['/moved', '/caf%E9', 'the coffee house'],
  ] as const) {
    const location = new URL(server.pageUrl(site + to, '2030')).pathname;
    expect(await show(from)).toMatchObject({ status: 302, headers: { location } });
    expect((await show(site + to)).text).toContain(text);
    const raw = await get(server.pageUrl(site + from, '2030').replace('2030', '2030id_'));
    expect(raw.headers['location']).toContain(to);
  }
  expect((await show('/form')).text).toContain('/?q=%E6');
  expect((await show('/?q=%E6')).text).toContain('found');
});

test('links, styles, redirects and errors are those of the archive; what it lacks is an error page', async () => {
  const { show, server, site } = await serve(
    {
      '/': '<title>Start</title><link rel=stylesheet href="/s.css"><a href="/moved#part">m</a><img src="i.png" onload="x()" srcset="i.png 2x"><a href="mailto:a@b.example">w</a>',
      '/s.css': { type: 'text/css', body: 'a{background:url(i.png)}' },
      '/moved': { status: 301, location: '/missing?a=%22%3Cb%3E' },
      '/missing?a=%22%3Cb%3E': { status: 404, body: '<h1>No</h1>' },
    },
    '127.78.0.73',
  );
  const path = (to: string) => new URL(server.pageUrl(site + to, '2030')).pathname;
  const { text, headers } = await show('/');
  expect(text).toContain(`href="${path('/s.css')}"`);
  expect(text).toContain(`href="${path('/moved')}#part"`);
  expect(text).toContain(`src="${path('/i.png')}"`);
  expect(text).toContain('mailto:a@b.example');
  expect(text).not.toContain('onload');
  expect(headers['content-security-policy']).toContain('sandbox allow-same-origin allow-popups;');
  expect(headers['content-security-policy']).toContain("script-src 'none'");
  expect((await show('/s.css')).text).toBe(`a{background:url(${path('/i.png')})}`);
  const moved = await show('/moved');
  expect([moved.status, moved.headers.location]).toEqual([302, `${path('/missing')}?a=%22%3Cb%3E`]);
  expect(await show('/missing?a=%22%3Cb%3E')).toMatchObject({ status: 404, text: '<h1>No</h1>' });
  const lacking = await show('http://other.example/<script>');
  expect(lacking.status).toBe(404);
  expect(lacking.text).toContain('Not in this archive');
  expect(lacking.text).not.toContain('<script>');
  for (const bad of [
    '/2030/javascript:alert(1)',
    '/2030/file:///etc/passwd',
    '/2030/',
    '/x',
    '/2030/https://[',
    '//evil.example/',
  ])
    expect((await get(new URL(server.url).origin + bad)).status).toBe(404);
});

test('answers only under its own address, to GET, and to no other website', async () => {
  const { server, site } = await serve({ '/': 'secret' }, '127.78.0.74');
  const page = server.pageUrl(`${site}/`, '2030');
  const { port } = new URL(server.url);
  const statusOf = async (headers: Record<string, string>) => (await get(page, headers)).status;
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ host: `localhost:${port}` })).toBe(200);
  expect(await statusOf({ host: `evil.example:${port}` })).toBe(421);
  expect(await statusOf({ host: '127.0.0.1' })).toBe(421);
  // No POST to it is archived, and nothing else answers one.
  expect(await statusOf({ method: 'POST' })).toBe(404);
  expect((await get(new URL(server.url).origin, { method: 'POST' })).status).toBe(405);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe' })).toBe(403);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' })).toBe(200);
  const head = await get(page, { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
});

test('the list of pages is searched by words of the URL, page by page', async () => {
  const many = Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`/item/${i}`, `<p>${i}`]));
  const { server } = await serve({ ...many, '/a.css': { type: 'text/css', body: '' } }, '127.78.0.75');
  const rowsOf = async (query: string) => {
    const { text } = await get(server.url + query);
    const $ = load(text);
    return {
      count: $('td a').length,
      next: $('a:contains(Next)').attr('href'),
      first: $('td a').first().attr('href'),
    };
  };
  const first = await rowsOf('');
  expect(first.count).toBe(200);
  expect(await rowsOf(String(first.next).slice(1))).toMatchObject({ count: 31, next: undefined });
  expect((await rowsOf('?q=ITEM+229')).count).toBe(1);
  expect((await rowsOf('?q=.css')).count).toBe(0);
  expect((await rowsOf('?q=.css&all=1')).count).toBe(1);
  expect((await rowsOf(`?q=${'a+'.repeat(300)}&page=99999999999`)).count).toBe(0);
  const { status } = await get(new URL(server.url).origin + first.first);
  expect(status).toBe(200);
  expect((await get(`${server.url}?q=%22%3E%3Cscript%3E`)).text).not.toContain('<script>');
});

test('a damaged record is an error page, and the server continues', async () => {
  const { show, out } = await serve({ '/a': 'one', '/b': 'two' }, '127.78.0.76');
  const folder = join(out, 'archive');
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, name), bytes.fill(0x41, 200));
  }
  expect(await show('/a')).toMatchObject({ status: 500, text: expect.stringContaining('cannot be read') });
  expect((await show('/nothing')).status).toBe(404);
});

test('Memento: TimeMaps, a TimeGate, and the time of each page', async () => {
  const { server, show, site } = await serve({ '/': 'one', '/a?b=%22': 'two' }, '127.78.0.78');
  const { origin } = new URL(server.url);
  const url = `${site}/a?b=%22`;
  const shown = await show('/a?b=%22');
  const datetime = shown.headers['memento-datetime'] as string;
  expect(new Date(datetime).toUTCString()).toBe(datetime);
  const links = shown.headers['link'] as string;
  expect(links).toContain(`<${url}>; rel="original"`);
  const memento = /<([^>]+)>; rel="memento"; datetime="([^"]+)"/.exec(links)!;
  expect(memento[2]).toBe(datetime);
  expect((await get(memento[1]!)).text).toBe(shown.text);

  const map = await get(`${origin}/timemap/link/${url}`);
  expect([map.status, map.headers['content-type']]).toEqual([200, 'application/link-format']);
  expect(map.text).toContain(`<${memento[1]}>; rel="first last memento"; datetime="${datetime}"`);
  const json = await get(`${origin}/timemap/json/${url}`);
  expect(JSON.parse(json.text).mementos.list).toEqual([
    { uri: memento[1], datetime: new Date(datetime).toISOString().replace('.000Z', 'Z') },
  ]);
  for (const gate of [`${origin}/timegate/${url}`, `${origin}/${url}`]) {
    const { status, headers } = await get(gate, { 'accept-datetime': 'Thu, 01 Jan 1970 00:00:00 GMT' });
    expect([status, origin + headers['location'], headers['vary']]).toEqual([
      302,
      memento[1],
      'accept-datetime',
    ]);
    expect(headers['memento-datetime']).toBeUndefined();
  }
  for (const bad of ['yesterday', '2026-01-01', 'Thu, 99 Jan 1970 00:00:00 GMT', `Thu${' '.repeat(999)}`])
    expect.soft((await get(`${origin}/timegate/${url}`, { 'accept-datetime': bad })).status).toBe(400);
  for (const path of ['timemap/link/2/', 'timemap/json/0/', 'timemap/xml/', 'timemap/link/x', 'timegate/x'])
    expect.soft([path, (await get(`${origin}/${path}${url}`)).status]).toEqual([path, 404]);
  expect((await get(`${origin}/timemap/link/${site}/none`)).status).toBe(404);
});

test('a TimeMap has pages', async () => {
  const { createCaptureIndex } = await import('../../shared/engines/local/archive/capture-index.ts');
  const { timeMap } = await import('../../api/local/serve/memento.ts');
  const url = 'http://a.example/';
  async function* captures() {
    for (let i = 0; i < 10_001; i++)
      yield { url, surt: '', timestamp: String(20260101000000 + i), file: 'f', offset: i, length: 1 };
  }
  const index = await createCaptureIndex(captures());
  onTestFinished(() => index.close());
  const page = (number: number) => timeMap(index, { origin: 'http://o', url, format: 'link', page: number });
  const texts = [1, 2, 3].map((number) => page(number)!.text);
  expect(texts.map((text) => text.match(/rel="[a-z ]*memento"/g)?.length)).toEqual([5000, 5000, 1]);
  expect(texts.map((text) => /first memento/.test(text))).toEqual([true, false, false]);
  expect(texts.map((text) => /last memento/.test(text))).toEqual([false, false, true]);
  expect(texts[0]).toContain(`<http://o/timemap/link/2/${url}>; rel="next timemap"`);
  expect(texts[2]).toContain(`<http://o/timemap/link/2/${url}>; rel="prev timemap"`);
  expect(page(4)).toBeUndefined();
});

test('a response as it was is for programs, under headers that do nothing here', async () => {
  const { server, site } = await serve(
    {
      '/': '<script>x()</script><a href="/b">b</a>',
      '/moved': { status: 301, location: '/b' },
      '/missing': { status: 404, body: 'no' },
    },
    '127.78.0.79',
  );
  const { origin } = new URL(server.url);
  const raw = (path: string, headers = {}) => get(`${origin}/2030id_/${site}${path}`, headers);
  const page = await raw('/');
  expect([page.status, page.text]).toEqual([200, '<script>x()</script><a href="/b">b</a>']);
  expect(page.headers['memento-datetime']).toBeDefined();
  expect(page.headers['content-security-policy']).toContain('sandbox');
  expect(await raw('/moved')).toMatchObject({
    status: 301,
    headers: { location: `${origin}/2030id_/${site}/b` },
  });
  expect(await raw('/missing')).toMatchObject({ status: 404, text: 'no' });
  expect((await raw('/none')).status).toBe(404);
  // pywb passes on what its browser says of the request.
  for (const mode of ['navigate', 'no-cors', 'cors']) {
    const passedOn = await raw('/', { 'sec-fetch-mode': mode, 'sec-fetch-site': 'same-origin' });
    expect(passedOn.status).toBe(200);
    expect(passedOn.headers['content-security-policy']).toBe("sandbox; default-src 'none'");
  }
  const foreign = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' };
  expect((await raw('/', foreign)).status).toBe(403);
});

test('headers of a raw response cannot act on the server', async () => {
  const { rawResponse } = await import('../../api/local/serve/raw.ts');
  const headers: [string, string][] = [
    ['Set-Cookie', 'a=b'],
    ['Content-Encoding', 'gzip'],
    ['Content-Type', 'text/html'],
    ['Content-Type', 'text/plain'],
    ['X-Bad', 'a\u0000b'],
    ['Bad Name', 'x'],
    ['X-Long', 'x'.repeat(5000)],
    ['Location', 'javascript:alert(1)'],
    ...Array.from({ length: 500 }, (_, i): [string, string] => [`X-${i}`, 'x']),
  ];
  const response = rawResponse({ status: 199, headers, body: Buffer.from('x') }, 'http://a.example/', String);
  expect(response.status).toBe(200);
  expect(Object.keys(response.headers)).toHaveLength(60);
  expect(response.headers).toMatchObject({ 'x-archive-orig-set-cookie': 'a=b', 'content-type': 'text/html' });
  for (const name of ['set-cookie', 'content-encoding', 'x-archive-orig-content-encoding', 'location'])
    expect(response.headers).not.toHaveProperty(name);
});

test('the captures are those of the CDX server', async () => {
  const { server, site } = await serve({ '/': 'one', '/a': 'two' }, '127.78.0.80');
  const { origin } = new URL(server.url);
  const first = await get(`${origin}/cdx?url=${site}/*&limit=1`);
  expect([first.status, first.headers['content-type']]).toEqual([200, 'text/x-cdxj']);
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers['link'] as string)?.[1] as string;
  expect((first.text + (await get(next)).text).match(/"url":"[^"]*"/g)).toEqual([
    `"url":"${site}/"`,
    `"url":"${site}/a"`,
  ]);
  expect((await get(`${origin}/cdx`)).status).toBe(400);
  expect((await get(`${origin}/cdx?url=%ff%00`)).status).toBe(400);
  expect((await get(`${origin}/cdx?url=a`, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
});

test('the nearest capture in time is shown', async () => {
  const { createCaptureIndex } = await import('../../shared/engines/local/archive/capture-index.ts');
  async function* captures() {
    for (const [i, timestamp] of ['20260101000000', '20260201000000', '20270101000000'].entries())
      yield { url: 'http://a.example/', surt: '', timestamp, file: 'f', offset: i, length: 1 };
  }
  const index = await createCaptureIndex(captures());
  const find = (timestamp: string) => index.find('http://a.example/', timestamp)?.offset;
  expect(['2020', '20260101000000', '20260120000000', '20260110', '202612', '2030'].map(find)).toEqual([
    0, 0, 1, 0, 2, 2,
  ]);
  expect(index.find('http://b.example/', '2030')).toBeUndefined();
  expect(index.newest('http://a.example/', 2).map(({ offset }) => offset)).toEqual([2, 1]);
  index.close();
});
