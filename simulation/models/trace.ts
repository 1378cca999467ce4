/** What happened, for people: gathered only when somebody wants to read it. */
export interface TraceEntry {
  /** The process concerned. */
  readonly process?: string;
  readonly host?: string;
  readonly what: string;
}

export type Trace = (entry: TraceEntry) => void;
