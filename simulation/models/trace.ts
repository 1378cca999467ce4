/** The events of a world, for people: gathered only if somebody wants to read them. */
export interface TraceEntry {
  /** The process concerned. */
  readonly process?: string;
  readonly host?: string;
  readonly what: string;
}

export type Trace = (entry: TraceEntry) => void;
