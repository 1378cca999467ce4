/** All calls and results of the queues of turns and of links: see `calls-of-queues.txt`. */

import type { HostDeliveries, TurnQueue } from '../../../../shared/crawler/ports/turn-queue.ts';
import { anyMessages } from '../../../../shared/engines/aws/queues/any-messages.ts';
import type { SqsRecord } from '../../../../shared/engines/aws/queues/delivery.ts';
import { createLinkExchange } from '../../../../shared/engines/aws/queues/link-exchange.ts';
import { createLinkShards } from '../../../../shared/engines/aws/queues/link-shards.ts';
import { splitLinks } from '../../../../shared/engines/aws/queues/link-split.ts';
import { parcelTexts } from '../../../../shared/engines/aws/queues/message-text.ts';
import { deleteAll, hideAll, parker } from '../../../../shared/engines/aws/queues/sqs-queue.ts';
import { receiveRecords } from '../../../../shared/engines/aws/queues/sqs-receive.ts';
import { createTurnQueue, type TurnQueueOptions } from '../../../../shared/engines/aws/queues/turn-queue.ts';
import { createShardedTurnQueue } from '../../../../shared/engines/aws/queues/turn-shards.ts';
import { CRAWL, linkTo, token } from '../../../contract/subjects.ts';
import { openGolden } from '../../../golden.ts';
import type { World } from '../struck-calls.ts';
import { describeScenarios, refusalOf, scenario } from '../struck-suite.ts';

const queueOf = ({ clients: { sqs }, engine: { clock }, cloud }: World, queueUrl: string) => ({
  ...{ client: sqs, clock, queueUrl, visibilityMs: 60_000, maxMessageBytes: cloud.sizes.maxMessageBytes },
});
const turnsOf = (world: World, queue = 0, options: Partial<TurnQueueOptions> = {}) =>
  createTurnQueue({ ...queueOf(world, world.cloud.settings.turnQueueUrls[queue] as string), ...options });

const shown = (groups: readonly HostDeliveries[]) =>
  groups.map(({ host, deliveries }) => [
    host,
    deliveries.map(({ message, receiveCount }) => [
      message.kind === 'token' ? message.token : message,
      receiveCount,
    ]),
  ]);
const tokensTo = (host: string, ...names: string[]) => names.map((name) => ({ host, message: token(name) }));
const putText = ({ cloud }: World, queueUrl: string, MessageBody: string) =>
  cloud.sqs.handle('SendMessageCommand', {
    QueueUrl: queueUrl,
    MessageBody,
    ...groupOf(queueUrl, MessageBody),
  });
const groupOf = (queueUrl: string, text: string) =>
  queueUrl.endsWith('.fifo')
    ? { MessageGroupId: 'g', MessageDeduplicationId: text.replaceAll(' ', '-') }
    : {};

const links = (count: number) =>
  Array.from({ length: count }, (_, i) => linkTo(`http://h${i % 7}.test/${i * 7919}`));

