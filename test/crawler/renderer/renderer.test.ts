import { expect } from 'vitest';
import type { PartRequest } from '../../../shared/crawler/ports/renderer.ts';
import { needs } from '../../needs.ts';
import { findLinks, jobFor, LIMITS } from '../../web/scripted/render-page.ts';
import { openRenderer, openSite } from './open-renderer.ts';

const test = needs('browser');
const { site, parts, pageOf } = await openSite();
const renderer = openRenderer();

const render = (html: string, more: Parameters<typeof jobFor>[2] = {}, fetchPart = parts.fetchPart) =>
  renderer.render(jobFor(site, { name: 'static', links: [], html }, more), fetchPart);

test('pages are rendered at once, each by its own requests, and the document is not requested again', async () => {
  const asked: PartRequest[] = [];
  const names = ['components', 'fetched', 'workers', 'frames', 'cookies', 'modules'];
  const found = await Promise.all(
    names.map((name) =>
      findLinks(renderer, site, pageOf(name), {
        fetchPart: (request) => {
          asked.push(request);
          return parts.fetchPart(request);
        },
      }),
    ),
  );
  expect(found.map(({ missing }) => missing)).toEqual(names.map(() => []));
  expect(asked.filter(({ url }) => names.some((name) => url.endsWith(`/page/${name}`)))).toEqual([]);
  expect(asked.find(({ url }) => url.includes('/module/a.js'))).toMatchObject({
    kind: 'script',
    method: 'GET',
    documentUrl: site.urlOf(pageOf('modules')),
  });
  expect(new Set(asked.map(({ kind }) => kind))).toEqual(new Set(['script', 'xhr', 'frame']));
  expect(site.takeEscapes()).toEqual([]);
});

test('a timer of some seconds is rendered without waiting for it', async () => {
  const { html, used } = await render(
    '<p id=a>no</p><script>setTimeout(()=>{document.getElementById("a").textContent="yes "+document.visibilityState},4000)</script>',
  );
  expect(html).toContain('yes visible');
  expect(used.cpuMs).toBeGreaterThan(0);
});

test('shadow roots are rendered as declarative templates, closed ones too', async () => {
  const { html } = await render(
    '<x-a></x-a><script>customElements.define("x-a",class extends HTMLElement{connectedCallback(){this.attachShadow({mode:"closed"}).innerHTML="<b>in</b>"}})</script>',
  );
  expect(html).toContain('<x-a><template shadowrootmode="closed"><b>in</b></template></x-a>');
});

test('a document that is to be shown has the styles that scripts have set without markup', async () => {
  const html = `<style id=a></style><x-a></x-a><p>text</p><script>
    a.sheet.insertRule('p::before { content: "</style><b>"; }');
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('i { color: red; }');
    document.adoptedStyleSheets = [sheet];
    customElements.define('x-a', class extends HTMLElement {
      connectedCallback() { this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet]; }
    });</script>`;
  const [plain, shown] = await Promise.all([render(html), render(html, { writesStyles: true })]);
  expect(plain.html).toContain('<style id="a"></style>');
  expect(shown.html).toContain('<style id="a">p::before { content: "<\\/style><b>"; }\n</style>');
  expect(shown.html!.split('<style>i { color: red; }\n</style>')).toHaveLength(3);
});

test('scripts see an honest browser: its own name without "Headless", the crawler, and webdriver', async () => {
  const { html } = await render(
    `<pre id=a></pre><script>a.textContent=[navigator.userAgent,navigator.webdriver,typeof RTCPeerConnection,'serviceWorker' in navigator].join('|')</script>`,
    { userAgent: 'Strand/0.1 (+mailto:me@example.org)' },
  );
  expect(html).toMatch(
    /<pre id="a">Mozilla[^|]* Chrome\/[^|]* Strand\/0\.1 \(\+mailto:me@example\.org\)\|true\|undefined\|false</,
  );
  expect(html).not.toContain('Headless');
});

test('cookies go to the site of the page alone, and those of scripts come back', async () => {
  const sent: (string | undefined)[] = [];
  const { cookies } = await render(
    `<script>document.cookie='own=1;path=/';fetch('/api/list?name=x');fetch('http://127.0.0.2:1/',{mode:'no-cors'}).catch(()=>{})</script>`,
    { cookies: [{ name: 'given', value: '2', url: site.origin }] },
    async ({ url, headers }) => {
      sent.push(`${new URL(url).hostname} ${headers.cookie?.split('; ').sort()}`);
      return { status: 'refused', reason: 'a test' };
    },
  );
  expect(sent.sort()).toEqual(['127.0.0.1 given=2,own=1', '127.0.0.2 undefined']);
  expect(cookies).toEqual([{ name: 'own', value: '1', url: `${site.origin.replace(/:\d+$/, '')}/` }]);
});

test('cookies of a domain go to its hosts, and one that the browser does not take costs no other', async () => {
  const url = 'http://www.example.test/';
  const sent: string[] = [];
  const { html } = await render(
    `<p id=a></p><script>a.textContent=document.cookie;fetch('http://api.example.test/x').catch(()=>{})</script>`,
    {
      url,
      cookies: [
        { name: 'wide', value: '1', url, domain: 'example.test' },
        { name: 'own', value: '2', url },
        { name: 'long', value: 'x'.repeat(5000), url },
        { name: '__Host-secure', value: '3', url, path: '/' },
      ],
    },
    async (request) => {
      sent.push(`${new URL(request.url).hostname} ${request.headers.cookie}`);
      return { status: 'refused', reason: 'a test' };
    },
  );
  expect(
    /<p id="a">(.*)<\/p>/
      .exec(html ?? '')?.[1]
      ?.split('; ')
      .sort(),
  ).toEqual(['own=2', 'wide=1']);
  expect(sent).toEqual(['api.example.test wide=1']);
});

