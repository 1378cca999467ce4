import { expect, test } from 'vitest';
import { itemTableKey, tableKey } from '../../shared/engines/aws/archive/table-folders.ts';
import { CAPTURE_COLUMNS, SUBSETS } from '../../shared/services/outputs/parquet/capture-table.ts';
import { DOCUMENT_COLUMNS } from '../../shared/services/outputs/parquet/document-table.ts';
import { functionOf, type Synthesized, settingsIn, synthesized } from './synthesized.ts';

const TABLE = 'AWS::Glue::Table';
const WORKGROUP = 'AWS::Athena::WorkGroup';

const plain = synthesized();
const kmsKey = 'arn:aws:kms:us-east-1:123456789012:key/12345678-1234-1234-1234-123456789012';
const withCatalog = synthesized({
  ...{ catalog: 'true', stackName: 'News-Crawls', catalogMaxScanGb: '25' },
  kmsKey,
});

/** The input of the table of that name, its location with `BUCKET` for the bucket. */
function table(name: string) {
  const all = Object.values(withCatalog.resources(TABLE)).map(({ Properties }) => Properties);
  const { DatabaseName, TableInput } = all.find(({ TableInput: { Name } }) => Name === name)!;
  expect(DatabaseName).toBe('news_crawls');
  return {
    ...TableInput,
    location: textOf(TableInput.StorageDescriptor.Location),
    template: textOf(TableInput.Parameters['storage.location.template']),
  };
}

function textOf(value: { 'Fn::Join': [string, (string | object)[]] }): string {
  return value['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'BUCKET')).join('');
}

const tabled = ({ resources }: Synthesized) => Object.keys({ ...resources(TABLE), ...resources(WORKGROUP) });

test('without the option there is no catalog, and the compactor writes tables all the same', () => {
  expect(tabled(plain)).toEqual([]);
  const settings = settingsIn(
    functionOf(plain, 'Compactor').Properties.Environment.Variables.STRAND_SETTINGS,
  );
  expect(settings).not.toHaveProperty('indexTables');
});

test('tables that are not wanted are not written, and cannot be in a catalog', () => {
  const without = synthesized({ indexTables: 'false' });
  const { Variables } = functionOf(without, 'Compactor').Properties.Environment;
  expect(settingsIn(Variables.STRAND_SETTINGS)).toMatchObject({ indexTables: false });
  expect(() => synthesized({ indexTables: false, catalog: true })).toThrow('Option catalog');
});

test('the table of captures has the columns of the files, and finds the folders that the compactor writes', () => {
  const { StorageDescriptor, PartitionKeys, Parameters, location, template } = table('captures');
  const columns = StorageDescriptor.Columns as { Name: string; Type: string }[];
  expect(columns.map(({ Name }) => Name)).toEqual(CAPTURE_COLUMNS.map(({ name }) => name));
  expect(Object.fromEntries(columns.map(({ Name, Type }) => [Name, Type]))).toMatchObject({
    url_surtkey: 'string',
    url_port: 'int',
    fetch_time: 'timestamp',
    fetch_status: 'smallint',
    warc_record_offset: 'int',
  });
  expect(PartitionKeys).toEqual([
    { Name: 'crawl', Type: 'string' },
    { Name: 'subset', Type: 'string' },
  ]);
  expect(location).toBe('s3://BUCKET/index/');
  for (const subset of SUBSETS) {
    expect(Parameters['projection.subset.values'].split(',')).toContain(subset);
    const folder = template.replace('${'.concat('crawl}'), 'news').replace('${'.concat('subset}'), subset);
    const key = tableKey('news', subset, 'joined-1.warc.gz');
    expect(`s3://BUCKET/${key}`).toBe(`${folder}joined-1.zstd.parquet`);
  }
  expect(Parameters).toMatchObject({
    'projection.enabled': 'true',
    'projection.crawl.type': 'injected',
    'projection.subset.type': 'enum',
  });
});

test('items, and documents and URLs of exports, are tables, too', () => {
  const items = table('items');
  expect(items.template).toBe(`s3://BUCKET/items/${'$'}{crawl}/`);
  expect(items.StorageDescriptor.Columns).toEqual([{ Name: 'item', Type: 'string' }]);
  const inTables = table('item_tables');
  expect(inTables.StorageDescriptor.Columns).toEqual(items.StorageDescriptor.Columns);
  const folder = inTables.template.replace('${'.concat('crawl}'), 'news');
  expect(`s3://BUCKET/${itemTableKey('news', 0)}`).toBe(`${folder}items-000000.zstd.parquet`);
  for (const name of ['documents', 'urls']) {
    const { template, PartitionKeys } = table(name);
    expect(template).toBe(`s3://BUCKET/exports/${'$'}{crawl}/${'$'}{export_id}/${name}/`);
    expect(PartitionKeys).toHaveLength(2);
  }
  const documents = table('documents').StorageDescriptor.Columns as { Name: string; Type: string }[];
  expect(documents.map(({ Name }) => Name)).toEqual(DOCUMENT_COLUMNS.map(({ name }) => name.toLowerCase()));
});

test('a query may read no more than is allowed, and its results are encrypted by the key of the crawler and end', () => {
  expect(withCatalog.one(WORKGROUP, 'Catalog').Properties).toMatchObject({
    Name: 'News-Crawls',
    WorkGroupConfiguration: {
      EnforceWorkGroupConfiguration: true,
      BytesScannedCutoffPerQuery: 25e9,
      ResultConfiguration: { EncryptionConfiguration: { EncryptionOption: 'SSE_KMS', KmsKey: kmsKey } },
    },
  });
  const { LifecycleConfiguration } = withCatalog.one('AWS::S3::Bucket', 'Archive').Properties;
  expect(LifecycleConfiguration.Rules).toContainEqual({
    Prefix: 'query-results/',
    ExpirationInDays: 7,
    Status: 'Enabled',
  });
});

test('all that the catalog adds costs nothing at rest', () => {
  const types = ({ template }: Synthesized) =>
    Object.values(template.toJSON().Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
  const before = types(plain);
  const added = types(withCatalog);
  for (const type of before) added.splice(added.indexOf(type), 1);
  // Glue: the first million objects of a catalog are free. A workgroup has no fee.
  expect(new Set(added)).toEqual(new Set(['AWS::Glue::Database', TABLE, WORKGROUP]));
});
