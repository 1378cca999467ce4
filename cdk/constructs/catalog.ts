/** The tables of crawls for queries by SQL: a Glue database, and an Athena workgroup. The two cost nothing at rest. */
import { Aws } from 'aws-cdk-lib';
import * as athena from 'aws-cdk-lib/aws-athena';
import * as glue from 'aws-cdk-lib/aws-glue';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ITEMS_FOLDER } from '../../shared/engines/aws/archive/item-folders.ts';
import { ITEM_TABLES_FOLDER, TABLES_FOLDER } from '../../shared/engines/aws/archive/table-folders.ts';
import { EXPORTS_FOLDER } from '../../shared/engines/aws/exports/export-folders.ts';
import { CAPTURE_COLUMNS, SUBSETS } from '../../shared/services/outputs/parquet/capture-table.ts';
import { DOCUMENT_COLUMNS } from '../../shared/services/outputs/parquet/document-table.ts';
import { withItemColumn } from '../../shared/services/outputs/parquet/item-table.ts';
import type { Column, ColumnType } from '../../shared/services/outputs/parquet/table.ts';
import { URL_COLUMNS } from '../../shared/services/outputs/parquet/url-table.ts';
import { grantQueries } from './grant-queries.ts';
import { QUERY_RESULTS_FOLDER } from './query-results.ts';

export interface CatalogProps {
  /** The crawler's name. */
  readonly name: string;
  readonly bucket: s3.IBucket;
  /** GB that one query may read. */
  readonly maxScanGb: number;
}

type TableInput = glue.CfnTable.TableInputProperty;

export class Catalog extends Construct {
  /** The name of the Glue database: the crawler's in small letters, with `_` for each hyphen. */
  readonly database: string;
  /** The name of the Athena workgroup: the crawler's. */
  readonly workgroup: string;

  readonly #bucket: s3.IBucket;

  constructor(scope: Construct, id: string, { name, bucket, maxScanGb }: CatalogProps) {
    super(scope, id);
    this.database = name.toLowerCase().replaceAll('-', '_');
    this.workgroup = name;
    this.#bucket = bucket;
    const database = new glue.CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: { name: this.database, description: `Crawls of ${name}` },
    });
    for (const [tableId, tableInput] of Object.entries(tablesIn(bucket))) {
      const { catalogId } = database;
      const table = new glue.CfnTable(this, tableId, { catalogId, databaseName: this.database, tableInput });
      table.addResourceDependency(database);
    }
    new athena.CfnWorkGroup(this, 'Workgroup', {
      name,
      description: `Queries about crawls of ${name}`,
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        bytesScannedCutoffPerQuery: maxScanGb * 1_000_000_000,
        publishCloudWatchMetricsEnabled: false,
        engineVersion: { selectedEngineVersion: 'Athena engine version 3' },
        resultConfiguration: {
          outputLocation: bucket.s3UrlForObject(`${QUERY_RESULTS_FOLDER}/`),
          encryptionConfiguration: encryptionBy(bucket.encryptionKey),
        },
      },
    });
  }

  /** Allows queries in the workgroup, and reading the tables, items and exports that they are about. */
  grantQueries(grantee: iam.IGrantable): iam.Grant {
    return grantQueries(grantee, this.#bucket, this);
  }
}

const encryptionBy = (key: kms.IKey | undefined): athena.CfnWorkGroup.EncryptionConfigurationProperty =>
  key ? { encryptionOption: 'SSE_KMS', kmsKey: key.keyArn } : { encryptionOption: 'SSE_S3' };

/**
 * Partitions are projected: Athena makes the folder's name of the query's own values, so no crawler and no `MSCK REPAIR` has
 * to register them. `injected`: each query has to name one value (Athena user guide, "Supported types for partition
 * projection").
 */
const INJECTED = 'injected';

