import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import {
  CHANGES_FOLDER,
  ITEMS_FOLDER,
  SKIPS_FOLDER,
  STAGED_CHANGES_FOLDER,
  STAGED_ITEMS_FOLDER,
} from '../../shared/engines/aws/archive/item-folders.ts';
import { ITEM_TABLES_FOLDER, TABLES_FOLDER } from '../../shared/engines/aws/archive/table-folders.ts';
import { EXPORT_WORK_FOLDER, EXPORTS_FOLDER } from '../../shared/engines/aws/exports/export-folders.ts';
import { DUE_INDEX } from '../../shared/engines/aws/state/tables.ts';
import { eventSource } from '../../shared/services/webhook/event-types.ts';
import {
  type FunctionName,
  OWN_EVENTS,
  PERMISSIONS,
  type Permissions,
  type ResourceName,
} from '../permissions.ts';
import type { Archive } from './archive.ts';
import type { Frontier } from './frontier.ts';
import type { SecretArns } from './secret-arns.ts';
import type { State } from './state.ts';

export interface Stores {
  /** The crawler's name. */
  readonly name: string;
  readonly frontier: Frontier;
  readonly state: State;
  readonly archive: Archive;
  readonly secrets: SecretArns;
  /** The function that renders pages. */
  readonly renderer?: lambda.Function | undefined;
}

/** The operator's keys that encrypt stored data. */
export function keysOf({ state, archive, frontier }: Stores): readonly kms.IKey[] {
  const { crawlState, urlSeen, encryptionKey } = state;
  const stores = [archive.bucket, crawlState, urlSeen].map((store) => store.encryptionKey);
  const keys = [...stores, encryptionKey, frontier.linkQueue.encryptionMasterKey];
  return [...new Set(keys)].filter((key) => key !== undefined);
}

/** Gives the role what {@link PERMISSIONS} says about the function, and the use of the operator's keys. */
export function grantPermissions(role: iam.Role, name: FunctionName, stores: Stores): void {
  for (const statement of statementsOf(PERMISSIONS[name], stores, OWN_EVENTS[name]))
    role.addToPolicy(statement);
  for (const key of keysOf(stores)) key.grantEncryptDecrypt(role);
}

/** `ownEvent`: the only type of event that may be put on the bus. Default: any of the stack's own source. */
export const statementsOf = (
  permissions: Permissions,
  stores: Stores,
  ownEvent?: string,
): iam.PolicyStatement[] =>
  Object.entries(permissions).flatMap(([resource, actions]) => {
    const target =
      resource === 'eventBus'
        ? busTarget(stores, ownEvent)
        : targetOf(resource as Exclude<ResourceName, 'eventBus'>, stores);
    return target.resources.length > 0 ? new iam.PolicyStatement({ actions: [...actions], ...target }) : [];
  });

const TABLE_FOLDERS = [TABLES_FOLDER, ITEM_TABLES_FOLDER];
const STAGED_FOLDERS = [STAGED_ITEMS_FOLDER, STAGED_CHANGES_FOLDER];
const ITEM_FOLDERS = [ITEMS_FOLDER, SKIPS_FOLDER, CHANGES_FOLDER];

type Target = Pick<iam.PolicyStatementProps, 'conditions'> & { readonly resources: string[] };

/**
 * The default bus is the account's: without the conditions, code in the functions of one stack could start those of
 * another one, and forge the events of its crawls. The two keys have several values, one for each event of a call
 * (service authorization reference, Amazon EventBridge), so each of them must be there and fit.
 */
function busTarget({ name, archive: { bucket } }: Stores, ownEvent: string | undefined): Target {
  const bus = { service: 'events', resource: 'event-bus', resourceName: 'default' };
  const allowed = {
    'events:source': eventSource(name),
    ...(ownEvent !== undefined && { 'events:detail-type': ownEvent }),
  };
  return {
    resources: [Stack.of(bucket).formatArn(bus)],
    conditions: {
      'ForAllValues:StringEquals': allowed,
      Null: Object.fromEntries(Object.keys(allowed).map((key) => [key, 'false'])),
    },
  };
}

