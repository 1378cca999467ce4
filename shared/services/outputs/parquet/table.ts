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
   * Hardly a value is there twice in a group of rows, and nobody looks for a range of them. So they are written as they
   * are, without a dictionary and without the smallest and the largest.
   */
  readonly isDistinct?: boolean;
  /** Rows that follow each other have any of its values: their smallest and largest in a group would help no reader. */
  readonly isScattered?: boolean;
}

export type Cell = string | number | bigint | boolean | Date | undefined;
/** A value for each column that has one, by name. */
export type Row = Readonly<Record<string, Cell>>;
