/** The function that wakes hosts that are due, once a minute. */
import { tmpdir } from 'node:os';
import type { Context } from 'aws-lambda';
import { lazy } from '../shared/core/base/lazy.ts';
import type { CrawlId } from '../shared/core/crawl/crawl-id.ts';
import type { Clock } from '../shared/crawler/ports/clock.ts';
import type { CrawlRecord } from '../shared/crawler/ports/crawl-registry.ts';
import { ExportJobs } from '../shared/engines/aws/exports/export-jobs.ts';
import { createOwnEvents, openEventBus } from '../shared/engines/aws/own-events.ts';
import type { StackSettings } from '../shared/engines/aws/settings.ts';
import type { ExportRequest } from '../shared/services/control/crawl-export.ts';
import { endedCrawl } from '../shared/services/control/summarize-crawl.ts';
import { EXPORT_MORE } from '../shared/services/webhook/event-types.ts';
import type { WebhookTarget } from '../shared/services/webhook/webhook.ts';
import { Announcer, type EventSink } from './announcer.ts';
import { ChangeFeed } from './change-feed.ts';
import { createCrawlEnd } from './crawl-end.ts';
import { allSinks, eventBus, webhookSink } from './event-sinks.ts';
import { openDailyLimit } from './open-daily-limit.ts';
import { type FunctionStack, functionStack } from './stack.ts';
import { countDead, StackWatch } from './stack-watch.ts';
import { createWakerHandler } from './waker-handler.ts';
import { webhookInParameter } from './webhook-parameter.ts';

const waker = lazy(() => openWaker(functionStack()));

/** Creates the handler of the function. */
export function openWaker(functions: FunctionStack) {
  const { settings, clock, log, open, attentionOf } = functions;
  const stack = open();
  const attention = attentionOf(stack);
  const { turnDeadLetterUrl, linkDeadLetterUrl, maxCostPerHour } = settings;
  const urls = { DeadTurns: turnDeadLetterUrl, DeadLinks: linkDeadLetterUrl };
  const { crawlState: table } = settings;
  const sink = sinkOf(settings, clock);
  const summarize = (crawl: CrawlId, record: CrawlRecord) =>
    stack.meter.run(crawl, () => endedCrawl(stack.engine, crawl, record));
  // Not before a crawl ends: the project's file may fail to load.
  const load = async () => (await import('#strand-config')).default;
  const exports = new ExportJobs({ dynamo: stack.clients.dynamo, clock, table, bucket: settings.bucket });
  const putEvent = createOwnEvents(clock);
  const beginExport = async (crawl: CrawlId, request: ExportRequest, id: string) => {
    await exports.begin(crawl, request, id);
    // Otherwise the exporter's next run is that of its schedule.
    if (!(await putEvent(EXPORT_MORE, { stack: settings.stack }).catch(() => false)))
      log('warn', { message: 'The export does not begin before the next hour', crawl, export: id });
  };
  const finish = createCrawlEnd({ load, state: stack.engine.state, summarize, beginExport, clock, log });
  return createWakerHandler({
    clock,
    log,
    stack,
    announcer: new Announcer({
      registry: stack.engine.registry,
      clock,
      log,
      sink,
      summarize,
      finish: (crawl, record) => stack.meter.run(crawl, () => finish(crawl, record)),
    }),
    changeFeed: new ChangeFeed({ s3: stack.clients.s3, bucket: settings.bucket, sink, clock, log }),
    watch: new StackWatch({
      now: () => clock.now(),
      attention,
      notes: attention.notes,
      deadLetters: countDead(stack.clients.sqs, urls, clock),
      maxCostPerHour,
    }),
    dailyLimit: openDailyLimit(stack, settings, {
      announce: (fields) => attention.announce('DailyLimit', fields),
      forget: () => attention.notes.forget('DailyLimit'),
      clock,
      log,
    }),
  });
}

function sinkOf(
  { stack, allowPrivateAddresses, webhookParameter: parameter }: StackSettings,
  clock: Clock,
): EventSink {
  const bus = eventBus({ client: openEventBus(clock), clock, stack });
  if (parameter === undefined) return allSinks([bus]);
  const open = (target: WebhookTarget) =>
    webhookSink({ target, clock, tempFolder: tmpdir(), allowPrivateAddresses });
  return allSinks([bus, webhookInParameter({ parameter, clock, open })]);
}

export const handler = (event: unknown, context: Context): Promise<void> => waker()(event, context);
