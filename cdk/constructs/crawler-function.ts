import { join } from 'node:path';
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import * as logs from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { StackOptions } from '../options.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Some dependencies are CommonJS, and call a `require` that modules do not have. */
const BANNER =
  "import{createRequire as strandRequire}from'node:module';const require=strandRequire(import.meta.url);";

export interface CrawlerFunctionProps {
  readonly options: Pick<StackOptions, 'logRetentionDays' | 'tracing'>;
  /** File of `functions/`, whose export `handler` it is. */
  readonly file: string;
  readonly memoryMb: number;
  readonly timeoutS: number;
  /** For temporary files. */
  readonly diskMb?: number;
  /** JSON of the stack's settings. */
  readonly settings: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The project's file, which takes the place of `#strand-config`. */
  readonly configFile?: string;
  /** Takes part in a chain of functions that call each other without end: that is what a crawl is. */
  readonly isInLoop?: boolean;
}

/**
 * A function with a role, a log and a bundle of its own. The role may write the log, and nothing else until
 * granted.
 */
export class CrawlerFunction extends Construct {
  readonly function: lambda.Function;
  readonly role: iam.Role;

  constructor(scope: Construct, id: string, props: CrawlerFunctionProps) {
    super(scope, id);
    const { options, settings, environment, configFile } = props;
    const logGroup = new logs.LogGroup(this, 'Log', {
      retention: options.logRetentionDays as number as logs.RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new iam.Role(this, 'Role', { assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(this.role);
    this.function = new NodejsFunction(this, 'Function', {
      entry: join(ROOT, 'functions', props.file),
      handler: 'handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutS),
      ephemeralStorageSize: props.diskMb === undefined ? undefined : Size.mebibytes(props.diskMb),
      role: this.role,
      logGroup,
      loggingFormat: lambda.LoggingFormat.JSON,
      tracing: options.tracing ? lambda.Tracing.ACTIVE : lambda.Tracing.DISABLED,
      // Lambda ends a chain after 16 invocations unless the function says that it is meant (Lambda developer
      // guide, "recursive loop detection"): a crawl would stop, without an error, at the sixteenth turn of a
      // host.
      recursiveLoop: props.isInLoop ? lambda.RecursiveLoop.ALLOW : undefined,
      // The code reads no other variable; the connection reuse that CDK switches on is SDK v3's default.
      awsSdkConnectionReuse: false,
      environment: { ...environment, STRAND_SETTINGS: settings, NODE_OPTIONS: '--enable-source-maps' },
      projectRoot: ROOT,
      depsLockFilePath: join(ROOT, 'package-lock.json'),
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        mainFields: ['module', 'main'],
        minify: true,
        // Errors are recognized by their classes' names.
        keepNames: true,
        sourceMap: true,
        sourcesContent: false,
        bundleAwsSDK: true,
        banner: BANNER,
        esbuildArgs: configFile === undefined ? undefined : { '--alias:#strand-config': configFile },
      },
    });
  }
}
