/** Hostile cases that do not hold yet, each with the reason. `npm run bench -- hostile` runs them, too. */
export const OPEN: Readonly<Record<string, string>> = {
  'trap: facets in every order': 'goes on',
  'trap: facets by path': 'goes on',
  'trap: facets with a text of their own words': 'goes on',
  'trap: a directory of a/ and b/ with the same bytes': 'goes on',
  'trap: a directory of twenty folders with the same bytes': 'goes on',
  'trap: a link without a slash': 'goes on',
  'trap: session ids in the path': 'goes on',
  'trap: session ids in an unknown parameter': 'goes on',
  'trap: soft 404: any path is a page that links to others': 'goes on',
  'trap: sort orders and views': 'goes on',
  'trap: a search that echoes its words': 'goes on',
  'trap: a parameter more with each click': 'goes on',
  'trap: slashes more with each click': 'goes on',
  'trap: redirects to new ids': 'goes on',
};
