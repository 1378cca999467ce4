/**
 * The requests to the simulated services: calls, messages, units and bytes, summed up over windows of time.
 */
import { parseMessageText } from '../../shared/engines/aws/queues/message-text.ts';
import { HEAD } from '../../shared/engines/aws/state/tables.ts';
import type { SimCloud } from '../models/cloud.ts';
import type { SimService } from '../models/service.ts';

/**
 * Sums by name: `calls turns Send`, `messages turns Send`, `units CrawlState write`, `s3 warc put`, `bytes
 * warc put`.
 */
export type Sums = Readonly<Record<string, number>>;

export interface HotKey {
  readonly key: string;
  /** Units in the window. */
  readonly units: number;
}

export interface ProbeWindow {
  readonly sums: Sums;
  /** The hottest partition key that hosts share, and the hottest host's, by `write` and `read`. */
  readonly hot: Readonly<Record<`${'shared' | 'host'} ${'write' | 'read'}`, HotKey>>;
}

export interface Probe {
  /** Returns the figures since the last call. */
  take(): ProbeWindow;
  /** Turns: heads replaced; visits: heads loaded. Since the beginning. */
  readonly counts: { turns: number; visits: number };
}

/** Tokens and wake-ups are shorter; a longer text holds links, and is not read for that. */
const MAX_SHORT_TEXT = 120;

/** Whatever it is of, a command acts so. */
const SQS_KINDS: Readonly<Record<string, string>> = {
  SendMessage: 'Send',
  SendMessageBatch: 'Send',
  ReceiveMessage: 'Receive',
  DeleteMessage: 'Delete',
  DeleteMessageBatch: 'Delete',
  ChangeMessageVisibility: 'ChangeVisibility',
  ChangeMessageVisibilityBatch: 'ChangeVisibility',
};

/** As much of the inputs and outputs of all commands as is looked at. */
interface Input {
  readonly QueueUrl?: string;
  readonly Entries?: readonly { readonly MessageBody?: string }[];
  readonly TableName?: string;
  readonly Key?: string | Attributes;
  readonly Item?: Attributes;
  readonly Body?: { readonly length?: number };
}
type Attributes = Readonly<Record<string, { readonly S?: string; readonly B?: Uint8Array }>>;
interface Output {
  readonly Messages?: readonly unknown[];
}

/** Watches every call that reaches a service of the cloud from now on. */
export function createProbe({ sqs, dynamo, s3 }: Pick<SimCloud, 'sqs' | 'dynamo' | 's3'>): Probe {
  let sums: Record<string, number> = {};
  let keys = { write: new Map<string, number>(), read: new Map<string, number>() };
  const counts = { turns: 0, visits: 0 };
  const add = (name: string, units: number) => {
    sums[name] = (sums[name] ?? 0) + units;
  };
  const heat = (kind: 'write' | 'read', key: string, units: number) => {
    keys[kind].set(key, (keys[kind].get(key) ?? 0) + units);
  };

  function noteSqs(command: string, { QueueUrl, Entries }: Input, output: Output | undefined): void {
    const kind = SQS_KINDS[command];
    if (!kind) return;
    const queue = QueueUrl?.endsWith('.fifo') ? 'turns' : 'links';
    add(`calls ${queue} ${kind}`, 1);
    if (kind === 'Send' && queue === 'turns') noteKinds(Entries);
    add(
      `messages ${queue} ${kind}`,
      Entries?.length ?? (kind === 'Receive' ? (output?.Messages?.length ?? 0) : 1),
    );
  }

  function noteKinds(entries: Input['Entries'] = []): void {
    for (const { MessageBody = '' } of entries)
      if (MessageBody.length < MAX_SHORT_TEXT) add(`sent ${parseMessageText(MessageBody).message.kind}`, 1);
      else add('sent links', 1);
  }

  function noteDynamo(command: string, { TableName, Key, Item }: Input, output: Output | undefined): void {
    add(`calls dynamo ${command}`, 1);
    if (Item?.bytes?.B) add(`bytes ${TableName} write`, Item.bytes.B.length);
    if (command === 'PutItem' && output && Item?.head) counts.turns++;
    if (command === 'GetItem' && typeof Key === 'object' && Key.sk?.S === HEAD) counts.visits++;
  }

  function noteS3(command: string, { Key, Body }: Input): void {
    const kind = /^(Put|Copy|Create|Upload|Complete|List|DeleteObjects)/.test(command) ? 'put' : 'get';
    const prefix = String(Key ?? '').split('/', 1)[0];
    add(`s3 ${prefix} ${kind}`, 1);
    if (Body?.length) add(`bytes ${prefix} ${kind}`, Body.length);
  }

  dynamo.onUnits = (table, partition, index, writes, reads) => {
    const key = index === undefined ? partition : `due ${partition}`;
    for (const [kind, units] of [['write', writes] as const, ['read', reads] as const]) {
      if (units === 0) continue;
      add(`units ${table} ${kind}`, units);
      // A host has a partition in either table.
      heat(kind, index === undefined && !isShared(key) ? `${table} ${key}` : key, units);
    }
  };
  watch(sqs, noteSqs);
  watchPoller(sqs, add);
  watch(dynamo, noteDynamo);
  watch(s3, noteS3);

  return {
    counts,
    take() {
      const hot = {
        'shared write': hottest(keys.write, isShared),
        'shared read': hottest(keys.read, isShared),
        'host write': hottest(keys.write, (key) => !isShared(key)),
        'host read': hottest(keys.read, (key) => !isShared(key)),
      };
      const taken = { sums, hot };
      sums = {};
      keys = { write: new Map(), read: new Map() };
      return taken;
    },
  };
}

type Note = (command: string, input: Input, output: Output | undefined) => void;

/** Calls that fail are noted without an output. */
function watch(service: SimService, note: Note): void {
  const watched = service as { handle: SimService['handle'] };
  const { handle } = service;
  watched.handle = (name, input) => {
    const command = name.replace(/Command$/, '');
    const take = (output?: unknown) => note(command, input as Input, output as Output | undefined);
    let output: unknown;
    try {
      output = handle.call(service, name, input);
    } catch (error) {
      take();
      throw error;
    }
    if (!(output instanceof Promise)) {
      take(output);
      return output;
    }
    return output.then(
      (result) => {
        take(result);
        return result;
      },
      (error) => {
        take();
        throw error;
      },
    );
  };
}

/** Lambda's poller makes no calls of the model: it takes and deletes at once. */
function watchPoller(sqs: SimCloud['sqs'], add: (name: string, units: number) => void): void {
  const { receive, delete: remove } = sqs;
  const queueOf = (url: string) => (url.endsWith('.fifo') ? 'turns' : 'links');
  Object.assign(sqs, {
    receive(url: string, max: number) {
      const records = receive(url, max);
      add(`calls ${queueOf(url)} Receive`, 1);
      add(`messages ${queueOf(url)} Receive`, records.length);
      return records;
    },
    delete(url: string, handles: readonly string[]) {
      add(`calls ${queueOf(url)} Delete`, 1);
      add(`messages ${queueOf(url)} Delete`, handles.length);
      return remove(url, handles);
    },
  });
}

/**
 * A host's key names the crawl and the host; a crawl's has no space, and the index of due hosts is declared
 * to be that.
 */
const isShared = (key: string): boolean => key.startsWith('due ') || !key.includes(' ');

function hottest(units: ReadonlyMap<string, number>, isMeant: (key: string) => boolean): HotKey {
  let hot: HotKey = { key: '', units: 0 };
  for (const [key, some] of units) if (some > hot.units && isMeant(key)) hot = { key, units: some };
  return hot;
}
