import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { StackOptions } from '../options.ts';

/**
 * Requests a second, and at once, of all callers together: for people and scripts. Bulk goes to the seed
 * queue.
 */
const THROTTLE = { rateLimit: 20, burstLimit: 40 } as const;

/**
 * The REST API. API Gateway checks who may call it, by IAM or by key; the function handles each path. No execution log:
 * that needs a role for the whole account, which would outlive the stack; the function logs each request.
 */
export class Api extends Construct {
  readonly rest: apigateway.RestApi;
  /** Where access is by key. */
  readonly keyId?: string;

  constructor(scope: Construct, id: string, options: StackOptions, handler: lambda.Function) {
    super(scope, id);
    const isByKey = options.apiAuth === 'key';
    const { rateLimit, burstLimit } = THROTTLE;
    this.rest = new apigateway.RestApi(this, 'Rest', {
      restApiName: `${options.stackName} crawls`,
      cloudWatchRole: false,
      endpointConfiguration: { types: [apigateway.EndpointType.REGIONAL] },
      deployOptions: {
        stageName: 'v1',
        throttlingRateLimit: rateLimit,
        throttlingBurstLimit: burstLimit,
        tracingEnabled: options.tracing,
      },
      defaultMethodOptions: isByKey
        ? { authorizationType: apigateway.AuthorizationType.NONE, apiKeyRequired: true }
        : { authorizationType: apigateway.AuthorizationType.IAM },
      defaultIntegration: new apigateway.LambdaIntegration(handler, { allowTestInvoke: false }),
    });
    // The stack names its outputs itself.
    this.rest.node.tryRemoveChild('Endpoint');
    this.rest.root.addMethod('ANY');
    this.rest.root.addProxy({ anyMethod: true });
    if (isByKey) {
      const key = this.rest.addApiKey('Key');
      const plan = this.rest.addUsagePlan('Plan', {
        throttle: THROTTLE,
        apiStages: [{ stage: this.rest.deploymentStage }],
      });
      plan.addApiKey(key);
      this.keyId = key.keyId;
    }
  }
}
