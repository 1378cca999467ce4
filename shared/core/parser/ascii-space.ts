/** `text` without the ASCII white space (tab, line feed, form feed, carriage return, space) around it. */
export function trimAsciiSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isAsciiSpace(text.charCodeAt(from))) from++;
  while (to > from && isAsciiSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

/** ASCII white space, as HTML and the Encoding standard have it. */
function isAsciiSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}