const isIn = <Name extends ResourceName>(
  arns: Readonly<Record<Name, unknown>>,
  name: ResourceName,
): name is Name => name in arns;

const queueArns = (frontier: Frontier) => ({
  turnQueues: [...frontier.turns.arns, ...frontier.backlogs.arns],
  startQueue: [frontier.startQueue.queueArn],
  linkQueue: [frontier.linkQueue.queueArn],
  linkShards: frontier.linkShards.arns,
  linkDeadLetters: [frontier.linkDeadLetters.queueArn],
  turnDeadLetters: [frontier.turnDeadLetters.queueArn],
});

function targetOf(
  name: Exclude<ResourceName, 'eventBus'>,
  { frontier, state, archive: { bucket }, secrets, renderer }: Stores,
): Target {
  const queues = queueArns(frontier);
  if (isIn(secrets, name)) return { resources: [...secrets[name]] };
  if (isIn(queues, name)) return { resources: queues[name] };
  switch (name) {
    case 'crawlState':
      return { resources: [state.crawlState.tableArn] };
    case 'renderer':
      return { resources: renderer ? [renderer.functionArn] : [] };
    case 'dueIndex':
      return { resources: [`${state.crawlState.tableArn}/index/${DUE_INDEX}`] };
    case 'urlSeen':
      return { resources: [state.urlSeen.tableArn] };
    case 'warc':
      return { resources: [bucket.arnForObjects('warc/*')] };
    case 'warcList':
      // S3 answers 404 for a missing key if the caller may list it, else 403; the key then counts as the prefix (Ceph's
      // S3 tests, test_head_object_404_with_policy_prefix).
      return listOf(bucket, 'warc/*');
    case 'tables':
      return { resources: TABLE_FOLDERS.map((folder) => bucket.arnForObjects(`${folder}/*`)) };
    case 'uploads':
      // No prefix: the action does not know that condition (service authorization reference, Amazon S3).
      return { resources: [bucket.bucketArn] };
    case 'items':
      return { resources: ITEM_FOLDERS.map((folder) => bucket.arnForObjects(`${folder}/*`)) };
    case 'stagedItems':
      return { resources: STAGED_FOLDERS.map((folder) => bucket.arnForObjects(`${folder}/*`)) };
    case 'changes':
      return { resources: [bucket.arnForObjects(`${CHANGES_FOLDER}/*`)] };
    case 'changesList':
      return listOf(bucket, `${CHANGES_FOLDER}/*`);
    case 'itemsList':
      return listOf(
        bucket,
        STAGED_FOLDERS.map((folder) => `${folder}/*`),
      );
    case 'exports':
    case 'exportWork':
    case 'exportLists':
      return exportTarget(name, bucket);
    case 'parts':
      return { resources: [bucket.arnForObjects('parts/*')] };
    case 'partsList':
      return listOf(bucket, 'parts/*');
    case 'stateLists':
      return listOf(
        bucket,
        [
          'parts',
          ...TABLE_FOLDERS,
          ...STAGED_FOLDERS,
          ...ITEM_FOLDERS,
          EXPORTS_FOLDER,
          EXPORT_WORK_FOLDER,
        ].map((folder) => `${folder}/*`),
      );
  }
}

function exportTarget(name: 'exports' | 'exportWork' | 'exportLists', bucket: s3.IBucket): Target {
  switch (name) {
    case 'exports':
      return { resources: [bucket.arnForObjects(`${EXPORTS_FOLDER}/*`)] };
    case 'exportWork':
      return { resources: [bucket.arnForObjects(`${EXPORT_WORK_FOLDER}/*`)] };
    case 'exportLists':
      return listOf(
        bucket,
        [EXPORT_WORK_FOLDER, ITEMS_FOLDER].map((folder) => `${folder}/*`),
      );
  }
}

/** Listing the keys of that prefix. */
const listOf = (bucket: s3.IBucket, prefix: string | readonly string[]): Target => ({
  resources: [bucket.bucketArn],
  conditions: { StringLike: { 's3:prefix': prefix } },
});
