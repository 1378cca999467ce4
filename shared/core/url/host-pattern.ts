/**
 * An operator's pattern for several hosts: a name in which `*` matches one or more labels, or a part of one:
 * `*.example.org` matches `a.example.org` and `a.b.example.org`, not `example.org`. Case and a final dot do
 * not count.
 */
export type HostPattern = (host: string) => boolean;

/** In time linear in the host's length for each star of the pattern, whatever the two are. */
export function compileHostPattern(pattern: string): HostPattern {
  const [first = '', ...rest] = plain(pattern).split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return (host) => plain(host) === first;
  return (host) => {
    const name = plain(host);
    if (!name.startsWith(first) || !name.endsWith(last)) return false;
    // A piece taken at its first position after a star leaves the most text for the later pieces.
    let at = first.length;
    for (const piece of rest) {
      const found = name.indexOf(piece, at + 1);
      if (found < 0) return false;
      at = found + piece.length;
    }
    return at < name.length - last.length;
  };
}

/** In lower case, without the dot that may end a name (before a port, too). */
const plain = (host: string): string => host.toLowerCase().replace(/\.(?=$|:\d+$)/, '');
