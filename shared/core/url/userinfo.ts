/**
 * Returns `user:password` of the URL, as HTTP Basic authentication has them (RFC 7617); undefined if it has neither. A
 * text that is not percent-encoded stays as it is.
 */
export function userinfoOf({ username, password }: Pick<URL, 'username' | 'password'>): string | undefined {
  return username === '' && password === '' ? undefined : `${decoded(username)}:${decoded(password)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