describeScenarios(
  [
    scenario({
      name: 'holds, parks and acknowledges what it has received',
      async run(world) {
        const queue = turnsOf(world);
        const free = async () => shown(await turnsOf(world).receive(10, 0));
        await queue.send([
          ...tokensTo('a.test', '1', '2', '3'),
          ...tokensTo('b.test', '4'),
          ...[{ host: 'c.test', message: { kind: 'wake', crawl: CRAWL } as const }],
        ]);
        const groups = await queue.receive(3, 1000);
        const [a, b, c] = ['a.test', 'b.test', 'c.test'].map(
          (name) => groups.find(({ host }) => host === name)!,
        );
        const results: unknown[] = [shown(groups), a!.leaseUntil - world.engine.clock.now(), await free()];
        await queue.acknowledge(a!, a!.deliveries.slice(0, 1));
        await queue.acknowledge(a!, a!.deliveries.slice(0, 1));
        await queue.hold(a!, world.engine.clock.now() + 10_000);
        await queue.hold(a!, world.engine.clock.now() + 90_500);
        await queue.park(b!, 30_200);
        await queue.park(b!, 1);
        await queue.acknowledge(b!, b!.deliveries);
        await queue.park(c!, 0);
        results.push(await free());
        await world.engine.clock.sleep(31_000);
        results.push(await free());
        await world.engine.clock.sleep(58_000);
        await queue.hold(a!, world.engine.clock.now() + 100_000);
        await queue.park(a!, 13 * 3_600_000);
        results.push(await refusalOf(queue.hold(a!, world.engine.clock.now() + 1000)), await free());
        await world.engine.clock.sleep(12 * 3_600_000);
        return [...results, await free()];
      },
      isTimed: true,
      isConcurrent: true,
      hides: ['ReceiveMessageCommand'],
    }),
    scenario({
      name: 'knows when a lease has run out',
      async run(world) {
        const queue = turnsOf(world);
        await queue.send(tokensTo('a.test', '1', '2'));
        const [a] = (await queue.receive(1, 0)) as [HostDeliveries];
        await world.engine.clock.sleep(a.leaseUntil - world.engine.clock.now() - 1);
        await queue.hold(a, a.leaseUntil);
        await world.engine.clock.sleep(1);
        const results: unknown[] = [await refusalOf(queue.hold(a, a.leaseUntil + 60_000))];
        await queue.acknowledge(a, a.deliveries);
        await queue.park(a, 5000);
        return [...results, shown(await queue.receive(1, 3000))];
      },
      isTimed: true,
    }),
    scenario({
      name: 'gathers what is sent and settled, and leaves messages that cannot be read to others',
      async run(world) {
        const seen: unknown[] = [];
        const queue = turnsOf(world, 0, {
          sendGatherMs: 20,
          settleGatherMs: 30,
          onCorrupt: async (record: SqsRecord, error) =>
            void seen.push([record.body, (error as Error).message]),
        });
        await Promise.all([
          queue.send(tokensTo('a.test', '1')),
          queue.send(tokensTo('a.test', '1', '2')),
          queue.send([{ host: 'l.test', message: { kind: 'links', crawl: CRAWL, links: links(300) } }]),
        ]);
        putText(world, world.cloud.settings.turnQueueUrls[0] as string, 'no message');
        const groups = await queue.receive(100, 1000);
        await Promise.all(groups.map((received) => queue.acknowledge(received, received.deliveries)));
        const left = await queue.receive(100, 0);
        return [shown(groups).map(([host, all]) => [host, all?.length]), shown(left), seen];
      },
      isTimed: true,
      isConcurrent: true,
      // A message that cannot be read comes again if it could not be deleted.
      hides: ['ReceiveMessageCommand', 'DeleteMessageBatchCommand'],
    }),
    scenario({
      name: 'shares hosts among several turn queues',
      async run(world) {
        const queues = [turnsOf(world, 0), turnsOf(world, 1)];
        const { clock } = world.engine;
        const all = createShardedTurnQueue(queues, { clock });
        const bound = createShardedTurnQueue(queues, { clock, receiveFrom: queues[1] as TurnQueue });
        const hosts = ['a.test', 'b.test', 'c.test', 'd.test', 'e.test', 'f.test'];
        await all.send(hosts.flatMap((host) => tokensTo(host, host)));
        const ofBound = await bound.receive(10, 0);
        const results: unknown[] = [shown(ofBound)];
        await bound.hold(ofBound[0]!, clock.now() + 90_000);
        await bound.acknowledge(ofBound[0]!, ofBound[0]!.deliveries);
        for (const received of ofBound.slice(1)) await bound.park(received, 0);
        for (const most of [1, 10, 10]) {
          const groups = await all.receive(most, 0);
          results.push(shown(groups));
          for (const received of groups) await all.acknowledge(received, received.deliveries);
        }
        const from = clock.now();
        results.push(shown(await all.receive(10, 2500)), clock.now() - from);
        await all.hold(ofBound[0]!, 1);
        return [...results, createShardedTurnQueue([queues[0]!], { clock }) === queues[0]];
      },
      isTimed: true,
      isConcurrent: true,
      hides: ['ReceiveMessageCommand'],
    }),
    scenario({
      name: 'takes links to the router, and to link shards',
      async run(world) {
        const { linkQueueUrl, linkShardUrls = [], turnQueueUrls } = world.cloud.settings;
        const exchange = createLinkExchange({
          ...queueOf(world, linkQueueUrl),
          visibilityMs: 20_500,
        });
        const { clock, sizes } = { ...world.engine, sizes: world.cloud.sizes };
        const any = () => anyMessages(world.clients.sqs, [...turnQueueUrls, linkQueueUrl], clock);
        const results: unknown[] = [await any()];
        await exchange.send({ crawl: CRAWL, links: [] });
        await exchange.send({ crawl: CRAWL, links: links(300) });
        await exchange.sendTexts([]);
        results.push(await refusalOf(exchange.sendTexts(['ok', 'é'.repeat(1001)])));
        results.push(await any());
        const parcels = await exchange.receive(100, 1000);
        results.push(parcels.map(({ outLinks }) => outLinks.links.length));
        await exchange.acknowledge(parcels.slice(0, 1));
        await exchange.acknowledge(parcels);
        results.push((await exchange.receive(100, 0)).length);
        await exchange.sendTexts(['http://a.test/', 'http://b.test/']);
        const shards = createLinkShards({
          ...{ client: world.clients.sqs, clock, queueUrls: linkShardUrls },
          sizes: { ...sizes, maxShardParcelLinks: 20 },
        });
        const byHost = new Map(
          ['b.test', 'a.test', 'c.test'].map((host) => [
            host,
            new Map(links(25).map((link) => [link.url, link])),
          ]),
        );
        await shards.send(CRAWL, byHost);
        const none = createLinkShards({ client: world.clients.sqs, clock, queueUrls: [] });
        const split = splitLinks(byHost, 3, 20).map(({ shard, links }) => [
          shard,
          links.length,
          links[0]?.url,
        ]);
        const texts = [80, 120, 400, 5000].map((most) => {
          const made = parcelTexts({ crawl: CRAWL, links: links(12).reverse() }, most);
          return [made.length, Math.max(...made.map(({ length }) => length)) <= most];
        });
        return [...results, shards.count, none.count, split, texts];
      },
      isTimed: true,
      isConcurrent: true,
      // SQS counts its messages late.
      readsIndex: true,
      hides: ['ReceiveMessageCommand'],
    }),
    scenario({
      name: 'receives, hides and deletes single messages',
      async run(world) {
        const { linkQueueUrl } = world.cloud.settings;
        const queue = queueOf(world, linkQueueUrl);
        for (let i = 0; i < 25; i++) putText(world, linkQueueUrl, `text ${i}`);
        const taken: SqsRecord[][] = [];
        const events: unknown[] = [];
        await receiveRecords(
          { ...queue, visibilityS: 40, isFifo: false },
          { waitMs: 1500 },
          () => 22 - taken.flat().length,
          async (records) => {
            taken.push([...records]);
            events.push(records.length);
            await world.engine.clock.sleep(50);
            events.push('taken');
          },
        );
        const handles = taken.flat().map(({ receiptHandle }) => receiptHandle);
        const hidden = await hideAll(queue, handles.slice(0, 12), 90);
        await parker(queue)(linkQueueUrl, taken.flat()[12] as SqsRecord, 0);
        await deleteAll(queue, handles.slice(13));
        await deleteAll(queue, []);
        return [events, hidden.size, [...world.cloud.sqs.messages(linkQueueUrl)].length];
      },
      isTimed: true,
      isConcurrent: true,
      hides: ['ReceiveMessageCommand'],
    }),
  ],
  openGolden('calls-of-queues.txt', import.meta.url),
);
