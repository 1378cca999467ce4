import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { CrawlOptions } from '../shared/crawl/config.ts';
import { Alarms } from './constructs/alarms.ts';
import { Api } from './constructs/api.ts';
import { Archive } from './constructs/archive.ts';
import { Dashboard } from './constructs/dashboard.ts';
import { Frontier } from './constructs/frontier.ts';
import { Functions } from './constructs/functions.ts';
import { State } from './constructs/state.ts';
import type { StackOptions } from './options.ts';
import { settingsOf } from './settings.ts';

export interface CrawlerStackProps {
  readonly options: StackOptions;
  /** What crawls are configured with where they do not say otherwise. */
  readonly crawl?: CrawlOptions;
  /** The project's file, whose middleware runs in the worker. Absolute. */
  readonly configFile?: string;
}

/** A whole crawler. No network of its own: no VPC, no NAT gateway, nothing that costs while it rests. */
export class CrawlerStack extends Stack {
  constructor(scope: Construct, id: string, props: CrawlerStackProps) {
    const { options, crawl = {}, configFile } = props;
    super(scope, id, { description: 'Strand, a web crawler' });
    const stores = {
      frontier: new Frontier(this, 'Frontier', options),
      state: new State(this, 'State', options),
      archive: new Archive(this, 'Archive', options),
    };
    const settings = settingsOf(options, crawl, stores);
    const settingsJson = this.toJsonString(settings);
    const { byName: functions } = new Functions(this, 'Functions', {
      options,
      settings,
      settingsJson,
      stores,
      configFile,
    });
    const api = new Api(this, 'Api', options, functions.api);
    const { frontier } = stores;
    const alarms = new Alarms(this, 'Alarms', { options, frontier, functions });
    if (options.dashboard) {
      const { stackName } = options;
      new Dashboard(this, 'Dashboard', { stackName, frontier, functions, alarms: alarms.all });
    }

    this.output({
      Settings: settingsJson,
      ApiUrl: api.rest.url,
      ApiId: api.rest.restApiId,
      ApiKeyId: api.keyId,
      SeedQueueUrl: frontier.linkQueue.queueUrl,
      TurnQueueUrls: frontier.turns.urls.pattern,
      TurnDeadLetterUrl: frontier.turnDeadLetters.queueUrl,
      LinkDeadLetterUrl: frontier.linkDeadLetters.queueUrl,
      Bucket: settings.bucket,
      CrawlStateTable: settings.crawlState,
      UrlSeenTable: settings.urlSeen,
      WorkerName: functions.worker.functionName,
      RouterName: functions.router.functionName,
      WakerName: functions.waker.functionName,
      ApiName: functions.api.functionName,
      CompactorName: functions.compactor.functionName,
    });
  }

  private output(values: Readonly<Record<string, string | undefined>>): void {
    for (const [id, value] of Object.entries(values)) {
      if (value !== undefined) new CfnOutput(this, id, { value });
    }
  }
}