function tablesIn(bucket: s3.IBucket): Readonly<Record<string, TableInput>> {
  const ofExport = (table: string, columns: readonly Column[]) =>
    parquetTable(
      { name: table, description: `Table \`${table}\` of an export inside AWS`, columns },
      `${bucket.s3UrlForObject(EXPORTS_FOLDER)}/`,
      {
        folders: `${placeholder('crawl')}/${placeholder('export_id')}/${table}/`,
        partitions: { crawl: INJECTED, export_id: INJECTED },
      },
    );
  return {
    Captures: parquetTable(
      {
        name: 'captures',
        description: "Captures in joined WARC files: the columns of Common Crawl's index, then Strand's",
        columns: CAPTURE_COLUMNS,
      },
      `${bucket.s3UrlForObject(TABLES_FOLDER)}/`,
      {
        folders: `crawl=${placeholder('crawl')}/subset=${placeholder('subset')}/`,
        partitions: { crawl: INJECTED, subset: SUBSETS },
      },
    ),
    Items: itemsTable(`${bucket.s3UrlForObject(ITEMS_FOLDER)}/`),
    ItemTables: parquetTable(
      {
        name: 'item_tables',
        description:
          "Items of hooks as JSON, in Parquet. The files have a column for each of the items' keys, too",
        columns: withItemColumn([]),
      },
      `${bucket.s3UrlForObject(ITEM_TABLES_FOLDER)}/`,
      { folders: `crawl=${placeholder('crawl')}/`, partitions: { crawl: INJECTED } },
    ),
    Documents: ofExport('documents', DOCUMENT_COLUMNS),
    Urls: ofExport('urls', URL_COLUMNS),
  };
}

interface Folders {
  /** The folder of a partition below the table's location. */
  readonly folders: string;
  /** In their order. A list: all values that there are. */
  readonly partitions: Readonly<Record<string, typeof INJECTED | readonly string[]>>;
}

/** Stands for the value of a partition in the name of its folder. */
const placeholder = (partition: string): string => `\${${partition}}`;

const PARQUET = 'org.apache.hadoop.hive.ql.io.parquet';

function parquetTable(
  {
    name,
    description,
    columns,
  }: Pick<TableInput, 'name' | 'description'> & { readonly columns: readonly Column[] },
  location: string,
  folders: Folders,
): TableInput {
  return {
    ...projectedTable(location, folders, 'parquet'),
    name,
    description,
    storageDescriptor: {
      location,
      columns: columns.map((column) => ({ name: column.name.toLowerCase(), type: TYPES[column.type] })),
      inputFormat: `${PARQUET}.MapredParquetInputFormat`,
      outputFormat: `${PARQUET}.MapredParquetOutputFormat`,
      serdeInfo: { serializationLibrary: `${PARQUET}.serde.ParquetHiveSerDe` },
    },
  };
}

/** Types of Hive. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  string: 'string',
  int16: 'smallint',
  int32: 'int',
  int64: 'bigint',
  double: 'double',
  boolean: 'boolean',
  timestamp: 'timestamp',
};

/** Items as they were published: a line of JSON each, whose keys are the project's own. Gzip is known by the names. */
function itemsTable(location: string): TableInput {
  const folders: Folders = { folders: `${placeholder('crawl')}/`, partitions: { crawl: INJECTED } };
  return {
    ...projectedTable(location, folders, 'json'),
    name: 'items',
    description: 'Items of hooks: one line of JSON each',
    storageDescriptor: {
      location,
      columns: [{ name: 'item', type: 'string' }],
      inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
      outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
      serdeInfo: {
        serializationLibrary: 'org.apache.hadoop.hive.serde2.RegexSerDe',
        parameters: { 'input.regex': '(.*)' },
      },
    },
  };
}

const projectedTable = (
  location: string,
  { folders, partitions }: Folders,
  classification: string,
): TableInput => ({
  tableType: 'EXTERNAL_TABLE',
  partitionKeys: Object.keys(partitions).map((name) => ({ name, type: 'string' })),
  parameters: {
    EXTERNAL: 'TRUE',
    classification,
    'projection.enabled': 'true',
    'storage.location.template': location + folders,
    ...Object.fromEntries(Object.entries(partitions).flatMap(([name, values]) => projection(name, values))),
  },
});

const projection = (name: string, values: typeof INJECTED | readonly string[]): [string, string][] =>
  values === INJECTED
    ? [[`projection.${name}.type`, INJECTED]]
    : [
        [`projection.${name}.type`, 'enum'],
        [`projection.${name}.values`, values.join(',')],
      ];
