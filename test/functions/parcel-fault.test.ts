/** Events and parcels that are not ours. */
import type { SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { sourceIn } from '../../functions/event-source.ts';
import { parcelFault } from '../../functions/parcel-fault.ts';
import { requestUrl } from '../../shared/core/url/request-url.ts';

test('an event is from the queue that has the name at the end of its ARN', () => {
  const from = (eventSourceARN?: string) =>
    ({
      Records: eventSourceARN === undefined ? [] : [{ eventSourceARN }, { eventSourceARN: 'arn:x:other' }],
    }) as unknown as SQSEvent;
  const urls = ['https://sqs/1/links', 'https://sqs/1/links-0.fifo', 'https://sqs/1/links-1.fifo'];
  const source = (arn?: string) => sourceIn(urls, from(arn));
  expect(
    ['links', 'links-1.fifo', 'links-2.fifo', '1', ''].map((name) => source(`arn:aws:sqs:eu:1:${name}`)),
  ).toEqual([...[urls[0], urls[2], undefined, undefined, undefined]]);
  expect([source(), sourceIn([], from('arn:aws:sqs:eu:1:links'))]).toEqual([undefined, undefined]);
});

test('a parcel has a name of a crawl, canonical URLs, and no more characters than memory holds', () => {
  const fault = (crawl: string, ...links: { url: string; via?: string }[]) =>
    parcelFault({ crawl, links: links.map((link) => ({ depth: 1, ...link })) }, true);
  const good = { url: 'http://a.test/' };
  expect(fault('c')).toBeUndefined();
  expect(
    fault(
      'c',
      good,
      { url: requestUrl('http://a.test/', { label: 'x' }) },
      { ...good, via: 'http://b.test/' },
      { url: 'http://a.test/#/guide' },
    ),
  ).toBeUndefined();
  expect(fault('a b', good)).toBe('Expected a parcel of links for a crawl, got one for "a b"');
  expect(fault('c', good, { url: 'http://A.test/' }, { url: 'x' })).toBe(
    'Expected a parcel of canonical URLs, got "http://A.test/"',
  );
  expect(fault('c', { url: 'http://a.test/#place' })).toBe(
    'Expected a parcel of canonical URLs, got "http://a.test/#place"',
  );
  const most = 64 * 1024 * 1024;
  const long = { url: `http://a.test/${'a'.repeat(9986)}`, via: 'v'.repeat(most - 10_000) };
  expect(fault('c', long)).toBeUndefined();
  expect(fault('c', { ...long, via: `${long.via}v` })).toBe(
    `Expected a parcel of at most ${most} characters, got ${most + 1}`,
  );
  expect(fault('c', long, good)).toBe(`Expected a parcel of at most ${most} characters, got ${most + 14}`);
});

test.each([
  { method: 'DELETE' },
  { method: 'POST', body: 'x' },
  { headers: { 'x-api-key': 'x' } },
  { label: 'x' },
])('a request as hooks make it (%j) is no link of a stack without hooks', (request) => {
  const links = [{ url: requestUrl('http://a.test/x', request), depth: 1 }];
  expect(parcelFault({ crawl: 'c', links }, true)).toBeUndefined();
  expect(parcelFault({ crawl: 'c', links }, false)).toBe(
    'Expected a parcel of URLs, as no hooks were deployed, got a request of a hook for "http://a.test/x"',
  );
});

test.each(['user-agent', 'signature', 'signature-input', 'signature-agent', 'proxy-authorization', 'host'])(
  'a request that sets %s is none that a hook can make: the crawl says who asks',
  (name) => {
    const url = requestUrl('http://a.test/', { headers: { [name]: 'Googlebot' } });
    expect(parcelFault({ crawl: 'c', links: [{ url, depth: 1 }] }, true)).toContain('canonical URLs');
  },
);
