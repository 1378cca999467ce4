/**
 * The emulator refuses nothing, so a missing permission would show in a real account only: here the code
 * itself says what it calls.
 */
import { describe, expect, test } from 'vitest';
import {
  CONSUME,
  FUNCTIONS,
  type FunctionName,
  GET_SECRET,
  PERMISSIONS,
  type Permissions,
} from '../../cdk/permissions.ts';
import { type Call, callsFrom, type Resource } from './calls.ts';

/**
 * Calls that are reached and never made, as `MODULE`, `MODULE CALL` or `MODULE CALL RESOURCE`, with the
 * reason.
 */
type Never = readonly (readonly [what: string, why: string])[];

const asks: Never = [
  ['any-messages.ts', 'whether a crawl is quiet, the waker alone asks'],
  ['crawl-checks.ts queryIndex dueIndex', 'the same'],
];
const wakesNone: Never = [['ledger-store.ts queryIndex', 'hosts that are due, the waker alone seeks']];
const crawlsNot: Never = [['archive-object.ts', 'it fetches nothing, so there is nothing to archive']];
const pollerReceives: Never = [
  ['link-exchange.ts receiveRecords', "links come by the router's event"],
  ['link-exchange.ts deleteAll', 'the poller deletes them'],
  ['link-exchange.ts settleCorrupt', 'only after a receive'],
];
const startsNone: Never = [['worker-pool.ts', 'it sends hosts nothing, so it needs no worker']];
const sortsNone: Never = [['link-shards.ts', 'links are sorted by the router']];
const noHosts: Never = [['turn-queue.ts', 'it sends hosts nothing, and receives none']];
const sendsOnly: Never = [
  ['turn-queue.ts receiveRecords', 'it serves no hosts'],
  ['turn-queue.ts gatheredDeletes', 'the same'],
  ['turn-queue.ts gatheredHides', 'the same'],
  ['turn-queue.ts hideAll', 'the same'],
  ['turn-queue.ts settleCorrupt', 'the same'],
];
const readsNoMessages: Never = [['functions/dead-letter.ts', 'it receives no messages']];
const callsNoHooks: Never = [
  ['item-objects.ts', 'hooks, and so items, are the workers’ alone'],
  ['skip-objects.ts', 'links are left out by the workers alone'],
];
const readsParts: Never = [
  ['part-store.ts putItem', 'it changes no ledger'],
  ['part-store.ts PutObjectCommand', 'the same'],
  ['part-store.ts queryItems', 'only where parts are swept'],
  ['part-store.ts deleteItems', 'the same'],
  ['part-store.ts deleteObjects', 'the same'],
  ['part-store.ts isMissing', 'it gives no host up'],
];

const looksNot: Never = [
  ['agenda.ts putItems', 'looks at crawls are the waker’s alone'],
  ['agenda.ts deleteItems', 'the same'],
];

const controls: Never = [
  ...looksNot,
  ...[
    ...asks,
    ...wakesNone,
    ...crawlsNot,
    ...pollerReceives,
    ...sortsNone,
    ...noHosts,
    ...startsNone,
    ...readsParts,
    ...callsNoHooks,
  ],
  ['joined-warcs.ts putItems', 'files are joined by the compactor'],
  ['compact-objects.ts deleteObjects', 'the same'],
];

const NEVER: Readonly<Record<FunctionName, Never>> = {
  worker: [
    ...[...looksNot, ...asks, ...wakesNone, ...pollerReceives, ...sortsNone],
    ['joined-warcs.ts putItems', 'files are joined by the compactor'],
    [
      'functions/dead-letter.ts SendMessageCommand linkDeadLetters',
      'messages of the link queue are the router’s',
    ],
    ['shared/services/accounts/read-parameter.ts GetParameterCommand webhook', 'events are the waker’s'],
  ],
  router: [
    ...looksNot,
    ['earlier-payloads.ts readRange', 'it archives nothing'],
    ...[...asks, ...wakesNone, ...crawlsNot, ...sendsOnly, ...callsNoHooks],
    ['worker-pool.ts messageCounts', 'it starts a worker wherever it has sent messages'],
    ['functions/dead-letter.ts SendMessageCommand turnDeadLetters', 'messages to hosts are the worker’s'],
    ['part-store.ts', 'it opens no ledger: seeds are merged by the worker'],
    ['control-engine.ts', 'it takes seeds in, and reads no status'],
    ['joined-warcs.ts', 'the same'],
    ['capture-pages.ts', 'the same'],
    ['compact-objects.ts', 'the same'],
  ],
  waker: [
    ...[...crawlsNot, ...sortsNone, ...sendsOnly, ...callsNoHooks],
    [
      'shared/services/accounts/read-parameter.ts GetParameterCommand identity',
      'requests are signed by the worker',
    ],
    [
      'shared/services/accounts/read-parameter.ts GetParameterCommand secrets',
      'requests are made by the worker',
    ],
    [
      'shared/services/accounts/read-parameter.ts GetParameterCommand accountParameters',
      'the worker signs in',
    ],
    ['part-store.ts', 'it reads heads, not ledgers'],
    ['earlier-payloads.ts readRange', 'it archives nothing'],
    ...[...pollerReceives, ...readsNoMessages],
  ],
  api: [...controls, ...readsNoMessages],
  compactor: [
    ...[...asks, ...wakesNone, ...sortsNone, ...noHosts, ...startsNone, ...callsNoHooks],
    ['link-exchange.ts', 'it sends no links'],
    ...readsNoMessages,
    ['part-store.ts', 'it reads no ledgers'],
  ],
  exporter: [
    ['site-lists.ts', 'it has no sites listed'],
    ['agenda.ts', 'it changes no crawl'],
    ...[...asks, ...wakesNone, ...crawlsNot, ...sortsNone, ...noHosts, ...startsNone, ...readsParts],
    ...callsNoHooks,
    ...pollerReceives,
    ['link-exchange.ts', 'it sends no links'],
    ['joined-warcs.ts putItems', 'files are joined by the compactor'],
    ['compact-objects.ts deleteObjects', 'the same'],
    ...readsNoMessages,
    ['stack-items.ts listFiles stateLists', 'it lists published items alone'],
    // It changes no crawl: what it has used is added to counters, and exports are begun and forgotten by others.
    ...[
      'attention-notes.ts putItem',
      'attention-notes.ts deleteItem',
      'unannounced.ts deleteItem',
      'quiet.ts deleteItem',
      'host-directory.ts putItem',
      'jar-store.ts putItem',
      'crawl-store.ts putItem',
      'crawl-directory.ts putItem',
      'crawl-directory.ts deleteItem',
      'crawl-store.ts transact',
      'crawl-counters.ts transact',
      'unjoined.ts putItem',
      'unjoined.ts deleteItem',
      'ledger-store.ts putItem',
      'state-commits.ts putItem',
      'state-commits.ts tryTransact',
      'export-jobs.ts putItem',
      'export-jobs.ts deleteItem',
    ].map((call) => [call, 'it changes no crawl, and begins no export'] as const),
  ],
};