test('a page that loads itself again, with what it has kept, shows what it shows then', async () => {
  const kept = await render(
    `<p id=a></p><script>if(localStorage.seen)fetch('/api/list?name=x&n=1&from=0').then(r=>r.json()).then(([url])=>{a.textContent='whole '+url});else{localStorage.seen=1;location.reload()}</script>`,
  );
  expect(kept.html).toContain('whole /leaf/x/0');
  const forever = await render('<script>document.write(`<p>text</p>`);location.reload()</script>');
  expect(forever).toMatchObject({ state: 'rendered', html: expect.stringContaining('<p>text</p>') });
});

test('a page that changes its own URL without end has a bounded number of links', async () => {
  const { links } = await render(
    '<script>let n=0;setInterval(()=>{for(let i=0;i<50;i++)history.pushState({},"","/n/"+n++)},1)</script>',
  );
  expect(links).toHaveLength(100);
});

test('a page that polls, by URLs that differ in the time or a random number alone, makes few requests', async () => {
  const { used } = await render(
    '<script>for(const next of [Date.now,Math.random])setInterval(()=>fetch("/api/list?name=x&n=1&_="+next()).catch(()=>{}),50)</script>',
  );
  expect(used.requests).toBe(3);
});

test('bodies that pages send come as they are', async () => {
  const bodies: string[] = [];
  await render(
    `<script>const f=new FormData();f.append('a',new Blob([new Uint8Array([0,255,128])]));fetch('/api/post',{method:'POST',body:f});fetch('/api/post?2',{method:'POST',body:new Uint8Array([1,254])})</script>`,
    {},
    async ({ body }) => {
      bodies.push(Buffer.from(body ?? []).toString('latin1'));
      return { status: 'refused', reason: 'a test' };
    },
  );
  expect(bodies.sort()).toEqual(['\u0001\u00fe', expect.stringContaining('\u0000\u00ff\u0080')]);
});

test('a picture is rendered with its styles and images, which pages else do not get', async () => {
  const kinds: string[] = [];
  const job = jobFor(site, {
    name: 'static',
    links: [],
    html: '<link rel=stylesheet href=/a.css><img src=/b.png>',
  });
  const noted = async ({ kind }: PartRequest) => {
    kinds.push(kind);
    return { status: 'refused', reason: 'a test' } as const;
  };
  const plain = await renderer.render(job, noted);
  expect([plain.screenshot, kinds]).toEqual([undefined, []]);
  const { screenshot } = await renderer.render({ ...job, screenshot: true }, noted);
  expect(Buffer.from(screenshot ?? []).toString('latin1', 1, 4)).toBe('PNG');
  expect(kinds.sort()).toEqual(['image', 'style']);
});

test('a page that leads elsewhere at once says where', async () => {
  const { navigatedTo, links } = await render('<script>location.replace("/leaf/x")</script>');
  expect({ navigatedTo, links }).toEqual({
    navigatedTo: `${site.origin}/leaf/x`,
    links: [`${site.origin}/leaf/x`],
  });
});

test.each([
  [
    '100 MB of HTML',
    { document: { httpStatus: 200, headers: [], body: Buffer.alloc(1e8, 'x') } },
    'tooLarge',
  ],
  ['more than its limit of HTML', { limits: { ...LIMITS, htmlBytes: 30 } }, 'tooLarge'],
] as const)('a page with %s is not rendered', async (_, more, state) => {
  const rendering = await render(`<p>${'x'.repeat(20)}</p>`, more);
  expect([rendering.state, rendering.html]).toEqual([state, undefined]);
});

test('an answer that comes after the limit is not waited for', async () => {
  const never = () => new Promise<never>(() => {});
  const rendering = await render(
    '<p>Before</p><script>fetch("/never")</script>',
    { limits: { ...LIMITS, ms: 4000 } },
    never,
  );
  expect(rendering).toMatchObject({ state: 'rendered', detail: 'it did not settle in its time' });
  expect(rendering.html).toContain('Before');
});

test('a page that is stopped ends at once', async () => {
  const rendering = await renderer.render(
    jobFor(site, pageOf('fetched')),
    parts.fetchPart,
    AbortSignal.abort(),
  );
  expect(rendering).toMatchObject({ state: 'timedOut', links: [] });
});

test('a body of 19 MB is rendered, and no larger one', async () => {
  const text = (bytes: number) =>
    `<p id=a></p><script>fetch('/large?bytes=${bytes}').then(r=>r.text()).then(s=>{a.textContent=s.length},()=>{a.textContent='none'})</script>`;
  const limits = { ...LIMITS, bytes: 1e9 };
  const [small, large] = await Promise.all([render(text(19e6), { limits }), render(text(25e6), { limits })]);
  expect([small.html, large.html]).toEqual([
    expect.stringContaining('>19000000<'),
    expect.stringContaining('>none<'),
  ]);
});
