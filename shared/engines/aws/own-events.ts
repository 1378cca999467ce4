/** Events on the account's event bus by which a stack has a function of its own run at once. */
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { lazy } from '../../core/base/lazy.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import { eventSource } from '../../services/webhook/event-types.ts';
import { clientOptions } from './clients.ts';
import { withRetry } from './retry.ts';

/** Returns whether the event was taken. `detail` has `stack`, by which the rule of the stack knows it. */
export type PutOwnEvent = (
  type: string,
  detail: { readonly stack: string; readonly [field: string]: unknown },
) => Promise<boolean>;

/** A client of the account's event bus. */
export const openEventBus = (clock: Pick<Clock, 'random'>, region?: string): EventBridgeClient =>
  new EventBridgeClient(clientOptions(clock, { region }));

export function createOwnEvents(clock: Pick<Clock, 'sleep' | 'random'>, region?: string): PutOwnEvent {
  const eventBus = lazy(() => openEventBus(clock, region));
  return async (type, detail) => {
    const Entries = [{ Source: eventSource(detail.stack), DetailType: type, Detail: JSON.stringify(detail) }];
    const put = () => eventBus().send(new PutEventsCommand({ Entries }));
    const { FailedEntryCount = 0 } = await withRetry(`sending the event ${type}`, put, { clock });
    return FailedEntryCount === 0;
  };
}
