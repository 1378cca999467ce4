import type { OutLinks } from '../../core/frontier/message.ts';

/** A batch of links on its way to the router. */
export interface LinkParcel {
  readonly id: string;
  readonly outLinks: OutLinks;
}

/**
 * Links between hosts: many hosts' links leave a turn in one parcel; the router groups them by host. No
 * order.
 */
export interface LinkExchange {
  /** Durable when it resolves. */
  send(outLinks: OutLinks): Promise<void>;
  /**
   * Up to `max` parcels, hidden from other receivers for some minutes. Waits up to `waitMs` for the first.
   */
  receive(max: number, waitMs: number, signal?: AbortSignal): Promise<LinkParcel[]>;
  acknowledge(parcels: readonly LinkParcel[]): Promise<void>;
}
