import { detailsFor, invalidInput } from '../../cli/errors.ts';
import { isCalendarDay, momentOf, parseDuration } from '../../model/dates.ts';
import { choiceProblem } from '../../model/names.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { quote, sameName } from '../../model/text.ts';
import { columnsOf } from '../../print/labels.ts';
import type { OutlineLine } from '../../print/outline.ts';
import type { Column, Shape } from '../../print/output.ts';
import { kinds } from '../../seed/entry.ts';
import type { Sent } from '../../seed/history.ts';
import { targetText } from '../../seed/target.ts';

/** What a request did, a record for each record that it is about. Without an answer the outcome is `unknown`. */
export function entriesOf({ start, rows, answer, ...sent }: Sent): readonly ServiceRecord[] {
  const { run, command, profile, account, identity_url, base_url } = start;
  const { id, at, kind, action, key, note } = sent;
  const { outcome = 'unknown', status, request_id, error } = answer ?? {};
  return rows.map(({ name, id: record_id = answer?.id, hash, before, after }) =>
    withoutHoles({
      ...{ id, at: new Date(at).toISOString(), run_id: run, command, profile, account },
      ...{ identity_url, base_url, kind, name, record_id, action, before, after, outcome, status },
      ...{ request_id, error, note, key, hash },
      answered_at: answer && new Date(answer.at).toISOString(),
    }),
  );
}

/** When it was sent, or answered. */
export const at: Column = { field: 'at', header: 'At', format: 'date' };

/** How writes are listed. */
export const entryShape: Shape = {
  noun: ['write', 'writes'],
  columns: columnsOf(
    'id at command profile account kind name action before after outcome request_id error run_id',
    [at],
  ),
  table: [
    { ...at, header: 'When' },
    { field: 'name', header: 'What', value: whatOf },
    { field: 'outcome', header: 'Outcome', tones: { done: 'good', failed: 'error', unknown: 'warning' } },
    { field: 'id', header: 'Id', isCutLast: true },
    ...columnsOf('command account profile request_id run_id'),
  ],
  essential: 4,
  others: ['identity_url', 'base_url', 'record_id', 'status', 'note', 'key', 'hash', 'answered_at'],
};

/** `change user ana@example.com` */
function whatOf({ action, kind, name }: ServiceRecord): string {
  return `${action} ${String(kind).replace('_', ' ')} ${name}`.replace('  ', ' ');
}

/** The request of some records, as a sentence. */
export function titleOf({ id, at, start, answer }: Sent): string {
  const { outcome = 'unknown', error } = answer ?? {};
  const ended = error === undefined ? `${outcome}.` : `${outcome}: ${error}`;
  return `Request ${id} of innctl ${start.command}, ${new Date(at).toISOString()}, at ${targetText(start)}: ${ended}`;
}

/** What a terminal shows of the records of one request: each field before and after. */
export function* outlineOf(entries: readonly ServiceRecord[]): Generator<OutlineLine> {
  for (const entry of entries) {
    const id = entry['record_id'] === undefined || entry['record_id'] === entry['name'];
    const text = `${whatOf(entry)}${id ? '' : ` (${entry['record_id']})`}`;
    yield { text, below: changesIn(entry) };
  }
}

function changesIn({ before, after }: ServiceRecord): readonly string[] {
  if (after !== undefined && !isRecord(after)) return [after].flat().map(valueText);
  const was = isRecord(before) ? before : {};
  const now = after ?? {};
  const textOf = (field: string) => {
    const values = [was, now].filter((each) => field in each).map((each) => valueText(each[field]));
    return `${field}: ${values.join(' -> ')}`;
  };
  return [...new Set([...Object.keys(was), ...Object.keys(now)])].map(textOf);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
}

/** The flags of the list, as typed. */
type HistoryFlags = Readonly<Partial<Record<'since' | 'user' | 'property' | 'kind', string>>>;

/**
 * Makes the filter of the flags.
 *
 * @param now milliseconds since the epoch.
 * @throws {CliError} exit 2 with all problems.
 */
export function filterOf({ since, user, property, kind }: HistoryFlags, now: number) {
  const first = since === undefined ? 0 : sinceMoment(since, now);
  const wanted = kind?.replaceAll('-', '_');
  const details = [
    ...detailsFor('--since', first === undefined ? sinceProblem(since) : undefined),
    ...detailsFor('--kind', wanted === undefined ? undefined : choiceProblem(wanted, kinds)),
  ];
  if (details.length > 0) throw invalidInput(details, 'innctl history list --help');
  return (entry: ServiceRecord): boolean =>
    (momentOf(entry['at']) ?? 0) >= (first ?? 0) &&
    (wanted === undefined || entry['kind'] === wanted) &&
    (user === undefined || isAboutUser(entry, user)) &&
    (property === undefined || isAtProperty(entry, property));
}

function sinceMoment(text: string, now: number): number | undefined {
  const [, minutes] = /^([1-9]\d{0,4})m$/.exec(text) ?? [];
  const ms = minutes === undefined ? parseDuration(text) : Number(minutes) * 60_000;
  if (ms !== undefined) return now - ms;
  return isCalendarDay(text.slice(0, 10)) ? momentOf(text.length === 10 ? `${text}T00:00` : text) : undefined;
}

function sinceProblem(text = ''): string {
  return `${quote(text)} is neither a duration such as 7d, 12h or 30m nor a date such as 2026-11-01`;
}

function isAboutUser({ kind, name, record_id: id }: ServiceRecord, user: string): boolean {
  return (kind === 'user' || kind === 'invitation') && (isSame(name, user) || id === user);
}

/** The property itself, what is inside it, and what names it. */
function isAtProperty({ kind, name, record_id: id, ...entry }: ServiceRecord, property: string): boolean {
  if (kind === 'property') return isSame(name, property) || id === property;
  const isInside = sameName(String(name)).startsWith(`${sameName(property)}/`);
  return isInside || hasText(entry['before'], property) || hasText(entry['after'], property);
}

function hasText(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some((each) => hasText(each, text));
  return isRecord(value) ? Object.values(value).some((each) => hasText(each, text)) : isSame(value, text);
}

function isSame(value: unknown, text: string): boolean {
  return typeof value === 'string' && sameName(value) === sameName(text);
}
