/** Lines over time as an SVG: panels one below the other, a common axis of minutes. */

export interface Line {
  readonly label: string;
  /** One for each minute of `minutes`. */
  readonly values: readonly number[];
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  /** Up to four. */
  readonly lines: readonly Line[];
}

export interface Picture {
  readonly title: string;
  readonly subtitle: string;
  readonly minutes: readonly number[];
  readonly panels: readonly Panel[];
}

const WIDTH = 960;
const LEFT = 84;
const RIGHT = 210;
const TOP = 92;
const PANEL = 132;
const GAP = 48;
const BOTTOM = 44;
const COLORS = ['#1f5fa8', '#c2571a', '#2f8f4e', '#7a4ea3'];
const INK = '#22272e';
const QUIET = '#5f6b7a';
const GRID = '#e3e7ec';

export function drawPicture({ title, subtitle, minutes, panels }: Picture): string {
  const height = TOP + panels.length * (PANEL + GAP) - GAP + BOTTOM;
  const first = minutes[0] ?? 0;
  const span = Math.max(1e-9, (minutes.at(-1) ?? 1) - first);
  const x = (minute: number) => LEFT + ((minute - first) / span) * (WIDTH - LEFT - RIGHT);
  const marks = ticks(minutes.at(-1) ?? 1, 8).filter((mark) => mark >= first);
  const bottom = height - BOTTOM;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="32" font-size="17" font-weight="600">${escaped(title)}</text>`,
    `<text x="${LEFT}" y="54" fill="${QUIET}">${escaped(subtitle)}</text>`,
    ...panels.map((panel, i) => drawPanel(panel, TOP + i * (PANEL + GAP), { minutes, x, marks })),
    ...marks.map((mark) => text(x(mark), bottom + 18, shortNumber(mark), 'middle')),
    text((LEFT + WIDTH - RIGHT) / 2, bottom + 36, 'minutes of virtual time', 'middle'),
    '</svg>',
  ].join('\n')}\n`;
}

/** The axis of minutes that all panels share. */
interface Axis {
  readonly minutes: readonly number[];
  readonly x: (minute: number) => number;
  readonly marks: readonly number[];
}

function drawPanel({ title, unit, lines }: Panel, top: number, { minutes, x, marks }: Axis): string {
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values));
  const steps = ticks(highest === 0 ? 1 : highest * 1.05, 4);
  const most = Math.max(highest * 1.05, steps.at(-1) ?? 1);
  const y = (value: number) => top + PANEL - (value / most) * PANEL;
  const ends = spread(
    lines.map(({ values }) => y(values.at(-1) ?? 0)),
    top,
    top + PANEL,
  );
  return [
    `<text x="${LEFT}" y="${top - 9}" font-weight="600">${escaped(title)}<tspan fill="${QUIET}" font-weight="400">  ${escaped(unit)}</tspan></text>`,
    ...steps.map(
      (step) =>
        `<path d="M${LEFT} ${at(y(step))}H${WIDTH - RIGHT}" stroke="${GRID}"/>${text(LEFT - 8, y(step) + 4, shortNumber(step), 'end')}`,
    ),
    ...marks.map((mark) => `<path d="M${at(x(mark))} ${top + PANEL}v4" stroke="${QUIET}"/>`),
    `<path d="M${LEFT} ${top + PANEL}H${WIDTH - RIGHT}" stroke="${QUIET}"/>`,
    ...lines.map(({ label, values }, i) => {
      const color = COLORS[i % COLORS.length];
      const points = values.map((value, j) => `${at(x(minutes[j] as number))} ${at(y(value))}`).join('L');
      const end = `<text x="${WIDTH - RIGHT + 10}" y="${at((ends[i] as number) + 4)}" fill="${color}">${escaped(label)}</text>`;
      return `<path d="M${points}" fill="none" stroke="${color}" stroke-width="1.8" stroke-linejoin="round"/>${end}`;
    }),
  ].join('\n');
}

/** Round steps from 0 up to `most`, about `count` of them. */
export function ticks(most: number, count: number): number[] {
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) =>
    Number((i * step).toPrecision(12)),
  );
}

/** Labels at least a line apart, each as near to its place as that allows. */
function spread(places: readonly number[], top: number, bottom: number): number[] {
  const line = 15;
  const order = places.map((_, i) => i).sort((a, b) => (places[a] as number) - (places[b] as number));
  const spreadOut = [...places];
  let least = top;
  for (const i of order) {
    spreadOut[i] = Math.max(least, spreadOut[i] as number);
    least = (spreadOut[i] as number) + line;
  }
  let most = bottom;
  for (const i of order.reverse()) {
    spreadOut[i] = Math.min(most, spreadOut[i] as number);
    most = (spreadOut[i] as number) - line;
  }
  return spreadOut;
}

/** `1500` as `1,500`, `2500000` as `2.5 M`. */
function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
}

const at = (place: number): string => place.toFixed(1);

const text = (x: number, y: number, label: string, anchor: 'middle' | 'end'): string =>
  `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}" fill="${QUIET}">${escaped(label)}</text>`;

const escaped = (label: string): string =>
  label.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
