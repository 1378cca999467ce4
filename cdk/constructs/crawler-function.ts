import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ExistingResources } from '../crawler-props.ts';
import type { StackOptions } from '../options.ts';
import type { FunctionName } from '../permissions.ts';
import type { FunctionCode } from './function-code.ts';

export interface CrawlerFunctionProps {
  readonly options: Pick<StackOptions, 'logRetentionDays' | 'tracing'>;
  readonly name: FunctionName;
  readonly memoryMb: number;
  readonly timeoutS: number;
  /** For temporary files. */
  readonly diskMb?: number;
  /** Memory for JavaScript objects, in MB. Default: a part of all, as Node.js chooses. */
  readonly heapMb?: number;
  /** JSON of the stack's settings. */
  readonly settings: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly code: FunctionCode;
  readonly existing: Pick<ExistingResources, 'vpc' | 'vpcSubnets' | 'securityGroups'>;
  /** Whose role and log it has. Default: its own. */
  readonly like?: CrawlerFunction;
  /** Its log has no lines of Lambda's own at each start and end of an invocation, which are paid for. */
  readonly isTerse?: boolean;
  /** Takes part in a chain of functions that call each other without end: that is what a crawl is. */
  readonly isInLoop?: boolean;
}

/**
 * A function with a role, a log and a bundle of its own, or with the role and log of another one of the same code. The role
 * may write the log, and nothing else until granted.
 */
export class CrawlerFunction extends Construct {
  readonly function: lambda.Function;
  readonly role: iam.Role;
  readonly logGroup: logs.LogGroup;

  constructor(scope: Construct, id: string, props: CrawlerFunctionProps) {
    super(scope, id);
    const { options, settings, environment, existing } = props;
    const { role, logGroup } = props.like ?? this.createRole(options);
    this.role = role;
    this.logGroup = logGroup;
    this.function = new lambda.Function(this, 'Function', {
      code: props.code.of(props.name),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutS),
      ephemeralStorageSize: props.diskMb === undefined ? undefined : Size.mebibytes(props.diskMb),
      role,
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      systemLogLevelV2: props.isTerse ? lambda.SystemLogLevel.WARN : undefined,
      tracing: options.tracing ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
      // Lambda ends a chain after 16 invocations unless the function says that it is meant (Lambda developer
      // guide, "recursive loop detection"): a crawl would stop, without an error, at the sixteenth turn of a
      // host.
      recursiveLoop: props.isInLoop ? lambda.RecursiveLoop.ALLOW : undefined,
      environment: { ...environment, STRAND_SETTINGS: settings, NODE_OPTIONS: nodeOptions(props) },
      ...networkOf(existing),
    });
    if (existing.vpc !== undefined && props.like === undefined) this.allowNetwork();
  }

  private createRole({ logRetentionDays }: CrawlerFunctionProps['options']) {
    const logGroup = new logs.LogGroup(this, 'Log', {
      retention: logRetentionDays as number as logs.RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // For this account alone. Lambda's guide does not say that it always sends the key, and a role that it cannot assume would
    // stop all; the function's own ARN would be a cycle.
    const conditions = { StringEqualsIfExists: { 'aws:SourceAccount': Stack.of(this).account } };
    const assumedBy = new iam.ServicePrincipal('lambda.amazonaws.com', { conditions });
    const role = new iam.Role(this, 'Role', { assumedBy });
    logGroup.grantWrite(role);
    return { role, logGroup };
  }

  /** Permissions that Lambda needs for a function in a VPC; none of them can be limited to a resource. */
  private allowNetwork(): void {
    const actions = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'];
    this.role.addToPolicy(
      new iam.PolicyStatement({ actions: actions.map((action) => `ec2:${action}`), resources: ['*'] }),
    );
  }
}

const networkOf = ({ vpc, vpcSubnets, securityGroups }: CrawlerFunctionProps['existing']) =>
  vpc === undefined
    ? {}
    : {
        vpc,
        ...(vpcSubnets !== undefined && { vpcSubnets }),
        ...(securityGroups !== undefined && { securityGroups: [...securityGroups] as ec2.ISecurityGroup[] }),
      };

const nodeOptions = ({ heapMb }: Pick<CrawlerFunctionProps, 'heapMb'>): string =>
  ['--enable-source-maps', ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`])].join(' ');
