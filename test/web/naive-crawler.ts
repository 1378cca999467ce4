/**
 * A crawler as plain as can be, for testing the generated web and its judge: all in memory, one loop for each
 * host. It knows nothing of the graph. It can misbehave in each way that the judge must notice.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { Agent, request } from 'undici';
import { canonical, hostOf } from './canonical.ts';
import { readRobots } from './naive-robots.ts';
import type { FinalState } from './truth.ts';

export interface NaiveOptions {
  readonly seeds: readonly string[];
  /** Where all host names lead. */
  readonly address: string;
  readonly isInScope: (url: string) => boolean;
  readonly delayMs?: number;
  readonly ignoresRobots?: boolean;
  readonly ignoresRetryAfter?: boolean;
  readonly ignoresCrawlDelay?: boolean;
  /** Fetches all that is fetched once more. */
  readonly fetchesTwice?: boolean;
  /** Links wherever something looks like one. */
  readonly readsAnything?: boolean;
  readonly perHost?: number;
  readonly maxAttempts?: number;
}

interface Reply {
  /** 0: none, or none that is whole. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

interface HostState {
  readonly queue: { readonly url: string; readonly redirects: number }[];
  loops: number;
  begun?: Promise<void>;
  allows: (url: string) => boolean;
  delayMs: number;
  nextAt: number;
}

const AGENT = 'strand';
const MAX_BODY_BYTES = 16 * 2 ** 20;
const MAX_REDIRECTS = 10;

/** Resolves when nothing is left to fetch, with the outcome of each URL. */
export async function crawlNaively(options: NaiveOptions): Promise<Map<string, FinalState>> {
  const { address, delayMs = 0, perHost = 1, maxAttempts = 3 } = options;
  const states = new Map<string, FinalState>();
  const seen = new Map<string, number>();
  const hosts = new Map<string, HostState>();
  const running = new Set<Promise<void>>();
  const dispatcher = new Agent({
    connections: perHost,
    pipelining: 1,
    headersTimeout: 4000,
    connect: { lookup: (_host, _options, done) => done(null, [{ address, family: 4 }]) },
  });

  function meet(written: string, base: string | undefined, redirects: number): void {
    const url = canonical(written, base);
    if (url === undefined || !/^https?:/.test(url) || !options.isInScope(url)) return;
    if (redirects > MAX_REDIRECTS || (seen.get(url) ?? Infinity) <= redirects) return;
    const isNew = !seen.has(url);
    seen.set(url, redirects);
    if (!isNew) return;
    const host = hosts.get(hostOf(url)) ?? { queue: [], loops: 0, allows: () => true, delayMs, nextAt: 0 };
    hosts.set(hostOf(url), host);
    host.queue.push({ url, redirects });
    if (host.loops < perHost) start(host, url);
  }

  function start(host: HostState, url: string): void {
    host.loops++;
    const loop = drain(host, url).finally(() => running.delete(loop));
    running.add(loop);
  }

  async function drain(host: HostState, anyUrl: string): Promise<void> {
    host.begun ??= options.ignoresRobots ? Promise.resolve() : learnRobots(host, anyUrl);
    await host.begun;
    for (let next = host.queue.shift(); next !== undefined; next = host.queue.shift()) {
      const { url, redirects } = next;
      if (!host.allows(url)) states.set(url, 'deniedByRobots');
      else {
        states.set(url, await visit(host, url, redirects));
        if (options.fetchesTwice) await politely(host, url);
      }
    }
    host.loops--;
  }

  async function visit(host: HostState, url: string, redirects: number): Promise<FinalState> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const { status, headers, body } = await politely(host, url);
      if (status === 0) continue;
      if (status >= 500 || status === 429) {
        const after = text(headers['retry-after']);
        if (after !== '' && !options.ignoresRetryAfter) await pause(waitOf(after));
        continue;
      }
      if (status === 404 || status === 410) return 'gone';
      if (status >= 300 && status < 400) {
        const location = text(headers.location);
        if (location !== '') meet(location, url, redirects + 1);
        return 'redirect';
      }
      const type = text(headers['content-type']);
      if (type.startsWith('text/html') || options.readsAnything)
        for (const [written, base] of linksOf(decode(body, headers), url, options.readsAnything))
          meet(written, base, 0);
      return 'fetched';
    }
    return 'failed';
  }

  async function learnRobots(host: HostState, anyUrl: string): Promise<void> {
    const start = new URL('/robots.txt', anyUrl).href;
    let url = start;
    for (let tries = 0; tries < 8; tries++) {
      const { status, headers, body } = await politely(host, url);
      if (status >= 300 && status < 400) url = new URL(text(headers.location), url).href;
      else if (status >= 400 && status < 500) return;
      else if (status === 200) {
        const rules = readRobots(body.toString('utf8'), AGENT);
        host.allows = (page) => rules.allows(page.slice(new URL(page).origin.length));
        if (!options.ignoresCrawlDelay) host.delayMs = Math.max(delayMs, rules.crawlDelayMs);
        host.nextAt = Math.max(host.nextAt, performance.now() + host.delayMs);
        return;
      }
    }
    host.allows = () => false;
  }

  async function politely(host: HostState, url: string): Promise<Reply> {
    for (let wait = 1; wait > 0; ) {
      wait = host.nextAt - performance.now();
      // A timer may fire a little early.
      if (wait > 0) await pause(Math.ceil(wait));
    }
    const reply = await fetchOnce(url);
    host.nextAt = performance.now() + host.delayMs;
    return reply;
  }

  async function fetchOnce(url: string): Promise<Reply> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      const { statusCode, headers, body } = await request(url, {
        dispatcher,
        headers: { 'user-agent': AGENT, 'accept-encoding': 'gzip, br, zstd, deflate' },
      });
      // Leaving the loop early closes the connection.
      for await (const chunk of body) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_BODY_BYTES) break;
      }
      return { status: statusCode, headers, body: Buffer.concat(chunks) };
    } catch {
      return { status: 0, headers: {}, body: Buffer.alloc(0) };
    }
  }

  for (const seed of options.seeds) meet(seed, undefined, 0);
  while (running.size > 0) await Promise.all(running);
  await dispatcher.destroy();
  return states;
}

