/**
 * A stack of one function behind a FIFO queue, which does as the messages say and reports it to another
 * queue.
 */

const WORKER = `
const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
const sqs = new SQSClient({});
exports.handler = async ({ Records }, context) => {
  const batchItemFailures = [];
  for (const { messageId, body, attributes } of Records) {
    console.log('received', body);
    const tries = Number(attributes.ApproximateReceiveCount);
    const report = { body, tries, pid: process.pid, begunMs: Date.now(), fromEnvironment: process.env.SETTING };
    report.remainingMs = context.getRemainingTimeInMillis();
    if (body === 'slow') await new Promise((done) => setTimeout(done, 700));
    report.endedMs = Date.now();
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env.REPORTS, MessageBody: JSON.stringify(report) }));
    if (tries > 1) continue;
    if (body === 'exit') process.exit(7);
    if (body === 'throw') throw new Error('as the message says');
    if (body === 'hang') await new Promise((done) => setTimeout(done, 60_000));
    if (body === 'fail') return { batchItemFailures: Records.slice(Records.findIndex((r) => r.messageId === messageId)).map((r) => ({ itemIdentifier: r.messageId })) };
  }
  return { batchItemFailures };
};`;

/** As the functions of CDK answer. */
const CUSTOM = `
const https = require('https');
exports.handler = (event) => new Promise((done, fail) => {
  const { hostname, pathname } = new URL(event.ResponseURL);
  const body = JSON.stringify({
    Status: 'SUCCESS', PhysicalResourceId: 'one', StackId: event.StackId, RequestId: event.RequestId,
    LogicalResourceId: event.LogicalResourceId,
    Data: { Text: event.RequestType + ' with ' + JSON.stringify(event.ResourceProperties.Flag) },
  });
  const headers = { 'content-type': '', 'content-length': Buffer.byteLength(body) };
  https.request({ hostname, path: pathname, method: 'PUT', headers }, done).on('error', fail).end(body);
});`;

const attribute = (resource: string, name = 'Arn') => ({ 'Fn::GetAtt': [resource, name] });
const lambda = (code: string, properties: object) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Runtime: 'nodejs24.x',
    Handler: 'index.handler',
    Role: attribute('Role'),
    Code: { ZipFile: code },
    ...properties,
  },
});

export function template({
  maxConcurrency,
  visibilityS,
}: {
  maxConcurrency: number;
  visibilityS: number;
}): string {
  const Resources = {
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [
            { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
          ],
        },
      },
    },
    Work: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true, VisibilityTimeout: visibilityS } },
    Reports: { Type: 'AWS::SQS::Queue' },
    Logs: { Type: 'AWS::Logs::LogGroup' },
    Function: lambda(WORKER, {
      Timeout: visibilityS - 1,
      LoggingConfig: { LogGroup: { Ref: 'Logs' } },
      Environment: { Variables: { SETTING: 'as configured', REPORTS: { Ref: 'Reports' } } },
    }),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: attribute('Work'),
        FunctionName: { Ref: 'Function' },
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: maxConcurrency },
      },
    },
    Answerer: lambda(CUSTOM, { Timeout: 10 }),
    Custom: { Type: 'Custom::Answer', Properties: { ServiceToken: attribute('Answerer'), Flag: true } },
    Dashboard: { Type: 'AWS::CloudWatch::Dashboard', Properties: { DashboardBody: '{"widgets":[]}' } },
  };
  const Outputs = {
    Work: { Value: { Ref: 'Work' } },
    Reports: { Value: { Ref: 'Reports' } },
    Function: { Value: { Ref: 'Function' } },
    Logs: { Value: { Ref: 'Logs' } },
    Answer: { Value: attribute('Custom', 'Text') },
  };
  return JSON.stringify({ Resources, Outputs });
}
