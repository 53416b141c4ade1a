/**
 * The style of the page of a report. Colours have a contrast of at least 4.5 in both schemes. On paper a wide matrix is left
 * out, and what is folded is shown.
 */
export const pageStyle = `
:root { --back: #fff; --text: #1b1d21; --soft: #565b63; --line: #d3d6db; --head: #f1f3f5; --link: #0b4fa8; --bad: #9f1239; }
@media screen and (prefers-color-scheme: dark) {
  :root { --back: #16181d; --text: #e9eaed; --soft: #b3b8c1; --line: #3b4049; --head: #23262d; --link: #8fbcff; --bad: #ff9db0; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem 1.5rem; background: var(--back); color: var(--text);
  font: 0.875rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 0.75rem; }
h2 { font-size: 1.125rem; margin: 1.75rem 0 0.5rem; }
a { color: var(--link); }
code { font: 0.8125rem/1.45 ui-monospace, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 0; }
dt, .mark, caption { color: var(--soft); }
dd { margin: 0; }
table { border-collapse: separate; border-spacing: 0; }
caption { text-align: left; padding: 0.35rem 0; }
th, td { padding: 0.25rem 0.6rem; max-width: 32rem; border: solid var(--line); border-width: 0 1px 1px 0; text-align: left;
  vertical-align: top; font-weight: normal; overflow: clip; overflow-wrap: break-word; }
thead th { background: var(--head); font-weight: 600; border-top-width: 1px; }
th:first-child { border-left-width: 1px; }
.findings h2, .findings b { color: var(--bad); }
.wide { overflow: auto; }
.matrix { overflow: auto; max-height: 85vh; max-width: max-content; border: 1px solid var(--line); }
.matrix caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.matrix table { --person: min(18rem, 40vw); --column: 3rem; table-layout: fixed;
  width: calc(var(--person) + var(--properties) * var(--column)); }
.matrix thead th { position: sticky; top: 0; z-index: 1; width: var(--column); vertical-align: bottom; }
.matrix thead th:first-child { left: 0; z-index: 2; width: var(--person); }
.matrix thead span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 12rem; }
.matrix tbody th { position: sticky; left: 0; background: var(--head); }
.matrix td { padding-inline: 0.15rem; text-align: center; }
.matrix td[colspan] { background-image: repeating-linear-gradient(to right, transparent 0 calc(var(--column) - 1px), var(--line) 0 var(--column)); }
.matrix tr:hover td { background: var(--head); }
.disabled td, .expired td { color: var(--soft); text-decoration: line-through; }
.invited td { font-style: italic; }
details table { min-width: min(36rem, 100%); }
details { border-bottom: 1px solid var(--line); padding: 0.3rem 0; content-visibility: auto; contain-intrinsic-block-size: auto 2rem; }
summary { cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
:target { scroll-margin-top: 3rem; }
@media print {
  body { padding: 0; font-size: 9pt; }
  .unprinted { display: none; }
  .matrix, .wide { overflow: visible; max-height: none; max-width: none; border: 0; }
  .matrix thead th, .matrix tbody th { position: static; }
  details { content-visibility: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  thead { display: table-header-group; }
  tr, summary, caption { break-inside: avoid; }
  summary, h2 { break-after: avoid; }
  a { color: inherit; text-decoration: none; }
}
`;
