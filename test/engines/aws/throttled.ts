/** Services that are too busy for a call at first. */
import { textOf } from '../../golden.ts';
import { throttle } from './queues/fake-sqs.ts';

interface Client {
  send(command: object): Promise<unknown>;
}

/**
 * The same client, whose service refuses each call for its rate the first time, and carries it out when it is made again.
 * `refused`: the commands that were refused, in their order.
 */
export function throttled<C extends object>(client: C): { readonly client: C; readonly refused: string[] } {
  const seen = new Set<string>();
  const refused: string[] = [];
  async function send(command: object): Promise<unknown> {
    const { name } = command.constructor;
    const call = `${name} ${textOf((command as { input?: object }).input)}`;
    if (!seen.has(call)) {
      seen.add(call);
      refused.push(name.replace(/Command$/, ''));
      throw throttle('ThrottlingException');
    }
    return (client as unknown as Client).send(command);
  }
  return { client: { send } as unknown as C, refused };
}

/** The same client alone. */
export const throttling = <C extends object>(client: C): C => throttled(client).client;
