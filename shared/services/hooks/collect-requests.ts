/** The requests that `onPage` makes by `enqueue`, and the importance that it gives its page, checked. */
import { isUtf8 } from 'node:buffer';
import { encodeQuery } from '../../core/parser/query-charset.ts';
import { MAX_FACTOR, MIN_FACTOR } from '../../core/recrawl/page-importance.ts';
import { printable } from '../../core/text/printable.ts';
import { canonicalize } from '../../core/url/canonical.ts';
import {
  fetchedUrl,
  type HookRequest,
  ownRequest,
  requestUrl,
  storedRequest,
} from '../../core/url/request-url.ts';
import type { PageRequest } from '../../crawler/turn/page-hooks.ts';
import type { EnqueueOptions } from '../project/project.ts';
import { keepable } from './item-lines.ts';

export interface RequestCollector {
  enqueue(url: string | URL, options?: EnqueueOptions): void;
  setImportance(factor: number): void;
  /** Returns the requests, and the importance if it was set. Later calls of the functions throw. */
  end(): { readonly requests: readonly PageRequest[]; readonly importance?: number | undefined };
}

/** The largest size of a request without its URL, as JSON: it is stored with the URL. */
const MAX_REQUEST_CHARS = 64 * 1024;
const MAX_LABEL_CHARS = 200;
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/**
 * Headers that belong to the connection, follow from the body, or name the sender (the crawl's own `userAgent` and
 * identity).
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'signature',
  'signature-agent',
  'signature-input',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const KEYS: ReadonlySet<string> = new Set(['label', 'priority', 'data', 'method', 'headers', 'body']);

/**
 * `base`: what relative URLs are resolved against. `max`: requests that one page may make. `charset`: of the page, in which
 * queries are encoded, as those of its links are.
 */
export function collectRequests(base: string, max: number, charset?: string): RequestCollector {
  const requests: PageRequest[] = [];
  let isEnded = false;
  let importance: number | undefined;
  return {
    enqueue(given, options = {}) {
      if (isEnded) throw new Error('enqueue was called after onPage had ended: await what calls it');
      const url = canonicalize(encodeQuery(String(given), charset), base);
      if (url === undefined)
        throw new TypeError(`Expected enqueue to be given an http or https URL, got ${shown(given)}`);
      if (requests.length >= max)
        throw new RangeError(`Expected at most ${max} requests from one page (maxLinksPerPage)`);
      requests.push({ url, request: checkedRequest(options), level: checkedPriority(options.priority) });
    },
    setImportance(factor) {
      if (isEnded) throw new Error('setImportance was called after onPage had ended: await what calls it');
      if (typeof factor !== 'number' || !(factor >= MIN_FACTOR && factor <= MAX_FACTOR))
        throw new TypeError(
          `Expected setImportance to be given a number from ${MIN_FACTOR} to ${MAX_FACTOR}, got ${shown(factor)}`,
        );
      importance = factor;
    },
    end() {
      isEnded = true;
      return { requests, importance };
    },
  };
}

/**
 * Whether it is the ledger's name of a request that {@link collectRequests} may have given, or a redirect of one: in a
 * message that others may have sent.
 */
export function isRequestName(name: string): boolean {
  const url = fetchedUrl(name);
  if (canonicalize(url) !== url) return false;
  try {
    const request = ownRequest(name);
    return request !== undefined && requestUrl(url, checkedRequest(request as EnqueueOptions)) === name;
  } catch {
    return false;
  }
}

function checkedPriority(priority: unknown = 0): number {
  if (Number.isInteger(priority) && (priority as number) >= 0 && (priority as number) <= 7)
    return priority as number;
  throw new TypeError(`Expected priority to be a whole number from 0 to 7, got ${shown(priority)}`);
}

/** Throws TypeError and RangeError. */
function checkedRequest(options: EnqueueOptions): HookRequest {
  const unknown = Object.keys(options).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    throw new TypeError(`enqueue knows no option ${shown(unknown)}: there are ${[...KEYS].join(', ')}`);
  const { label, data } = options;
  if (label !== undefined && (typeof label !== 'string' || label.length > MAX_LABEL_CHARS))
    throw new TypeError(
      `Expected label to be a string of at most ${MAX_LABEL_CHARS} characters, got ${shown(label)}`,
    );
  const { body, type } = bodyOf(options.body);
  const method = (options.method ?? (body === undefined ? 'GET' : 'POST')).toUpperCase();
  if (!METHODS.has(method))
    throw new TypeError(
      `Expected method to be one of ${[...METHODS].join(', ')}, got ${shown(options.method)}`,
    );
  if (method === 'GET' && body !== undefined) throw new TypeError('Expected no body with method GET');
  const headers = headersOf(options.headers, type);
  const request: HookRequest = {
    ...(method !== 'GET' && { method }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(label !== undefined && { label }),
    ...(data !== undefined && { data }),
  };
  const { length } = JSON.stringify(storedRequest(request), keepable);
  if (length > MAX_REQUEST_CHARS)
    throw new RangeError(
      `Expected headers, body, label and data of at most ${MAX_REQUEST_CHARS} characters together, got ${length}`,
    );
  return request;
}

function bodyOf(body: EnqueueOptions['body']): {
  readonly body?: string | Uint8Array;
  readonly type?: string;
} {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body };
  if (body instanceof URLSearchParams)
    return { body: body.toString(), type: 'application/x-www-form-urlencoded' };
  // Equal bodies have equal names, however they are given.
  if (body instanceof Uint8Array)
    return { body: isUtf8(body) ? Buffer.from(body).toString('utf8') : Uint8Array.from(body) };
  if (typeof body === 'object' && body !== null)
    return { body: JSON.stringify(body, keepable), type: 'application/json' };
  throw new TypeError(
    `Expected body to be a string, URLSearchParams, Uint8Array or an object, got ${shown(body)}`,
  );
}

function headersOf(
  given: EnqueueOptions['headers'] = {},
  type: string | undefined,
): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\da-z-]+$/.test(lower) || OWN_HEADERS.has(lower))
      throw new TypeError(`A request may not set the header ${shown(name)}`);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new TypeError(`Expected the header ${shown(name)} to be text in Latin-1, got ${shown(value)}`);
    headers[lower] = value;
  }
  return Object.keys(headers).length > 0 ? headers : undefined;
}

const shown = (value: unknown): string => printable(JSON.stringify(String(value)).slice(0, 100));
