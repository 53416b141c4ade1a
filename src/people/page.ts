import { groupBy } from '../model/records.ts';
import { counted, sameName } from '../model/text.ts';
import { neutraliseLine } from '../print/text.ts';
import { escapeHtml } from '../print/web-page.ts';
import { type AccessDocument, type Fact, states } from './access-document.ts';
import { byHolder, EVERY_PROPERTY, isPlace, NOT_SHOWN, placeText, propertyLabels } from './facts.ts';
import { pageStyle } from './page-style.ts';
import type { Finding } from './policy.ts';
import type { Judged } from './policy-rules.ts';
import { roleCodes } from './role-codes.ts';

/** Properties that a matrix on paper has room for. */
const WIDEST_PRINTED = 20;

/** Without scripts, and nothing from elsewhere, whatever a name contains. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * A report as one page of HTML: findings, a matrix of people and properties, and the whole access of each person.
 *
 * @param document without secrets: nothing is masked here.
 * @param judged by a policy; `undefined` if there is none.
 */
export function accessPage(document: AccessDocument, judged?: Judged): string {
  const { access, items } = document;
  const people = peopleIn(items);
  const title = `Who can do what: ${access.identity_url}, ${access.made}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Who can do what</h1>
${summaryOf(document, people)}
</header>
<main>
${judged === undefined ? '' : findingsSection(judged, people)}
${matrixSection(document, people)}
<section>
<h2 id="people">People</h2>
${people.map(detailsOf).join('\n')}
</section>
</main>
<footer><p>Made by innctl. This page holds personal data.</p></footer>
</body>
</html>
`;
}

/** What one address has: a user, invitations, or both. */
interface Person {
  /** What links point to. */
  readonly anchor: string;
  readonly email: string;
  readonly name: string;
  /** The facts of each user and each invitation. */
  readonly accounts: readonly (readonly [Fact, ...Fact[]])[];
}

function peopleIn(facts: readonly Fact[]): readonly Person[] {
  const groups = groupBy(facts, ({ email }) => sameName(email));
  return [...groups.values()].map((own, index) => ({
    anchor: `p${index + 1}`,
    email: own[0].email,
    name: own.find(({ name }) => name !== '')?.name ?? '',
    accounts: byHolder(own),
  }));
}

/** A text as HTML, for content and attributes. */
function text(value: string): string {
  return escapeHtml(neutraliseLine(value));
}

/** A name or an address, whose direction does not reach its neighbours. */
function isolated(value: string): string {
  return `<bdi>${text(value)}</bdi>`;
}

function summaryOf({ access }: AccessDocument, people: readonly Person[]): string {
  const firsts = people.flatMap(({ accounts }) => accounts.map(([first]) => first));
  const inState = (state: Fact['state']) => firsts.filter((fact) => fact.state === state).length;
  const counts = states.flatMap((state) =>
    inState(state) === 0 ? [] : [`${inState(state)} ${stateText(state)}`],
  );
  const admins = people.filter(({ accounts }) => accounts.some(([first]) => first.account_admin === true));
  const { selected } = access;
  const rows = [
    ['Service', text([...new Set([access.identity_url, access.base_url])].join(', '))],
    ['Read', text(`${access.made}${access.actor === null ? '' : ` by ${access.actor}`}`)],
    ['People', text(`${people.length} (${counts.join(', ')})`)],
    ['Properties', String(access.properties.length)],
    ['Account admins', admins.map(linkTo).join(', ') || 'none'],
    ...(selected === undefined
      ? []
      : [['Limited to', [selected.properties ?? [], selected.user ?? []].flat().map(isolated).join(', ')]]),
    ...(access.unknown === 0
      ? []
      : [['Not shown', `a part of ${counted(access.unknown, 'fact')}: the service does not show it`]]),
  ];
  return `<dl>\n${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('\n')}\n</dl>`;
}

function stateText(state: Fact['state']): string {
  return state === 'unknown' ? 'state not shown' : state;
}

function linkTo({ anchor, email }: Pick<Person, 'anchor' | 'email'>): string {
  return `<a href="#${anchor}">${isolated(email)}</a>`;
}

function findingsSection({ findings, excepted }: Judged, people: readonly Person[]): string {
  const anchors = new Map(people.map(({ email, anchor }) => [sameName(email), anchor]));
  const toRow = (finding: Finding, last: string) => {
    const { rule, email, property, message, result } = finding;
    const anchor = anchors.get(sameName(email ?? ''));
    return row(`<th scope="row">${text(rule)}</th>`, [
      email === null || anchor === undefined ? text(email ?? '') : linkTo({ anchor, email }),
      text(property ?? ''),
      `${result === 'unknown' ? '<b>Cannot be judged.</b> ' : ''}${text(message)}`,
      last,
    ]);
  };
  const found = findings.map((each) => {
    const late = each.ran_out === undefined ? '' : `Its exception ran out on ${text(each.ran_out)}. `;
    return toRow(each, `${late}<code>${text(each.mend)}</code>`);
  });
  const accepted = excepted.map((each) => toRow(each, text(`until ${each.until}: ${each.reason}`)));
  const heads = ['Rule', 'Who', 'Property', 'What'];
  const tables = [
    ...(found.length > 0 ? [tableOf('What is against the policy', [...heads, 'Command'], found)] : []),
    ...(accepted.length > 0 ? [tableOf('Accepted by exceptions', [...heads, 'Exception'], accepted)] : []),
  ];
  return `<section class="findings">
<h2 id="findings">${counted(findings.length, 'finding')}</h2>
${tables.length === 0 ? '<p>Nothing is against the policy.</p>' : `<div class="wide" role="region" aria-labelledby="findings" tabindex="0">${tables.join('\n')}</div>`}
</section>`;
}