const isNever = ({ module, name, resource }: Call, [what]: Never[number]): boolean => {
  const [inModule, call, about] = what.split(' ');
  return module === inModule && (call ?? name) === name && (about ?? resource) === resource;
};

/** `ACTION on RESOURCE` of each. */
const linesOf = (resource: Resource, actions: readonly string[]): string[] =>
  actions.map((action) => `${action} on ${resource}`);
const granted = (permissions: Permissions): Set<string> =>
  new Set(Object.entries(permissions).flatMap(([resource, of]) => linesOf(resource as Resource, of)));

/** Returns the permissions that the program needs, without those for calls it never makes. */
function needed(entry: string, never: Never): Set<string> {
  const calls = callsFrom(entry).filter((call) => !never.some((one) => isNever(call, one)));
  return new Set(calls.flatMap(({ resource, actions }) => linesOf(resource, actions)));
}

/** Returns the permissions that a function's poller needs of its role. */
const polled = (name: FunctionName): string[] => {
  if (name === 'worker') return linesOf('startQueue', CONSUME);
  if (name === 'router') return [...linesOf('linkQueue', CONSUME), ...linesOf('linkShards', CONSUME)];
  return [];
};

/** `GetParameter` calls the Secrets Manager by the function's role if the parameter is a reference to a secret. */
const passedOn = (name: FunctionName): string[] => {
  if (name === 'worker')
    return [...linesOf('crawlSecrets', GET_SECRET), ...linesOf('accountSecrets', GET_SECRET)];
  return name === 'waker' ? linesOf('webhookSecret', GET_SECRET) : [];
};

describe.each(FUNCTIONS)('%s', (name) => {
  const entry = `functions/${name}.ts`;

  test('is granted what its code and its poller call, and nothing else', () => {
    const all = new Set([...needed(entry, NEVER[name]), ...polled(name), ...passedOn(name)]);
    expect([...granted(PERMISSIONS[name])].sort()).toEqual([...all].sort());
  });

  test('reaches each call that is declared as never made, and it is not granted', () => {
    const calls = callsFrom(entry);
    const has = granted(PERMISSIONS[name]);
    const idle = NEVER[name].filter(
      (one) =>
        !calls.some(
          (call) => isNever(call, one) && linesOf(call.resource, call.actions).some((line) => !has.has(line)),
        ),
    );
    expect(idle).toEqual([]);
  });
});

const readsArchives: Never = [
  ...controls,
  ['delete-data.ts', '`delete --watch` needs what the compactor may, too'],
  ['stack-items.ts listFiles exportLists', 'an operator may list more'],
];

test('an operator needs what the API may, and to find the stack', () => {
  const has = [...granted(PERMISSIONS.api)];
  // By the stack's name, or by a parameter.
  has.push('cloudformation:DescribeStacks on stack', 'ssm:GetParameter on parameter');
  // For exports of items.
  has.push('s3:GetObject on items', 's3:ListBucket on stateLists');
  // To upload the identity: for the people who have its key.
  has.push('ssm:PutParameter on identity');
  const entries = ['api/stack/connect-stack.ts', 'api/stack/stack-place.ts'];
  const calls = new Set(entries.flatMap((entry) => [...needed(entry, readsArchives)]));
  expect([...calls].sort()).toEqual(has.sort());
});
