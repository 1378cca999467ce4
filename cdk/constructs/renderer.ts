import { Duration } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { RENDERER_MEMORY_MB, RENDERER_TIMEOUT_S } from '../../shared/engines/aws/renderer-size.ts';
import type { StackOptions } from '../options.ts';
import { rendererCode } from './renderer-code.ts';

/**
 * The function that renders pages. Its role has no permission at all, not even for a log: a page that breaks the browser,
 * which has no sandbox there, finds nothing but that page. It is in no VPC, and needs no network.
 */
export class Renderer extends Construct {
  readonly function: lambda.Function;

  constructor(scope: Construct, id: string, { maxRenderers }: Pick<StackOptions, 'maxRenderers'>) {
    super(scope, id);
    const role = new iam.Role(this, 'Role', {
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
    }).withoutPolicyUpdates();
    this.function = new lambda.Function(this, 'Function', {
      code: rendererCode(),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      // The browser's package has no binary for arm64.
      architecture: lambda.Architecture.X86_64,
      memorySize: RENDERER_MEMORY_MB,
      timeout: Duration.seconds(RENDERER_TIMEOUT_S),
      role,
      reservedConcurrentExecutions: maxRenderers,
    });
  }
}
