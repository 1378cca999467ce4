import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { leaves, render } from './scripted-page.ts';

/** A request to the site, and what it answers. */
export interface SiteRequest {
  readonly url: URL;
  readonly method: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface SiteAnswer {
  readonly status?: number;
  readonly type?: string;
  /** Pieces come as they are ready. */
  readonly body?: string | Buffer | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

const listed = ({ url }: SiteRequest): string[] =>
  leaves(
    url.searchParams.get('name') ?? '',
    Number(url.searchParams.get('n') ?? 1),
    Number(url.searchParams.get('from') ?? url.searchParams.get('i') ?? 0),
  );

const json = (value: unknown, headers = {}): SiteAnswer => ({
  type: 'application/json',
  body: JSON.stringify(value),
  headers,
});

const script = (body: string | Buffer, headers = {}): SiteAnswer => ({
  type: 'text/javascript',
  body,
  headers,
});

const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'x-custom',
  'access-control-allow-methods': 'GET',
};

async function* everyMoment(text: string, times: number): AsyncGenerator<string> {
  for (let i = 0; i < times; i++) {
    yield text;
    await sleep(50);
  }
  await sleep(60_000);
}

const BYTES = Buffer.alloc(100_000, 1);

function bytes({ headers }: SiteRequest): SiteAnswer {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(String(headers.range ?? '')) ?? [];
  if (from === undefined) return { type: 'video/mp4', body: BYTES, headers: { 'accept-ranges': 'bytes' } };
  const end = to ? Number(to) : BYTES.length - 1;
  return {
    status: 206,
    type: 'video/mp4',
    body: BYTES.subarray(Number(from), end + 1),
    headers: { 'content-range': `bytes ${from}-${end}/${BYTES.length}` },
  };
}

function posted({ url, body }: SiteRequest): SiteAnswer {
  const [least, most] = ['least', 'most'].map((name) => Number(url.searchParams.get(name)));
  const isRight = body.length >= least! && body.length <= most!;
  return json([
    isRight ? `/leaf/${url.searchParams.get('name')}/${url.searchParams.get('i')}` : `/wrong/${body.length}`,
  ]);
}

function cookies({ url, headers }: SiteRequest): SiteAnswer {
  const sent = String(headers.cookie ?? '');
  const needed = (url.searchParams.get('need') ?? '').split(',');
  return json(needed.map((name, i) => (sent.includes(`${name}=`) ? `/leaf/cookies/${i}` : `/wrong/${name}`)));
}

const frameThatAnswers = (i: number): SiteAnswer => ({
  type: 'text/html',
  body: `<script>parent.postMessage(['/leaf/frame-that-answers/${i}'],'*')</script>`,
});

type Answer = (request: SiteRequest) => SiteAnswer;

/** The answers of the site, by path. */
export const RESOURCES: Readonly<Record<string, Answer>> = {
  '/api/list': (request) => json(listed(request)),
  '/api/post': posted,
  '/api/cookies': cookies,
  '/open/list': (request) =>
    request.method === 'OPTIONS' ? { status: 204, headers: OPEN } : json(listed(request), OPEN),
  '/events': () => ({ type: 'text/event-stream', body: everyMoment('data: x\n\n', 2) }),
  '/endless': () => ({ type: 'text/plain', body: everyMoment('x'.repeat(100), 10_000) }),
  '/bytes': bytes,
  '/large': ({ url }) => ({
    type: 'text/plain',
    body: Buffer.alloc(Number(url.searchParams.get('bytes')), 'z'),
  }),
  '/file.bin': () => ({
    type: 'application/octet-stream',
    body: 'x',
    headers: { 'content-disposition': 'attachment; filename=x.bin' },
  }),
  '/script/written.js': () =>
    script(`document.write('<a href=/leaf/written/0>x</a><a href=/leaf/written/1>y</a>')`),
  '/script/never.js': () => script(render('never', 1)),
  '/script/policy.js': () =>
    script(`root.innerHTML='<a href=/leaf/policy/0>x</a><a href=/leaf/policy/1>y</a>'`),
  '/script/coded-gzip.js': () => script(gzipSync(render('coded', 1)), { 'content-encoding': 'gzip' }),
  '/script/coded-br.js': () =>
    script(brotliCompressSync(render('coded', 1, 1)), { 'content-encoding': 'br' }),
  '/script/worker.js': () =>
    script(
      `importScripts('/script/empty.js');fetch('/api/list?name=workers&n=1').then(r=>r.json()).then(postMessage)`,
    ),
  '/script/empty.js': () => script(''),
  '/script/module-worker.js': () =>
    script(
      `import '/module/mapped.js';postMessage(await(await fetch('/api/list?name=workers&n=1&from=1')).json())`,
    ),
  '/script/shared-worker.js': () =>
    script(
      `onconnect=async e=>e.ports[0].postMessage(await(await fetch('/api/list?name=workers&n=1&from=3')).json())`,
    ),
  '/script/worker-of-worker.js': () =>
    script(`new Worker('/script/inner-worker.js').onmessage=e=>postMessage(e.data)`),
  '/script/inner-worker.js': () =>
    script(
      `const x=new XMLHttpRequest();x.open('GET','/api/list?name=workers&n=2&from=4',false);x.send();postMessage(JSON.parse(x.responseText))`,
    ),
  '/script/service-worker.js': () =>
    script(
      `importScripts('/escape/service-worker-import');oninstall=e=>{e.waitUntil(fetch('/escape/service-worker-install'));skipWaiting()};onactivate=e=>e.waitUntil(clients.claim());onfetch=e=>e.respondWith(fetch(e.request))`,
    ),
  '/script/frame-0.html': () => frameThatAnswers(0),
  '/script/frame-1.html': () => frameThatAnswers(1),
  '/script/styled.xml': ({ url }) => ({
    type: 'text/xml',
    body: `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${url.searchParams.get('to')}"?><a/>`,
  }),
  '/module/a.js': () => script(`import {url} from './b.js';export const some=['/leaf/modules/0',url]`),
  '/module/b.js': () => script(`export const url='/leaf/modules/1'`),
  '/module/later.js': () => script(`export const more=['/leaf/modules/2','/leaf/modules/3']`),
  '/module/mapped.js': () => script(`export const url='/leaf/import-map/0'`),
};

/** Redirects. */
export function redirect({ url }: SiteRequest): SiteAnswer | undefined {
  const status = /^\/go\/(3\d\d)$/.exec(url.pathname)?.[1];
  if (status === undefined) return undefined;
  const location = url.searchParams.get('to') ?? '/';
  return {
    status: Number(status),
    headers: { location, 'access-control-allow-origin': '*', 'set-cookie': 'went=1; Path=/' },
  };
}
