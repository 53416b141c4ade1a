import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createJournalFile } from '../../journal/file.ts';
import type { PastRun, Sent } from '../../journal/history.ts';
import { journalFolder } from '../../journal/journal.ts';
import { targetText } from '../../journal/line.ts';
import { isCalendarDay, momentOf, parseDuration } from '../../model/dates.ts';
import { CliError, detailsFor, ExitCode, invalidInput, refuseInvalid } from '../../model/errors.ts';
import { kinds } from '../../model/kinds.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord, onePage, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { choiceProblem, quote, runIdProblem, sameName } from '../../model/text.ts';
import { columnsOf } from '../../print/labels.ts';
import type { OutlineLine } from '../../print/outline.ts';
import type { Column, Shape } from '../../print/output.ts';
import { localCommand } from '../../session/command-line.ts';
import { type LocalSession, withLocalSession } from '../../session/session.ts';

/** When it was sent, or answered. */
export const at: Column = { field: 'at', header: 'At', format: 'date' };

/** `history list`: the writes in the journals on this machine, newest first. */
export function listHistory(context: Context) {
  return localCommand('list ls', 'reads', [
    'history list --since 7d',
    'history list --user ben@example.com --json',
    'history list --property BER --kind unit --since 2026-11-01',
  ])
    .exitsWith('notFound', 'ambiguous')
    .summary('list writes, newest first')
    .description(
      'List the writes in the journals on this machine, newest first: when, by which command, of which record, and how each ended.',
    )
    .option('--since <time>', 'only the last 7d, 12h or 30m, or from a date on: 2026-11-01 (UTC)')
    .option('--user <id|e-mail>', 'only of this user, and of invitations to this address')
    .option('--property <id>', 'only of this property, of what is in it, and of people who gained or lost it')
    .option('--kind <kind>', 'only property, invitation, user, unit_attribute, unit_group or unit')
    .option('--run <run-id>', 'only of this run')
    .action(
      withLocalSession(context, async (session, { run, ...flags }) => {
        const isWanted = filterOf(flags, session.context.clock.now());
        const runs = run === undefined ? await allRuns(session) : [await theRun(session, run)];
        const entries = requestsOf(runs).flatMap(entriesOf).filter(isWanted);
        await session.out.records(entryShape, onePage(entries));
      }),
    );
}

/** `history show <request-id>`: the records of one request, before and after. */
export function showRequest(context: Context) {
  return localCommand('show get', 'reads', ['history show 5f70a1b2c3d4', 'history show 5f70a1 --json'])
    .exitsWith('notFound', 'ambiguous')
    .summary('show what a request did')
    .description('Show the records that a request wrote, before and after.')
    .argument('<request-id>', 'id of the request in the list, or at least its first 6 characters')
    .action(
      withLocalSession(context, async (session, reference) => {
        const sent = await theRequest(session, reference);
        await session.out.note(titleOf(sent));
        const entries = entriesOf(sent);
        await session.out.records(entryShape, onePage(entries), {}, outlineOf(entries));
      }),
    );
}

/** How writes are listed. */
const entryShape: Shape = {
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
  others: ['identity_url', 'base_url', 'record_id', 'status', 'note', 'key', 'hash', 'answered_at'],
};

/** `change user ana@example.com` */
function whatOf({ action, kind, name }: ServiceRecord): string {
  return `${action} ${String(kind).replace('_', ' ')} ${name}`.replace('  ', ' ');
}

/** The request of some records, as a sentence. */
function titleOf({ id, at, start, answer }: Sent): string {
  const { outcome = 'unknown', error } = answer ?? {};
  const ended = error === undefined ? `${outcome}.` : `${outcome}: ${error}`;
  return `Request ${id} of innctl ${start.command}, ${new Date(at).toISOString()}, at ${targetText(start)}: ${ended}`;
}

