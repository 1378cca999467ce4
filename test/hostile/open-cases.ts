/** Hostile cases that do not hold yet, each with the reason. `npm run bench -- hostile` runs them, too. */
export const OPEN: Readonly<Record<string, string>> = {
  'ports: links to all that browsers refuse': 'such ports are connected to',
  'redirect: to a port that browsers refuse': 'such ports are connected to',
  'url: a seed of 5,000 letters': 'left out without a word',
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
