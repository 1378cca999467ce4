/** The style of the report's page: light and dark as the reader has it, from a phone's width on. */
export const REPORT_STYLE = `
:root { --back: #fff; --text: #1b2229; --soft: #5b6773; --line: #dde2e7; --fill: #2f6f9f; --panel: #f5f7f9;
  --good: #1d7a46; --warn: #9a5b00; }
@media (prefers-color-scheme: dark) {
  :root { --back: #12161b; --text: #e2e7ec; --soft: #97a3af; --line: #2b333c; --fill: #69aede; --panel: #191f26;
    --good: #5cc98b; --warn: #e5ad55; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--back); color: var(--text);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .4rem; }
header p { margin: .2rem 0 0; color: var(--soft); }
.state { color: var(--warn); }
.state::first-letter { text-transform: uppercase; }
.state.finished, .state.running { color: var(--good); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.4rem, 1fr)); gap: .75rem; margin: 1.25rem 0; }
dl div { background: var(--panel); border-radius: 6px; padding: .6rem .8rem; display: flex; flex-direction: column; }
dt { order: 2; color: var(--soft); font-size: .85rem; }
dd { order: 1; margin: 0; font-size: 1.45rem; font-weight: 600; font-variant-numeric: tabular-nums; }
dl small { order: 3; color: var(--soft); font-size: .78rem; overflow-wrap: anywhere; }
.plots, .tables { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1.75rem; }
.tables { margin-top: 2rem; align-items: start; }
.wide { grid-column: 1 / -1; }
figure { margin: 0; min-width: 0; }
figcaption { color: var(--soft); font-size: .85rem; }
figcaption b { color: var(--text); font-size: 1rem; margin-right: .3rem; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
.columns rect { fill: var(--fill); }
.columns rect:hover { opacity: .7; }
.grid { stroke: var(--line); }
.axis { stroke: var(--soft); }
section { min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th { color: var(--soft); font-weight: 500; font-size: .8rem; }
th, td { padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; }
.words { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
.number + .words { padding-left: 1rem; }
.bar { display: inline-block; width: 7rem; max-width: 20vw; height: .6rem; text-align: left; vertical-align: middle; }
.bar i { display: block; height: 100%; min-width: 1px; background: var(--fill); border-radius: 1px; }
footer { color: var(--soft); font-size: .85rem; margin-top: 2.5rem; }
`;
