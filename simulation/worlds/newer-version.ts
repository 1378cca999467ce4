/**
 * A version of the program that is to come, as far as the stored ledgers show it: it writes segments and runs
 * in formats of its own, reads both, and is deployed beside the present one until all processes are of it.
 * The present one may be deployed again then for some minutes: it cannot read what the newer one has written.
 */

import { KEY_RUN_MAGIC, KEY_RUN_VERSION } from '../../shared/core/frontier/key-run.ts';
import { MESSAGE_MAGIC, MESSAGE_VERSION } from '../../shared/core/frontier/message-codec.ts';
import { SEGMENT_MAGIC, SEGMENT_VERSION } from '../../shared/core/frontier/segment.ts';
import type { Engine } from '../../shared/crawler/ports/engine.ts';
import type { AwsClients } from '../../shared/engines/aws/engine.ts';
import type { Faults } from '../models/faults.ts';
import type { SqsEvent } from '../models/poller-event.ts';
import type { SimProcess } from '../models/process.ts';
import { between, type Random } from '../models/random.ts';

/** The version that the present program writes, by what a part begins with: the newer one writes the next. */
const PRESENT = new Map([
  [SEGMENT_MAGIC, SEGMENT_VERSION],
  [KEY_RUN_MAGIC, KEY_RUN_VERSION],
]);
const MAX_BEGIN_MS = 300_000;
const MAX_ROLLOUT_MS = 600_000;
const MAX_ROLLBACK_MS = 600_000;

export interface Rollout {
  /** The engine of a worker. Whether the worker is of the newer version, is decided at its first call. */
  wrap<E extends Engine>(process: SimProcess, engine: E): E;
  /** Its client of SQS, and that of a router. */
  wrapSqs<C extends AwsClients['sqs']>(process: SimProcess, client: C): C;
  /** The messages of an event, as the process sees them. */
  seen(process: SimProcess, event: SqsEvent): SqsEvent;
  /** Called once a minute. Returns whether all processes must be replaced now. */
  look(): boolean;
}

/** `now`: the world's time. */
export function createRollout(faults: Faults, random: Random, now: () => number): Rollout {
  const beginsAt = now() + between(random, 0, MAX_BEGIN_MS);
  const endsAt = beginsAt + between(random, 0, MAX_ROLLOUT_MS);
  let hasBegun = false;
  /** The end of the rollback. */
  let olderUntil: number | undefined;
  let isOlder = false;
  const versions = new WeakMap<SimProcess, () => boolean>();
  /** Texts of messages that a newer version has sent. They are kept as the present one writes them. */
  const newerTexts = new Set<string>();

  /** Whether the process knows the newer version's formats now. */
  function knows(process: SimProcess): () => boolean {
    const isPresent = isOlder;
    const known = versions.get(process);
    if (known) return known;
    const isNewer = !isPresent && now() >= beginsAt && faults.strikes('oldVersion');
    hasBegun ||= isNewer;
    // When the rollout ends, the processes of the present version have ended, too.
    const decided = () => isNewer || (!isPresent && hasBegun && now() >= endsAt);
    versions.set(process, decided);
    return decided;
  }

  const seenText = (process: SimProcess, text = ''): string =>
    newerTexts.has(text) && !knows(process)() ? asNewer(text) : text;

  return {
    seen: (process, event) => ({
      ...event,
      Records: event.Records.map((record) => ({ ...record, body: seenText(process, record.body) })),
    }),
    wrapSqs: (process, client) =>
      watchedClient(client, {
        onSend(text) {
          if (knows(process)()) newerTexts.add(text);
        },
        seen: (text) => seenText(process, text),
      }),
    look() {
      if (isOlder) {
        isOlder = now() < (olderUntil ?? 0);
        return !isOlder;
      }
      if (olderUntil !== undefined || !hasBegun || now() < endsAt || !faults.strikes('rolledBack'))
        return false;
      isOlder = true;
      olderUntil = now() + faults.random('rolledBack') * MAX_ROLLBACK_MS;
      return true;
    },
    wrap(process, engine) {
      const knowsIt = knows(process);
      const { ledgers } = engine;
      return {
        ...engine,
        ledgers: {
          ...ledgers,
          putPart: (crawl, host, name, bytes) =>
            ledgers.putPart(crawl, host, name, knowsIt() ? changed(name, bytes, { from: 0, to: 1 }) : bytes),
          async readPart(...[crawl, host, name, ...range]) {
            const bytes = await ledgers.readPart(crawl, host, name, ...range);
            return knowsIt() && !range[0] ? asPresent(name, bytes) : bytes;
          },
        },
      };
    },
  };
}

interface TextWatch {
  onSend(text: string): void;
  seen(text: string | undefined): string;
}

/** The client, whose messages are shown when they are sent, and changed when they are received. */
function watchedClient<C extends AwsClients['sqs']>(client: C, { onSend, seen }: TextWatch): C {
  const send = async (command: { readonly input: Sent }): Promise<unknown> => {
    const { Entries = [], MessageBody } = command.input;
    for (const text of [...Entries.map((entry) => entry.MessageBody), MessageBody])
      if (text !== undefined) onSend(text);
    const answer = (await client.send(command as never)) as Received | undefined;
    if (!answer?.Messages) return answer;
    return { ...answer, Messages: answer.Messages.map((one) => ({ ...one, Body: seen(one.Body) })) };
  };
  return { ...client, send };
}

interface Sent {
  readonly Entries?: readonly { readonly MessageBody?: string }[];
  readonly MessageBody?: string;
}

interface Received {
  readonly Messages?: readonly { readonly Body?: string }[];
}

/** The text of a message as the newer version writes it: of seeds and other JSON there is no newer one. */
function asNewer(text: string): string {
  const blank = text.indexOf(' ');
  const bytes = Buffer.from(text.slice(blank + 1), 'base64');
  if (bytes[0] !== MESSAGE_MAGIC || (bytes[1] as number) > MESSAGE_VERSION) return text;
  bytes[1] = MESSAGE_VERSION + 1;
  return text.slice(0, blank + 1) + bytes.toString('base64');
}

/** A part as the present version writes it, also if another version wrote it. */
export const asPresent = (name: string, bytes: Uint8Array): Uint8Array =>
  changed(name, bytes, { from: 1, to: 0 });

/**
 * `from` and `to`: how much newer than the present version. What is no segment and no run's keys is left as
 * it is.
 */
function changed(
  name: string,
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
): Uint8Array {
  const version = /^s|\.keys$/.test(name) ? PRESENT.get(bytes[0] as number) : undefined;
  if (version === undefined || bytes[1] !== version + from) return bytes;
  const copy = Uint8Array.from(bytes);
  copy[1] = version + to;
  return copy;
}
