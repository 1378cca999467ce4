import { CfnOutput } from 'aws-cdk-lib';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { SETTINGS_OUTPUT, settingsDescription } from '../../shared/engines/aws/published-settings.ts';

/**
 * Publishes the settings for the command line: as an output of the stack, described by the crawler's path;
 * and as a parameter if `parameterName` is given.
 */
export function publishSettings(crawler: Construct, json: string, parameterName: string | undefined): void {
  const ids = crawler.node.path.split('/').filter((id) => id !== 'Default');
  const description = settingsDescription(ids.join('/'));
  new CfnOutput(crawler, SETTINGS_OUTPUT, { value: json, description });
  if (parameterName !== undefined)
    new ssm.StringParameter(crawler, 'Parameter', { parameterName, stringValue: json, description });
}
