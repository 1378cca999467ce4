import { expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { createProxyChooser } from '../../../shared/crawler/fetcher/proxy/choose-proxy.ts';
import { environmentProxies } from '../../../shared/crawler/fetcher/proxy/environment-proxies.ts';

const ENVIRONMENT = {
  HTTPS_PROXY: 'http://secure.proxy:1',
  http_proxy: 'plain.proxy:2',
  HTTP_PROXY: 'http://other.proxy:3',
  NO_PROXY: 'a.test, .b.test,10.0.0.0/8,[2001:db8::1],c.test:8080, what?ever',
};

const reached = (environment: Record<string, string>, url: string) => {
  const { proxies } = parseConfig({ proxies: environmentProxies(environment) });
  return createProxyChooser(proxies)(url)?.name ?? 'directly';
};

test.each([
  ['https://x.test/', 'http://secure.proxy:1'],
  ['http://x.test/', 'http://plain.proxy:2'],
  ['https://a.test/', 'directly'],
  ['http://a.test:8080/', 'directly'],
  ['https://www.a.test/', 'directly'],
  ['https://nota.test/', 'http://secure.proxy:1'],
  ['https://b.test/', 'directly'],
  ['https://10.1.2.3/', 'directly'],
  ['https://11.1.2.3/', 'http://secure.proxy:1'],
  ['https://[2001:db8::1]/', 'directly'],
  ['https://c.test:8080/', 'directly'],
  ['https://c.test/', 'http://secure.proxy:1'],
  ['http://localhost:3000/', 'directly'],
  ['http://127.0.0.1:3000/', 'directly'],
])('%s is reached by %s', (url, by) => {
  expect(reached(ENVIRONMENT, url)).toBe(by);
});

test('ALL_PROXY is for what has none of its own, and NO_PROXY=* for nothing at all', () => {
  expect(reached({ ALL_PROXY: 'socks5://s.proxy', HTTPS_PROXY: 'h.proxy:1' }, 'http://x.test/')).toBe(
    'socks5://s.proxy',
  );
  expect(reached({ ...ENVIRONMENT, NO_PROXY: '*' }, 'http://x.test/')).toBe('directly');
  expect(environmentProxies({ HTTPS_PROXY: '', NO_PROXY: 'a.test' })).toEqual([]);
});

test('what is no proxy is refused by the name of its variable alone', () => {
  expect(() => environmentProxies({ HTTPS_PROXY: 'ftp://hidden@x' })).toThrow(
    /^Expected the environment variable HTTPS_PROXY(?!.*hidden)/,
  );
});
