/** A directed graph as GraphML (http://graphml.graphdrawing.org), piece by piece. */

export const graphmlHead =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n' +
  '<key id="name" for="node" attr.name="name" attr.type="string"/>\n' +
  '<graph edgedefault="directed">\n';

export const graphmlEnd = '</graph>\n</graphml>\n';

export const graphmlNode = (id: string, name: string): string =>
  `<node id="n${id}"><data key="name">${escaped(name)}</data></node>\n`;

export const graphmlEdge = (from: string, to: string): string =>
  `<edge source="n${from}" target="n${to}"/>\n`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
