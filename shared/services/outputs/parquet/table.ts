/** Tables as they are written to Parquet files. */

/**
 * `timestamp`: a `Date`, milliseconds since 1970 UTC. `int64`: a bigint.
 */
export type ColumnType = 'string' | 'int16' | 'int32' | 'int64' | 'double' | 'boolean' | 'timestamp';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Every row has a value. */
  readonly isRequired?: boolean;
  /**
   * High cardinality and no range queries: written without dictionary and statistics.
   */
  readonly isDistinct?: boolean;
  /** The values are not sorted or grouped: statistics of a row group would help no reader. */
  readonly isScattered?: boolean;
}

export type Cell = string | number | bigint | boolean | Date | undefined;
/** A value for each column that has one, by name. */
export type Row = Readonly<Record<string, Cell>>;
