/**
 * The folders above a canonical URL, absolute, the nearest first: of `http://a.com/b/c?d` they are
 * `http://a.com/b/` and `http://a.com/`. Never the URL itself. As many as the path has folders: hold the URL
 * against `maxPathDepth` first.
 */
export function ancestors(url: string): string[] {
  const query = url.indexOf('?');
  const root = url.indexOf('/', 8);
  const folders: string[] = [];
  let slash = url.lastIndexOf('/', query < 0 ? url.length : query);
  // The URL of a folder ends with its slash.
  if (slash === url.length - 1) slash = url.lastIndexOf('/', slash - 1);
  for (; slash >= root; slash = url.lastIndexOf('/', slash - 1)) folders.push(url.slice(0, slash + 1));
  return folders;
}
