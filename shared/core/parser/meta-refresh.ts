export interface Refresh {
  readonly reference: string;
  /** Whole seconds, as browsers take them: decimals are left out. */
  readonly delayMs: number;
}

/**
 * The URL reference in the `content` of `<meta http-equiv=refresh>`, as `5; url=next.html`, and the delay
 * (HTML standard, section 4.2.5.3, "shared declarative refresh steps"). Undefined where there is none: the
 * page then reloads itself.
 */
export function refreshReference(content: string): Refresh | undefined {
  const found = REFRESH.exec(content);
  const reference = found?.[2] ?? found?.[3] ?? found?.[4];
  if (reference === undefined || reference === '') return undefined;
  return { reference, delayMs: Math.min(Number(found?.[1] || 0) * 1000, Number.MAX_SAFE_INTEGER) };
}

const REFRESH =
  /^[\t\n\f\r ]*(?=[\d.])(\d*)(?!\d)[\d.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(?:"([^"]*)|'([^']*)|(.*))/is;
