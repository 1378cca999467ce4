import type { SQSClient } from '@aws-sdk/client-sqs';

export interface SqsCall {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

interface Entry {
  readonly Id: string;
}

/** A client that responds as the test says, and keeps its requests. */
export function fakeSqs(answer: (call: SqsCall, n: number) => object | Error) {
  const calls: SqsCall[] = [];
  const client = {
    async send(command: { constructor: { name: string }; input: Record<string, unknown> }) {
      const call = { name: command.constructor.name.replace(/Command$/, ''), input: command.input };
      calls.push(call);
      const answered = answer(call, calls.length);
      if (answered instanceof Error) throw answered;
      return answered;
    },
  };
  return { client: client as unknown as Pick<SQSClient, 'send'>, calls };
}

export const entriesOf = ({ input }: SqsCall) => input.Entries as (Entry & Record<string, unknown>)[];

/** The answer to a batch call of which the entries that `fails` names an error code for fail. */
export function batchAnswer(
  call: SqsCall,
  fails: (entry: Record<string, unknown>) => string | undefined = () => undefined,
) {
  const entries = entriesOf(call);
  return {
    Successful: entries.filter((entry) => fails(entry) === undefined).map(({ Id }) => ({ Id })),
    Failed: entries
      .filter((entry) => fails(entry) !== undefined)
      .map((entry) => ({ Id: entry.Id, Code: fails(entry), SenderFault: fails(entry) !== 'InternalError' })),
  };
}

export function throttle(name = 'RequestThrottled'): Error {
  return Object.assign(new Error('slower, please'), { name });
}
