import { type Place, placeText } from '../files/entry.ts';
import { type Detail, detailsFor } from '../model/errors.ts';
import { hashOf } from '../model/json-text.ts';
import { groupBy } from '../model/records.ts';
import { choiceProblem, quote, sameName } from '../model/text.ts';
import type { Fact } from './access-document.ts';
import { sameAddress } from './facts.ts';

/** What a review decides about one row. `disable` and `withdraw` are about the whole record. */
const decisions = ['keep', 'revoke', 'disable', 'withdraw'] as const;
type Decision = (typeof decisions)[number];

/** The facts as rows of a review: with what names each, and with columns that are filled in. */
export function reviewRows(facts: readonly Fact[]) {
  return facts.map((fact) => ({ row_id: rowId(fact), ...fact, decision: '', reviewer: '', comment: '' }));
}

/** What has become of a row, by its decision. */
const outcomes = { keep: 'kept', revoke: 'revoked', disable: 'disabled', withdraw: 'withdrawn' } as const;

const ACCEPTED = 'was accepted';

/** The columns that are read; the others are for people. */
type Column = 'row_id' | 'email' | 'subject_id' | 'property' | 'source' | 'decision' | 'reviewer' | 'comment';

/** One row of a review as a file has it; an empty cell is an empty text. */
export interface WrittenRow extends Readonly<Record<Column, string>> {
  readonly place: Place;
}

/** What a review decides about one user or invitation. */
export interface Verdict {
  readonly source: Fact['source'];
  readonly email: string;
  readonly subjectId: string | undefined;
  /** Properties to take away; `*`: full access. Those that are gone are left out. */
  readonly revokes: readonly string[];
  readonly disables: boolean;
  readonly withdraws: boolean;
  /** Whether the record is not listed any more. */
  readonly isGone: boolean;
  /** Why nothing may be done: the access is not the one that was reviewed. */
  readonly conflict: string | undefined;
  /** The rows about it. */
  readonly rows: readonly WrittenRow[];
  /** The place of the first row, or of the first one in conflict. */
  readonly place: Place;
}

/**
 * Judges a review by the facts of now. A row whose access has changed since is a conflict, unless it has become what the row
 * decided: a review can be applied again.
 *
 * @returns `problems`: what is wrong with the file. `empty`: rows without a decision. `unreviewed`: facts without a row.
 */
export function judgeReview(rows: readonly WrittenRow[], facts: readonly Fact[]) {
  const byId = new Map(facts.map((fact) => [rowId(fact), fact]));
  const now = groupBy(facts, recordKey);
  const records = groupBy(rows, (row) => recordKey(byId.get(row.row_id) ?? row));
  const reviewed = addressesOf(rows);
  const enabled = facts.filter(({ state }) => state !== 'disabled');
  const joined = new Set([...addressesOf(enabled)].filter((address) => !reviewed.has(address)));
  const judged = [...records].map(([key, own]) =>
    judgeRecord(own, { byId, joined, now: now.get(key) ?? [] }),
  );
  // Somebody whose last property was revoked has gained nothing.
  const isEmptied = (fact: Fact) => fact.property === null && records.has(recordKey(fact));
  const seen = new Set(rows.map((row): string => placeKey(byId.get(row.row_id) ?? row)));
  return {
    problems: [...repeated(rows), ...judged.flatMap(({ problems }) => problems)],
    verdicts: judged.map(({ verdict }) => verdict),
    empty: judged.flatMap(({ empty }) => empty),
    unreviewed: facts.filter((fact) => !seen.has(placeKey(fact)) && !isEmptied(fact)),
  };
}

/**
 * Judges by the facts of now whether a review was carried out.
 *
 * @param rows with valid decisions; one about the whole record counts for its rows without a decision.
 * @returns `open`: rows without a decision, and those whose decision was not carried out. `closed`: what has become of each
 *   row. `notReviewed`: access that no row has, or not like this.
 */
export function closeReview<Row extends WrittenRow>(rows: readonly Row[], facts: readonly Fact[]) {
  const [now, records] = [groupBy(facts, recordKey), groupBy(rows, recordKey)];
  const { verdicts, unreviewed } = judgeReview(rows, facts);
  const accepted = verdicts.flatMap((each) => (each.conflict?.startsWith(ACCEPTED) ? each.rows : []));
  const judged = rows.map((row) => {
    const own = now.get(recordKey(row)) ?? [];
    const whole = records.get(recordKey(row))?.find(({ decision }) => isAboutAll(decision));
    const { place, ...decided } = { ...row, decision: row.decision || (whole?.decision ?? '') };
    const { decision, email, property } = decided;
    const isDone = decision === 'keep' || own.length === 0 || isSettled({ ...row, decision }, own);
    const undone = isDone ? undefined : `${decision} of ${email} is not carried out`;
    const lack = accepted.includes(row) ? `withdraw: the invitation ${ACCEPTED}` : undone;
    // A valid decision.
    const done = outcomes[decision as Decision];
    return {
      open: detailsFor(`${placeText(place)}: decision`, decision === '' ? 'is missing' : lack),
      closed: { ...decided, done, now: own.find((fact) => (fact.property ?? '') === property) ?? null },
    };
  });
  const ids = new Set(rows.map(({ row_id: id }) => id));
  const unseen = new Set(unreviewed);
  const isOther = (fact: Fact) =>
    fact.property !== null && fact.state !== 'disabled' && !ids.has(rowId(fact));
  return {
    open: judged.flatMap(({ open }) => open),
    closed: judged.map(({ closed }) => closed),
    notReviewed: facts.filter((fact) => unseen.has(fact) || isOther(fact)),
  };
}

