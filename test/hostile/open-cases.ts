/** Hostile cases that do not hold yet, each with the reason. `npm run bench -- hostile` runs them, too. */
export const OPEN: Readonly<Record<string, string>> = {
  'tag: 32 KB of = before />': 'a quadratic regular expression: 2 s, longer on a busy machine',
  'sitemap: a billion laughs': 'a sitemap behind a long document type is not taken for one',
  'robots.txt: one rule of 400 KB of stars': 'the rule is cut, and what is left of it forbids every path',
  'robots.txt: a redirect to the canary': 'nothing is connected to, but the URL has no cause',
  'http: 0x7f in a value': 'refused by the HTTP parser',
  'http: a name with a slash': 'refused by the HTTP parser',
  'http: a folded line': 'refused by the HTTP parser',
  'http: a folded first line': 'refused by the HTTP parser',
  'http: line feeds alone': 'refused by the HTTP parser',
  'http: two equal Content-Lengths': 'refused by the HTTP client',
  'ports: links to all that browsers refuse': 'such ports are connected to',
  'redirect: to a port that browsers refuse': 'such ports are connected to',
  'url: a question mark alone': 'asked for without its question mark',
  'url: a seed of 5,000 letters': 'dropped without a word',
};
