/**
 * Returns the URL of a module beside the caller's: `ownFile('./thread', import.meta.url)`. In the
 * repository modules are `.ts`, in the published package `.js`.
 */
export function ownFile(path: string, base: string): URL {
  return new URL(`${path}${isSource(base) ? '.ts' : '.js'}`, base);
}

/** Whether the module with this URL runs from source, and not from the published package. */
export const isSource = (url: string): boolean => url.endsWith('.ts');
