/** 32 bits of a URL, not mixed: for `mixHash`. */
export function hashOfUrl(url: string): number {
  let hash = 0;
  for (let i = 0; i < url.length; i++) hash = (Math.imul(hash, 31) + url.charCodeAt(i)) | 0;
  return hash;
}
