import { expect, test } from 'vitest';
import { SIZES } from '../../../../shared/core/base/sizes.ts';
import { groupRecords, newerAgainS, type SqsRecord } from '../../../../shared/engines/aws/queues/delivery.ts';
import { parcelsOf } from '../../../../shared/engines/aws/queues/link-exchange.ts';
import { groupIdOf, messageTexts, parcelTexts } from '../../../../shared/engines/aws/queues/message-text.ts';
import { CRAWL, linkTo, token } from '../../../contract/subjects.ts';

function record(host: string, text: string, count?: string): SqsRecord {
  return {
    messageId: text,
    receiptHandle: `handle of ${text}`,
    body: messageTexts(host, token(text), SIZES.maxMessageBytes)[0]!,
    attributes: { MessageGroupId: groupIdOf(host), ApproximateReceiveCount: count },
  };
}
const corrupt = (host: string, text: string): SqsRecord => ({ ...record(host, text), body: 'nonsense' });

test('groups records by host, each group in order', () => {
  const records = [record('a.test', '1', '3'), record('b.test', '2', '1'), record('a.test', '3')];
  const { groups } = groupRecords(records, 7);
  expect(groups.map(({ received }) => received)).toEqual([
    {
      host: 'a.test',
      leaseUntil: 7,
      deliveries: [
        { id: '1', message: token('1'), receiveCount: 3 },
        { id: '3', message: token('3'), receiveCount: 1 },
      ],
    },
    { host: 'b.test', leaseUntil: 7, deliveries: [{ id: '2', message: token('2'), receiveCount: 1 }] },
  ]);
  expect(groups[0]!.records).toEqual([records[0], records[2]]);
});

test.each([
  ['7', 7],
  ['0', 1],
  ['-2', 1],
  ['1.5', 1],
  ['often', 1],
  [undefined, 1],
])('a record that says it was received %s times counts as received %i times', (count, expected) => {
  const one = record('a.test', '1', count);
  const [group] = groupRecords([one], 7).groups;
  expect(group?.received.deliveries).toMatchObject([{ receiveCount: expected }]);
  expect(newerAgainS(one)).toBe(Math.min(60 * 2 ** (expected - 1), 900));
});

test('records that cannot be read are separated, and block no others', () => {
  const bad = corrupt('a.test', '1');
  const { groups, corrupt: found } = groupRecords([bad, record('a.test', '2')], 7);
  expect(groups.map(({ received }) => received.deliveries.map(({ id }) => id))).toEqual([['2']]);
  expect(found).toMatchObject([{ record: bad, error: { name: 'CorruptBytes' } }]);
});

test('parcels are distinguished from any other text', () => {
  const outLinks = { crawl: CRAWL, links: [linkTo('http://a.test/')] };
  const good = { ...record('a.test', '1'), body: parcelTexts(outLinks, SIZES.maxMessageBytes)[0]! };
  const seed = { ...record('a.test', '2'), body: '{"url": "http://a.test/"}' };
  const { parcels, corrupt: found } = parcelsOf([seed, good, record('a.test', '3')]);
  expect(parcels.map(({ parcel }) => parcel)).toEqual([{ id: '1', outLinks }]);
  expect(found.map(({ record }) => record.messageId)).toEqual(['2', '3']);
});
