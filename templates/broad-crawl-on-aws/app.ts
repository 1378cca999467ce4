import { App, Stack } from 'aws-cdk-lib';
import { Crawler } from 'strand-crawler/cdk';

const app = new App();
const stack = new Stack(app, 'BroadCrawl');
new Crawler(stack, 'Crawler', {
  crawl: {
    // Where site owners can reach you. Needed before you crawl sites of others.
    // contact: 'you@example.org',
  },
  maxConcurrency: 50,
  // An alarm when crawls cost more dollars than this in an hour.
  maxCostPerHour: 5,
});