function isAboutAll(decision: string): boolean {
  return decision === 'disable' || decision === 'withdraw';
}

/**
 * Names a fact, and changes with the access that it gives; not with time, names of people or their second factors. A letter
 * comes first, or spreadsheets would take some for numbers.
 */
export function rowId({ email, subject_id: id = '', state, property, roles, source }: Fact): string {
  // An invitation runs out by itself.
  const lasting = source === 'user' ? state : source;
  return `r${hashOf([sameName(email), id, lasting, property, roles]).slice(0, 15)}`;
}

type Named = Pick<Fact, 'email' | 'subject_id' | 'property'> & { readonly source: string };

/** One user or invitation. */
function recordKey({ source, subject_id: id, email }: Omit<Named, 'property'>): string {
  return JSON.stringify([source, id || sameName(email)]);
}

/** The addresses of users. */
function addressesOf(named: readonly Named[]): ReadonlySet<string> {
  return new Set(named.filter(({ source }) => source === 'user').map(({ email }) => sameName(email)));
}

function placeKey(place: Named): string {
  return JSON.stringify([recordKey(place), place.property ?? '']);
}

interface Known {
  readonly byId: ReadonlyMap<string, Fact>;
  /** The addresses of enabled users that the review does not have. */
  readonly joined: ReadonlySet<string>;
  /** The facts of the record. */
  readonly now: readonly Fact[];
}

/** @param rows of one record. */
function judgeRecord(rows: readonly [WrittenRow, ...WrittenRow[]], { byId, joined, now }: Known) {
  const [first] = rows;
  const { email, source, subject_id: id = '' } = byId.get(first.row_id) ?? first;
  const decided = rows.filter(({ decision }) => decision !== '');
  const having = (wanted: Decision) => decided.filter(({ decision }) => decision === wanted);
  const [disables, withdraws] = [having('disable').length > 0, having('withdraw').length > 0];
  const conflict = decided.find((row) => !byId.has(row.row_id) && !isSettled(row, now));
  const isAccepted = source === 'invitation' && withdraws && now.length === 0 && joined.has(sameName(email));
  const change = isAccepted ? ACCEPTED : conflict && 'its access has changed';
  const isAt = (property: string) => now.some((fact) => fact.property === property);
  const verdict: Verdict = {
    source: source === 'invitation' ? source : 'user',
    email,
    subjectId: id === '' ? undefined : id,
    revokes: [...new Set(having('revoke').map(({ property }) => property))].filter(isAt),
    disables: disables && now.some(({ state }) => state !== 'disabled'),
    withdraws,
    isGone: now.length === 0,
    conflict: change && `${change} since the review`,
    rows,
    place: (conflict ?? first).place,
  };
  return {
    verdict,
    problems: rows.flatMap((row) => rowProblems(row, byId.get(row.row_id), decided)),
    empty: disables || withdraws ? [] : rows.filter(({ decision }) => decision === ''),
  };
}

/** Whether the access of a row has become what was decided. */
function isSettled({ decision, property }: WrittenRow, now: readonly Fact[]): boolean {
  if (decision === 'withdraw') return now.length === 0;
  if (now.length === 0) return false;
  if (decision === 'disable') return now.every(({ state }) => state === 'disabled');
  return decision === 'revoke' && now.every((fact) => fact.property !== property);
}

/** @param decided all rows of the record that have a decision. */
function rowProblems(
  row: WrittenRow,
  fact: Fact | undefined,
  decided: readonly WrittenRow[],
): readonly Detail[] {
  const place = placeText(row.place);
  const wrongId = idProblem(row, fact);
  if (wrongId !== undefined) return detailsFor(`${place}: row_id`, wrongId);
  return detailsFor(`${place}: decision`, row.decision === '' ? undefined : decisionProblem(row, decided));
}

/** A column that was sorted without the others must not decide about somebody else. */
function idProblem(row: WrittenRow, fact: Fact | undefined): string | undefined {
  if (row.row_id === '') return 'is missing';
  if (!/^r[0-9a-f]{15}$/.test(row.row_id)) return 'is not one of access report --for-review';
  if (fact === undefined) return undefined;
  const { email, property, source } = fact;
  const isSame = sameAddress(row.email, email) && row.property === (property ?? '') && row.source === source;
  return isSame ? undefined : `belongs to ${quote(email)} at ${property ?? 'no property'}: restore the row`;
}

function decisionProblem(row: WrittenRow, decided: readonly WrittenRow[]): string | undefined {
  const { decision, source, property } = row;
  const isUser = source !== 'invitation';
  const wrong = choiceProblem(decision, decisions);
  if (wrong !== undefined) return wrong;
  if (isUser && decision === 'withdraw') return 'is for invitations: revoke or disable a user';
  if (!isUser && decision !== 'keep' && decision !== 'withdraw')
    return 'is for users: an invitation cannot be changed, withdraw it';
  if (decision === 'revoke' && property === '') return 'has no property to revoke: disable the user, or keep';
  const other = decided.find((each) => each.decision === 'keep');
  if (isAboutAll(decision) && other !== undefined)
    return `is about the whole ${source}, and ${placeText(other.place)} keeps it`;
  return undefined;
}

/** Rows that were copied and decided in two ways. */
function repeated(rows: readonly WrittenRow[]): readonly Detail[] {
  return [...groupBy(rows, (row) => row.row_id).values()].flatMap(([first, ...others]) => {
    const reason = `is another one than in ${placeText(first.place)}, of the same row_id`;
    const wrong = others.filter(({ decision }) => decision !== first.decision);
    return wrong.map(({ place }) => ({ field: `${placeText(place)}: decision`, reason }));
  });
}