function linksOf(html: string, url: string, readsAnything = false): [string, string][] {
  const links: string[] = [];
  let base = url;
  const parser = new Parser({
    onopentag(name, attributes) {
      const { href, src, content, 'http-equiv': directive } = attributes;
      if (name === 'base' && href !== undefined) base = URL.parse(href, url)?.href ?? url;
      if ((name === 'a' || name === 'area') && href !== undefined && attributes.rel !== 'nofollow')
        links.push(href);
      if ((name === 'frame' || name === 'iframe') && src !== undefined) links.push(src);
      const target = /^\s*\d+\s*[;,\s]\s*(?:url\s*=\s*)?['"]?([^'"]*)/i.exec(content ?? '')?.[1];
      if (name === 'meta' && directive === 'refresh' && target) links.push(target);
    },
  });
  parser.end(html);
  if (readsAnything) for (const [, href] of html.matchAll(/href=["']([^"']+)/g)) links.push(href!);
  return links.map((link) => [link, base]);
}

function decode(body: Buffer, headers: Reply['headers']): string {
  let bytes = body;
  const coding = text(headers['content-encoding']);
  if (coding === 'gzip') bytes = gunzipSync(body);
  if (coding === 'br') bytes = brotliDecompressSync(body);
  if (coding === 'zstd') bytes = zstdDecompressSync(body);
  // Zlib's wrapper begins with 0x78.
  if (coding === 'deflate') bytes = body[0] === 0x78 ? inflateSync(body) : inflateRawSync(body);
  const declared = /charset="?([\w-]+)/i;
  const inHead = declared.exec(text(headers['content-type']))?.[1];
  const inPage = declared.exec(bytes.toString('latin1', 0, 1024))?.[1];
  return new TextDecoder(inHead ?? inPage ?? 'utf-8').decode(bytes);
}

function waitOf(retryAfter: string): number {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Math.max(0, ms) + 1;
}

function text(field: string | string[] | undefined): string {
  return (Array.isArray(field) ? field[0] : field) ?? '';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
