import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { ExistingResources } from '../crawler-props.ts';
import { InvalidOptions } from '../invalid-options.ts';
import type { StackOptions } from '../options.ts';

/** A VPC whose requests to the internet leave by one NAT gateway, and so by one address. */
export class FixedNetwork extends Construct {
  readonly vpc: ec2.Vpc;
  readonly address: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.vpc = new ec2.Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: 1,
      restrictDefaultSecurityGroup: false,
      // Requests to S3 and DynamoDB do not pay the NAT gateway.
      gatewayEndpoints: {
        S3: { service: ec2.GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: ec2.GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    const address = this.vpc.publicSubnets[0]?.node.findChild('EIP') as ec2.CfnEIP;
    this.address = address.ref;
  }
}

/** The network of a crawler that is to have one. Throws {@link InvalidOptions} together with a VPC of the user's. */
export function fixedNetwork(
  scope: Construct,
  { fixedAddress }: Pick<StackOptions, 'fixedAddress'>,
  { vpc }: Pick<ExistingResources, 'vpc'>,
): FixedNetwork | undefined {
  if (!fixedAddress) return undefined;
  if (vpc === undefined) return new FixedNetwork(scope, 'Network');
  throw new InvalidOptions(
    'Option fixedAddress: expected no vpc with it; the NAT gateway of your VPC has an address',
  );
}
