import { groupBy } from '../model/records.ts';
import { counted } from '../model/text.ts';
import { escapeHtml, neutraliseLine } from '../print/text.ts';
import type { AccessDocument, Fact } from './access-document.ts';
import {
  byHolder,
  cellsOf,
  EVERY_PROPERTY,
  legendOf,
  placeText,
  propertyLabels,
  roleCodes,
  rolesText,
  summaryOf,
} from './facts.ts';
import type { Finding } from './policy.ts';
import type { Judged } from './policy-rules.ts';

/** Without scripts, and nothing from elsewhere, whatever a name contains. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** In the colours of the browser, light or dark. On paper the matrix is left out: the list has everything. */
const style = `
body { margin: 1rem 1.5rem; font: 0.875rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
table { border-collapse: separate; border-spacing: 0; }
caption, th, td { text-align: left; }
th, td { max-width: 32rem; padding: 0.25rem 0.6rem; border: solid GrayText; border-width: 0 1px 1px 0; vertical-align: top;
  background: Canvas; overflow: clip; overflow-wrap: break-word; }
.wide { overflow: auto; max-height: 85vh; max-width: max-content; border: 1px solid GrayText; }
thead th { position: sticky; top: 0; z-index: 1; vertical-align: bottom; }
.matrix { table-layout: fixed; width: calc(18rem + var(--properties) * 3rem); }
.matrix thead th { width: 3rem; box-sizing: border-box; }
.matrix thead th:first-child { left: 0; z-index: 2; width: 18rem; }
.matrix span { writing-mode: vertical-rl; max-height: 12rem; }
.matrix tbody th { position: sticky; left: 0; }
.matrix td { padding-inline: 0.15rem; text-align: center; }
@media print {
  section:has(.matrix) { display: none; }
  .wide { overflow: visible; max-height: none; border: 0; }
  th, td { position: static !important; overflow-wrap: anywhere; }
  tr { break-inside: avoid; }
}
`;

/**
 * A report as one page of HTML: findings, a matrix of people and properties, and a list of the whole access.
 *
 * @param document without secrets: nothing is masked here.
 * @param judged by a policy; `undefined` if there is none.
 */
export function accessPage(document: AccessDocument, judged?: Judged): string {
  const { access, items } = document;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(`Who can do what: ${access.identity_url}, ${access.made}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Who can do what</h1>
${aboutOf(document)}
${judged === undefined ? '' : findingsOf(judged)}
${matrixOf(document)}
${listOf(items)}
</main>
</body>
</html>
`;
}

/** A text as HTML, whose direction does not reach its neighbours. */
function isolated(value: string): string {
  return `<bdi>${text(value)}</bdi>`;
}

/** A text as HTML, for content and attributes. */
function text(value: string): string {
  return escapeHtml(neutraliseLine(value));
}

function aboutOf({ access, items }: AccessDocument): string {
  const { identity_url, base_url, made, actor, selected = {}, unknown } = access;
  const limits = [selected.properties ?? [], selected.user ?? []].flat();
  const lines = [
    `${identity_url}, ${base_url}; personal data`,
    `Read ${made}${actor === null ? '' : ` by ${actor}`}`,
    summaryOf(items),
    ...(limits.length === 0 ? [] : [`Limited to ${limits.join(', ')}`]),
    ...(unknown === 0 ? [] : [`Not shown by the service: a part of ${counted(unknown, 'fact')}`]),
  ];
  return lines.map((line) => `<p>${isolated(line)}</p>`).join('\n');
}

function findingsOf({ findings, excepted }: Judged): string {
  const rowOf = ({ rule, email, property, result, message }: Finding, last: string) =>
    row(isolated(rule), [email ?? '', property ?? '', result, message, last].map(isolated));
  const found = findings.map((each) => {
    const late = each.ran_out === undefined ? '' : `Its exception ran out on ${each.ran_out}. `;
    return rowOf(each, `${late}${each.mend}`);
  });
  const accepted = excepted.map((each) => rowOf(each, `Accepted until ${each.until}: ${each.reason}`));
  const heads = ['Rule', 'Who', 'Property', 'Result', 'What', 'Command, or exception'];
  const findingTable = table('What is against the policy', heads, [...found, ...accepted]);
  return section('findings', counted(findings.length, 'finding'), findingTable);
}

function matrixOf({ access: { properties }, items }: AccessDocument): string {
  const labels = propertyLabels(properties);
  const codes = roleCodes(items.filter(({ property }) => property !== EVERY_PROPERTY));
  const rows = byHolder(items).map((own) => {
    const at = cellsOf(own, codes);
    const cells = properties.map(({ id }) => text(at.get(id) ?? at.get(EVERY_PROPERTY) ?? ''));
    const { name, email, state } = own[0];
    return row(`${isolated(name)} ${isolated(email)}${state === 'active' ? '' : ` (${state})`}`, cells);
  });
  const heads = properties.map(
    ({ id, name }) => `<span title="${text(name)}">${text(labels.get(id) ?? id)}</span>`,
  );
  const legend = legendOf(codes).map(isolated).join(' · ');
  const attributes = ` class="matrix" style="--properties: ${properties.length}"`;
  const matrix = table(legend, ['Person', ...heads], rows, attributes);
  return section('matrix', 'People and properties', matrix);
}

function listOf(items: readonly Fact[]): string {
  const rows = byHolder(items).map((own) => {
    const { email, name, source, state, mfa, invited_by = '', since = '' } = own[0];
    const secured = mfa === null ? '' : mfa ? 'on' : 'off';
    const access = [...groupBy(own, rolesText)].map(
      ([roles, alike]) => `${alike.map(placeOf).join(', ')}: ${roles || 'no role'}`,
    );
    const cells = [name, `${source}: ${state}`, access.join('; '), secured, `${since} ${invited_by}`];
    return row(isolated(email), cells.map(isolated));
  });
  const heads = ['E-mail', 'Name', 'State', 'Access', 'MFA', 'Invited'];
  return section('list', 'Access of each person', table('Properties, and the roles there', heads, rows));
}

function placeOf({ property, property_name: name }: Fact): string {
  return name === '' ? placeText(property) : `${placeText(property)} (${name})`;
}

/** A wide table scrolls by itself. */
function section(id: string, heading: string, content: string): string {
  return `<section>
<h2 id="${id}">${heading}</h2>
<div class="wide" role="region" aria-labelledby="${id}" tabindex="0">${content}</div>
</section>`;
}

function table(caption: string, heads: readonly string[], rows: readonly string[], attributes = ''): string {
  return `<table${attributes}><caption>${caption}</caption>
<thead><tr>${heads.map((each) => `<th scope="col">${each}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table>`;
}

function row(head: string, cells: readonly string[]): string {
  return `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}
