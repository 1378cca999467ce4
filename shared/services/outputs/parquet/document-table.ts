/** The documents of pages as a table: what `export --format documents` writes. */
import { METADATA_TEXTS } from '../../../core/content/metadata-texts.ts';
import type { DocumentRow } from '../document-row.ts';
import type { Column, Row } from './table.ts';

export const DOCUMENT_COLUMNS: readonly Column[] = [
  { name: 'url', type: 'string', isRequired: true },
  { name: 'canonical', type: 'string' },
  { name: 'fetchedAt', type: 'timestamp', isRequired: true },
  ...METADATA_TEXTS.map((name): Column => ({ name, type: 'string' })),
  { name: 'kind', type: 'string' },
  { name: 'types', type: 'string' },
  { name: 'truncated', type: 'boolean' },
  { name: 'depth', type: 'int32', isRequired: true },
  { name: 'via', type: 'string' },
  { name: 'duplicateOf', type: 'string' },
  { name: 'usage', type: 'string' },
  { name: 'payloadDigest', type: 'string' },
  { name: 'textDigest', type: 'string' },
  { name: 'warcFile', type: 'string' },
  { name: 'warcOffset', type: 'int64' },
  { name: 'warcLength', type: 'int64' },
  { name: 'text', type: 'string', isRequired: true },
  { name: 'markdown', type: 'string', isRequired: true },
];

/** `types`: with commas between them. `usage`: `search=y, train-ai=n`. */
export function documentTableRow({ location, types, fetchedAt, usage, ...row }: DocumentRow): Row {
  return {
    ...row,
    fetchedAt: new Date(fetchedAt),
    usage:
      usage &&
      Object.entries(usage)
        .map((one) => one.join('='))
        .join(', '),
    types: types.length === 0 ? undefined : types.join(','),
    warcFile: location?.file,
    warcOffset: location && BigInt(location.offset),
    warcLength: location && BigInt(location.length),
  };
}
