/**
 * Requests that a project's hooks make in a world. Each has a field by which the web recognizes all of it, so that the
 * log has the name under which the ledger knows it.
 */
import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import { type HookRequest, requestUrl } from '../../shared/core/url/request-url.ts';
import type { PageRequest } from '../../shared/crawler/turn/page-hooks.ts';
import { between, randomOf } from '../models/random.ts';
import type { SimWeb } from '../worlds/spec.ts';

/** A redirect to another host takes it along. */
const FIELD = 'accept-sim-request';
/** The share of pages whose hook makes requests, and how many at most. */
const REQUESTING = 0.4;
const MAX_REQUESTS = 2;
/** The share of requests that change something, where pages link to such. */
const CHANGING = 0.2;
const MAX_LEVEL = 7;
/** Two pages may make the same request. */
const VALUES = 3;
const WAYS: readonly HookRequest[] = [
  {},
  { method: 'POST', body: 'q=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  { method: 'PUT', body: '{"a":1}', headers: { authorization: 'Basic c2lt' } },
];

/** Returns the requests that the hook makes for the page: the same each time. */
export function requestsFor(
  seed: number,
  web: Pick<SimWeb, 'someUrl' | 'someChange' | 'harmOf' | 'isTrap'>,
  page: string,
): PageRequest[] {
  const random = randomOf(seed, 'requests of hooks', page);
  if (random() >= REQUESTING) return [];
  const changes = randomOf(seed, 'changes by hooks', page);
  return Array.from({ length: between(random, 1, MAX_REQUESTS) }, () => {
    const some = web.someUrl(random);
    const change = web.someChange(changes);
    const url = change !== undefined && changes() < CHANGING ? change : some;
    const way = between(random, 0, WAYS.length - 1);
    const value = `${way}.${between(random, 1, VALUES)}`;
    const { headers, ...rest } = WAYS[way] as HookRequest;
    const request = { ...rest, headers: { ...headers, [FIELD]: value }, ...saidBy(value) };
    return { url, request, level: between(random, 0, MAX_LEVEL) };
  }).filter(({ url }) => web.harmOf(url) === undefined && !web.isTrap(url));
}

export const nameOf = ({ url, request }: Pick<PageRequest, 'url' | 'request'>): string =>
  requestUrl(url, request);

/** Returns the name of a request that reaches the web: its URL, if no hook has made it. */
export function recognized({ url, method, headers = {}, body }: FetchRequest): string {
  const value = headers[FIELD];
  // Cookies are not part of the name.
  const { Cookie: _, ...own } = headers;
  return value === undefined ? url : requestUrl(url, { method, headers: own, body, ...saidBy(value) });
}

/** The parts of a request that do not reach the web. */
const saidBy = (value: string): Pick<HookRequest, 'label' | 'data'> => ({
  label: `of ${value}`,
  ...(value.startsWith('2') && { data: { value } }),
});
