/** A plot of columns as SVG: made here, so that the page needs no script. Colours are the page's classes. */
import { type Html, html } from './html.ts';

export interface ColumnPlot {
  /** A description of the plot for people who do not see it. */
  readonly label: string;
  readonly values: readonly number[];
  /**
   * Where on the x axis there is a mark: at the left edge of that column (as many as there are columns: the
   * end).
   */
  readonly marks: readonly { readonly at: number; readonly text: string }[];
  /** The text of a column when it is pointed at. */
  readonly describe: (column: number) => string;
  readonly formatValue: (value: number) => string;
  /** Marks stand under the middle of their column: columns are things, not stretches of a scale. */
  readonly isCentred?: boolean;
}

const WIDTH = 520;
const HEIGHT = 230;
const LEFT = 58;
const RIGHT = 22;
const TOP = 12;
const BOTTOM = 30;

/** The y axis begins at 0. */
export function columnPlot({ label, values, marks, describe, formatValue, isCentred }: ColumnPlot): Html {
  const ticks = ticksUpTo(Math.max(...values, 0));
  const top = ticks.at(-1)!;
  const plotWidth = WIDTH - LEFT - RIGHT;
  const plotHeight = HEIGHT - TOP - BOTTOM;
  const step = plotWidth / Math.max(1, values.length);
  const gap = step > 4 ? Math.min(step * 0.15, 6) : 0;
  const yOf = (value: number) => TOP + plotHeight * (1 - value / top);
  const grid = ticks.map(
    (tick) =>
      html`<line class="${tick === 0 ? 'axis' : 'grid'}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(yOf(tick))}" y2="${round(yOf(tick))}"/><text x="${LEFT - 8}" y="${round(yOf(tick) + 4)}" text-anchor="end">${formatValue(tick)}</text>`,
  );
  const columns = values.map((value, i) => {
    if (value <= 0) return html``;
    // A column that would not be seen is drawn one unit high.
    const height = Math.max(1, plotHeight * (value / top));
    const x = LEFT + i * step + gap / 2;
    return html`<rect x="${round(x)}" y="${round(TOP + plotHeight - height)}" width="${round(step - gap)}" height="${round(height)}"><title>${describe(i)}</title></rect>`;
  });
  const markTexts = marks.map(({ at, text }) => {
    const x = round(LEFT + (at + (isCentred ? 0.5 : 0)) * step);
    const tick = isCentred
      ? undefined
      : html`<line class="axis" x1="${x}" x2="${x}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM + 5}"/>`;
    return html`${tick}<text x="${x}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${text}</text>`;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${grid}<g class="columns">${columns}</g>${markTexts}</svg>`;
}

/**
 * From 0 to the first at or above `max`, in steps of 1, 2 or 5 times a power of ten; three to six of them.
 */
export function ticksUpTo(max: number): number[] {
  if (!(max > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(max / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => max / size <= 5)!;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

const round = (value: number): number => Math.round(value * 10) / 10;
