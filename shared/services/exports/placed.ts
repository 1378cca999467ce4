/** A value, unless its source has none, and the cursor after it. */
export interface Placed<Value, Place> {
  readonly value?: Value | undefined;
  readonly after: Place;
  /** Whether a slice ends best here. Default: yes. */
  readonly isGoodEnd?: boolean;
  /** It could not be read. */
  readonly isSkipped?: boolean;
  /** The share of the stage that is done. */
  readonly share: number;
}
