/** The crawler as a construct of the AWS CDK: `import { Crawler } from 'strand-crawler/cdk'`. */
export type { MetricName } from '../shared/engines/aws/metric-names.ts';
export type { Catalog } from './constructs/catalog.ts';
export { Crawler } from './crawler.ts';
export type { CrawlerProps, ExistingResources } from './crawler-props.ts';
export { CrawlerStack, type CrawlerStackProps } from './crawler-stack.ts';
export { InvalidOptions } from './invalid-options.ts';
export type { FunctionName } from './permissions.ts';
