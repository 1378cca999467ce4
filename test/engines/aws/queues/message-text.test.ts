import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import type { Link, Message } from '../../../../shared/core/frontier/message.ts';
import {
  deduplicationId,
  groupIdOf,
  messageTexts,
  parcelTexts,
  parseMessageText,
  parseParcelText,
} from '../../../../shared/engines/aws/queues/message-text.ts';
import { CRAWL, linkTo, ODD_HOSTS, token } from '../../../contract/subjects.ts';
import { seededRandom } from '../../../crawler/worker/fake-clock.ts';

const HOST = 'a.test';

/** Links whose URLs do not compress. */
function randomLinks(count: number, length: number): Link[] {
  const random = seededRandom(count);
  return Array.from({ length: count }, () => {
    const path = Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join('');
    return linkTo(`http://${HOST}/${path}`);
  });
}

test('gives any message back, with its host', () => {
  const messages: Message[] = [
    token('7'),
    { kind: 'wake', crawl: CRAWL, resume: 1 },
    { kind: 'links', crawl: CRAWL, links: [] },
    { kind: 'links', crawl: CRAWL, links: [linkTo('http://a.test/%20x?y')] },
  ];
  for (const host of ODD_HOSTS) {
    for (const message of messages) {
      const texts = messageTexts(host, message, SIZES.maxMessageBytes);
      expect(texts.map(parseMessageText)).toEqual([{ host, message }]);
      expect(texts[0]).toMatch(/^[\x20-\x7e]+$/);
    }
  }
});

test('splits links that are too large for one message, and loses none', () => {
  const links = randomLinks(1000, 100);
  const texts = messageTexts(HOST, { kind: 'links', crawl: CRAWL, links }, 10_000);
  expect(texts.length).toBeGreaterThan(5);
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(10_000);
  const got = texts.flatMap((text) => {
    const { message } = parseMessageText(text);
    return message.kind === 'links' ? message.links : [];
  });
  const urls = (list: readonly Link[]) => list.map(({ url }) => url).sort();
  expect(urls(got)).toEqual(urls(links));
  const parcels = parcelTexts({ crawl: CRAWL, links }, 10_000);
  expect(urls(parcels.flatMap((text) => parseParcelText(text).links))).toEqual(urls(links));
});

test('a link that fits into no message is an error, and no silent loss', () => {
  const links = randomLinks(1, 2000);
  expect(() => messageTexts(HOST, { kind: 'links', crawl: CRAWL, links }, 500)).toThrow(RangeError);
});

test('no text that is not ours is treated as a message', () => {
  const texts = [
    '',
    ' ',
    'http://a.test/',
    '{"url": "http://a.test/"}',
    'a.test',
    'a.test TQEA!',
    ' TQEA',
    'a.test TQEB',
  ];
  for (const text of texts) {
    expect(() => parseMessageText(text)).toThrow();
    expect(() => parseParcelText(text)).toThrow();
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => parseMessageText(text)).toThrow();
      expect(() => parseParcelText(text)).toThrow();
    }),
  );
});

test('the group id is the host where SQS allows, else short, stable and unlike any other', () => {
  for (const host of ODD_HOSTS.slice(0, 5)) expect(groupIdOf(host)).toBe(host);
  const hosts = [
    `${'x'.repeat(200)}.test`,
    `${'x'.repeat(201)}.test`,
    'b\u00fccher.test',
    'b_cher.test',
    'a b',
  ];
  const ids = hosts.map(groupIdOf);
  expect(new Set(ids).size).toBe(hosts.length);
  for (const id of ids) expect(id).toMatch(/^[!-~]{1,128}$/);
  expect(hosts.map(groupIdOf)).toEqual(ids);
});

test('the deduplication id differs by content, host and salt', () => {
  const texts = [token('1'), token('2')].flatMap((message) =>
    ['a.test', 'b.test'].flatMap((host) => messageTexts(host, message, SIZES.maxMessageBytes)),
  );
  const ids = texts.flatMap((text) => [deduplicationId(text), deduplicationId(text, '1')]);
  expect(new Set(ids).size).toBe(8);
  expect(deduplicationId(texts[0]!)).toBe(ids[0]);
});
