/** A user's CDK app: two crawlers in one stack, whose name is given as context. */
import { App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Crawler } from '../../cdk/index.ts';

const app = new App();
const stackName = String(app.node.tryGetContext('stackName'));
const stack = new Stack(app, stackName);
const small = {
  workerTimeout: Duration.seconds(60),
  routerWindow: Duration.seconds(1),
  maxConcurrency: 2,
  removalPolicy: RemovalPolicy.DESTROY,
  allowPrivateAddresses: ['127.0.0.0/8'],
  dashboard: false,
} as const;
const news = new Crawler(stack, 'News', { ...small, name: `news-of-${stackName}` });
const shop = new Crawler(stack, 'Shop', { ...small, parameterName: `/strand/${stackName}` });
new CfnOutput(stack, 'NewsApi', { value: news.api.restApiId });
new CfnOutput(stack, 'ShopSeeds', { value: shop.seedQueue.queueUrl });
