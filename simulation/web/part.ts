/** A request of a page that scripts fill (`scripts.ts`). */
export interface Part {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly kind: 'script' | 'xhr';
  /** Without a good answer the page stays as it is. */
  readonly isNeeded: boolean;
}