function tableOf(
  caption: string,
  heads: readonly string[],
  rows: readonly string[],
  attributes = '',
): string {
  const head = heads.map((each) => `<th scope="col">${each}</th>`).join('');
  return `<table${attributes}>
<caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

function row(head: string, cells: readonly string[]): string {
  return `<tr>${head}${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function matrixSection({ access, items }: AccessDocument, people: readonly Person[]): string {
  const { properties } = access;
  const labels = propertyLabels(properties);
  const codes = roleCodes(items.filter(({ property }) => property !== EVERY_PROPERTY));
  const heads = properties.map(
    ({ id, name }) => `<span title="${text(name)}">${text(labels.get(id) ?? id)}</span>`,
  );
  const rows = people.flatMap((person) =>
    person.accounts.map((own) => matrixRow(person, own, [...labels.keys()], codes)),
  );
  const legend = [...codes].map(([role, code]) => `<b>${text(code)}</b> ${text(role)}`);
  const attributes = ` style="--properties: ${properties.length}"`;
  return `<section${properties.length > WIDEST_PRINTED ? ' class="unprinted"' : ''}>
<h2 id="matrix">People and properties</h2>
<p>${[...legend, ...signs].join(' · ')}</p>
<div class="matrix" role="region" aria-labelledby="matrix" tabindex="0">
${tableOf('Roles of each person at each property', ['Person', ...heads], rows, attributes)}
</div>
</section>`;
}

const signs = [
  '<b>all</b> account admin: reaches every property',
  '<b>–</b> no role there',
  '<b>?</b> not shown by the service',
];

function matrixRow(
  person: Person,
  facts: readonly [Fact, ...Fact[]],
  ids: readonly string[],
  codes: ReadonlyMap<string, string>,
): string {
  const [first] = facts;
  const own = new Map(facts.map((fact) => [fact.property, fact]));
  const cells = ids.map((id) => {
    const fact = own.get(EVERY_PROPERTY) ?? own.get(id) ?? own.get(NOT_SHOWN);
    return fact === undefined ? '' : `<td>${text(cellOf(fact, codes))}</td>`;
  });
  const marks = marksOf(first).map((mark) => ` <span class="mark">${mark}</span>`);
  const name = person.name === '' ? '' : `${isolated(person.name)}<br>`;
  return `<tr class="${first.state}"><th scope="row">${name}${linkTo(person)}${marks.join('')}</th>${inRuns(cells)}</tr>`;
}

/** Joins cells; empty ones side by side are one, because browsers take seconds to lay out 100,000 cells. */
function inRuns(cells: readonly string[]): string {
  return cells
    .map((cell) => cell || EMPTY)
    .join('')
    .replaceAll(
      new RegExp(`(?:${EMPTY})+`, 'g'),
      (run) => `<td colspan="${run.length / EMPTY.length}"></td>`,
    );
}

const EMPTY = '<td></td>';

function cellOf({ property, roles }: Fact, codes: ReadonlyMap<string, string>): string {
  if (property === EVERY_PROPERTY) return 'all';
  if (roles === null) return '?';
  return roles.map((role) => codes.get(role) ?? role).join(' ') || '–';
}

/** What is special about an account, in words. */
function marksOf({ state, account_admin: admin, source }: Fact): readonly string[] {
  return [
    ...(admin === true ? ['account admin'] : []),
    ...(source === 'invitation' && state !== 'invited' ? ['invitation'] : []),
    ...(state === 'active' ? [] : [stateText(state)]),
  ];
}

function detailsOf(person: Person): string {
  const { anchor, email, name, accounts } = person;
  const marks = [...new Set(accounts.flatMap(([first]) => marksOf(first)))];
  const places = accounts.flat().filter(({ property }) => isPlace(property)).length;
  const facts = [...marks, ...(places === 0 ? [] : [counted(places, 'property', 'properties')])].join(' · ');
  return `<details>
<summary>${isolated(name || email)} ${name === '' ? '' : isolated(email)} <span class="mark">${facts}</span></summary>
<div id="${anchor}">
${accounts.map(accountTable).join('\n')}
</div>
</details>`;
}

function accountTable(facts: readonly [Fact, ...Fact[]]): string {
  const rows = facts.map(({ property, property_name: name, roles }) =>
    row(`<th scope="row">${text(placeText(property))}</th>`, [
      isolated(name),
      text(
        roles === null
          ? 'not shown'
          : roles.join(', ') || (property === EVERY_PROPERTY ? 'account admin' : 'none'),
      ),
    ]),
  );
  return tableOf(captionOf(facts[0]), ['Property', 'Name', 'Roles'], rows);
}

/** Everything about an account that does not depend on the property. */
function captionOf(fact: Fact): string {
  const { source, state, account_admin: admin, subject_id: id, invited_by: by, since, age_days: age } = fact;
  const parts = [
    source === 'user' ? 'User' : 'Invitation',
    stateText(state),
    ...(admin === false ? [] : [admin === null ? 'account admin: not shown' : 'account admin']),
    ...(source === 'user' ? [`MFA ${yesOrNo(fact.mfa)}`, `passkeys ${yesOrNo(fact.passkeys)}`] : []),
    ...(by === undefined ? [] : [`invited by ${by}`]),
    ...(since === undefined ? [] : [`since ${since}${age === undefined ? '' : `, ${counted(age, 'day')}`}`]),
    ...(id === undefined ? [] : [`id ${id}`]),
  ];
  return parts.map(isolated).join(' · ');
}

function yesOrNo(value: boolean | null): string {
  if (value === null) return 'not shown';
  return value ? 'on' : 'off';
}
