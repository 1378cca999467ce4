/**
 * The URL reference in the `content` of `<meta http-equiv=refresh>`, as `5; url=next.html` (HTML standard, section
 * 4.2.5.3, "shared declarative refresh steps"). Undefined where there is none: the page then reloads itself.
 */
export function refreshReference(content: string): string | undefined {
  const found = REFRESH.exec(content);
  const reference = found?.[1] ?? found?.[2] ?? found?.[3];
  return reference === '' ? undefined : reference;
}

const REFRESH =
  /^[\t\n\f\r ]*(?=[\d.])[\d.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*(?:url[\t\n\f\r ]*=[\t\n\f\r ]*)?(?:"([^"]*)|'([^']*)|(.*))/is;