/** What a terminal shows of the records of one request: each field before and after. */
function* outlineOf(entries: readonly ServiceRecord[]): Generator<OutlineLine> {
  for (const entry of entries) {
    yield { text: whatOf(entry), below: changesIn(entry) };
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
function filterOf({ since, user, property, kind }: HistoryFlags, now: number) {
  const first = since === undefined ? 0 : sinceMoment(since, now);
  const wanted = kind?.replaceAll('-', '_');
  const noTime = `${quote(since ?? '')} is neither a duration such as 7d, 12h or 30m nor a date such as 2026-11-01`;
  const details = [
    ...detailsFor('--since', first === undefined ? noTime : undefined),
    ...detailsFor('--kind', wanted === undefined ? undefined : choiceProblem(wanted, kinds)),
  ];
  refuseInvalid(details, 'innctl history list --help');
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

type Here = Pick<LocalSession, 'folders'> & { readonly out: Pick<LocalSession['out'], 'warn'> };

/** The shortest abbreviation of an id. */
const SHORTEST_REFERENCE = 6;

/** A run and its journal. */
export interface FoundRun {
  readonly run: PastRun;
  readonly path: string;
}

/** The runs of all accounts, the newest first. A journal that cannot be read must not hide the others. */
export async function allRuns({ folders, out }: Here): Promise<readonly FoundRun[]> {
  const runs: FoundRun[] = [];
  for (const path of journalsIn(journalFolder(folders.state))) {
    try {
      const history = await createJournalFile(path, true).read();
      runs.push(...history.runs().map((run) => ({ run, path })));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      await out.warn(error.message);
    }
  }
  return runs.toSorted((one, other) => other.run.startedAt - one.run.startedAt);
}

/** The requests of some runs, the newest first. */
function requestsOf(runs: readonly FoundRun[]): readonly Sent[] {
  const all = runs.flatMap(({ run }) => run.sent).toReversed();
  return all.sort((one, other) => other.at - one.at);
}

/**
 * Finds a run by its id or an abbreviation.
 *
 * @throws {CliError} exit 2 for an invalid id, exit 3 if there is none, exit 12 if there are several.
 */
export async function theRun(session: Here, reference: string): Promise<FoundRun> {
  const idOf = ({ run }: FoundRun) => run.start.run;
  return theOne(reference, 'run', () => allRuns(session), idOf);
}

/** Finds the run or the request with an id, in the same way. @returns `sent` are its requests. */
export async function theWrites(session: Here, reference: string) {
  const all = async () =>
    (await allRuns(session)).flatMap((found) => [
      { ...found, id: found.run.start.run, sent: found.run.sent },
      ...found.run.sent.map((sent) => ({ ...found, id: sent.id, sent: [sent] })),
    ]);
  return theOne(reference, 'run or request', all, ({ id }) => id);
}

/** Finds a request in the same way. */
async function theRequest(session: Here, reference: string): Promise<Sent> {
  const all = async () => requestsOf(await allRuns(session));
  return theOne(reference, 'request', all, ({ id }) => id);
}

async function theOne<Found>(
  reference: string,
  noun: 'run' | 'request' | 'run or request',
  all: () => Promise<readonly Found[]>,
  idOf: (found: Found) => string,
): Promise<Found> {
  const wrong = runIdProblem(reference);
  const [word] = noun.split(' ');
  const hint = noun === 'run' ? 'innctl runs list' : 'innctl history';
  if (wrong !== undefined) throw invalidInput([{ field: `${word}-id`, reason: wrong }], hint);
  const known = await all();
  const exact = known.filter((each) => idOf(each) === reference);
  const isEnough = reference.length >= SHORTEST_REFERENCE;
  const alike = isEnough ? known.filter((each) => idOf(each).startsWith(reference)) : [];
  const found = exact.length > 0 ? exact : alike;
  const [first] = found;
  if (first === undefined) {
    const [newest] = known.map((each) => /^[\da-f]{8}(?=-)|^.+/.exec(idOf(each))?.[0]);
    const latest = newest === undefined ? '' : `; the newest is ${newest}`;
    const isShort = !isEnough && known.some((each) => idOf(each).startsWith(reference));
    const need = isShort ? ` An abbreviated id needs ${SHORTEST_REFERENCE} characters.` : '';
    const sentence = `There is no ${noun} ${quote(reference)}${latest}.${need}`;
    throw new CliError(`unknown_${word}`, sentence, {
      exitCode: ExitCode.notFound,
      hint,
    });
  }
  if (found.length === 1) return first;
  const ids = found.map(idOf).join(', ');
  throw new CliError(
    `ambiguous_${word}`,
    `${found.length} ${noun.replace(' or ', 's or ')}s begin with ${reference}: ${ids}.`,
    {
      exitCode: ExitCode.ambiguous,
      hint: 'Type more of the id.',
    },
  );
}

/** The paths of the journals in a folder; none if there is no such folder. */
function journalsIn(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const journals = names.filter((name) => /^[0-9a-f]{32}\.ndjson$/.test(name));
  return journals.sort().map((name) => join(folder, name));
}
