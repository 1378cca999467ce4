import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { ITEMS_FOLDER } from '../../shared/engines/aws/archive/item-folders.ts';
import { ITEM_TABLES_FOLDER, TABLES_FOLDER } from '../../shared/engines/aws/archive/table-folders.ts';
import { EXPORTS_FOLDER } from '../../shared/engines/aws/exports/export-folders.ts';
import { QUERY_RESULTS_FOLDER } from './query-results.ts';

const READ_FOLDERS = [TABLES_FOLDER, ITEMS_FOLDER, ITEM_TABLES_FOLDER, EXPORTS_FOLDER];

/**
 * Allows queries in the workgroup. Athena reads tables and objects, and writes results, with the permissions of the caller
 * (Athena user guide, "Identity and access management").
 */
export function grantQueries(
  grantee: iam.IGrantable,
  bucket: s3.IBucket,
  { database, workgroup }: { readonly database: string; readonly workgroup: string },
): iam.Grant {
  const stack = Stack.of(bucket);
  const glue = (resource: string, resourceName?: string) =>
    stack.formatArn({ service: 'glue', resource, ...(resourceName && { resourceName }) });
  const objects = (folders: readonly string[]) =>
    folders.map((folder) => bucket.arnForObjects(`${folder}/*`));
  const grant = (actions: string[], resourceArns: string[], prefixes: readonly string[] = []) =>
    iam.Grant.addToPrincipal({
      grantee,
      actions,
      resourceArns,
      ...(prefixes.length > 0 && { conditions: { StringLike: { 's3:prefix': prefixes } } }),
    });
  bucket.encryptionKey?.grantEncryptDecrypt(grantee);
  return [
    grant(
      [
        'athena:StartQueryExecution',
        'athena:StopQueryExecution',
        'athena:GetQueryExecution',
        'athena:GetQueryResults',
        'athena:GetWorkGroup',
      ],
      [stack.formatArn({ service: 'athena', resource: 'workgroup', resourceName: workgroup })],
    ),
    grant(
      ['glue:GetDatabase', 'glue:GetTable', 'glue:GetTables', 'glue:GetPartitions'],
      [glue('catalog'), glue('database', database), glue('table', `${database}/*`)],
    ),
    grant(['s3:GetObject'], objects([...READ_FOLDERS, QUERY_RESULTS_FOLDER])),
    grant(
      ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
      objects([QUERY_RESULTS_FOLDER]),
    ),
    grant(['s3:GetBucketLocation'], [bucket.bucketArn]),
    grant(
      ['s3:ListBucket'],
      [bucket.bucketArn],
      [...READ_FOLDERS, QUERY_RESULTS_FOLDER].map((folder) => `${folder}/*`),
    ),
  ].reduce((all, one) => all.combine(one));
}
