/** Calls that AWS refuses for their rate. */
import { throttle } from './queues/fake-sqs.ts';

interface Client {
  send(command: object, ...more: unknown[]): Promise<unknown>;
}

/**
 * Returns a client that refuses each call once, before it is carried out: the first of those that are alike, the third and
 * so on. A caller that makes its calls again notices nothing but time.
 */
export function throttling<C extends object>(client: C): C {
  const refused = new Set<string>();
  const throttled: Client = {
    async send(command, ...more) {
      const { input } = command as { readonly input: object };
      const call = `${command.constructor.name} ${JSON.stringify(input)}`;
      if (!refused.delete(call)) {
        refused.add(call);
        throw throttle('ThrottlingException');
      }
      return (client as Client).send(command, ...more);
    },
  };
  return throttled as unknown as C;
}
