/** Takes what a browser sends. */
interface Receiver {
  onMessage(text: string): void;
  /** Called with the first characters of a message that is larger than {@link MAX_MESSAGE_BYTES}: it is dropped. */
  onLarge(start: string): void;
  /** Nothing comes any more, or nothing that is understood. */
  onEnd(reason: string): void;
}

/** Carries messages to a browser. */
interface Transport {
  send(text: string): void;
}

export type OpenTransport = (receiver: Receiver) => Transport;

export const MAX_MESSAGE_BYTES = 48 * 1024 * 1024;
export const START_CHARS = 300;
