import type { Execution } from '../../change/execute.ts';
import { type Item, isPending, type Result } from '../../change/item.ts';
import { readListing } from '../../change/listing.ts';
import type { Conclusion } from '../../change/report.ts';
import { unlessFault } from '../../change/row.ts';
import { targetIn } from '../../change/rows.ts';
import { itemJson } from '../../change/saved-plan.ts';
import { placeText } from '../../files/entry.ts';
import { errorText } from '../../model/errors.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { counted, sameName } from '../../model/text.ts';
import { type OpenStart, openEvidence } from '../../people/evidence.ts';
import type { WrittenRow } from '../../people/review.ts';
import type { SentWrite } from '../../service/exchange.ts';
import type { Session } from '../../session/session.ts';

/** A person of a job, with the rows about them. */
export interface PersonRows {
  /** '' where the service shows none. */
  readonly email: string;
  readonly subjectId: string | undefined;
  readonly user: ServiceRecord | undefined;
  readonly invitations: readonly ServiceRecord[];
  readonly items: readonly Item[];
  /** Those of the person, in place of those of the job. */
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
}

/** A review, with the row of the plan for each of its rows. */
interface Review {
  readonly sha256: string;
  readonly file: string;
  readonly scope: ServiceRecord;
  /** `isWhole`: a decision about the whole record, in one of its rows. */
  readonly rows: readonly {
    readonly row: WrittenRow;
    readonly item: Item;
    readonly isWhole: boolean | undefined;
  }[];
}

/** What evidence is kept of. */
export interface Witnessed {
  /** Whose evidence can be kept, with the rows about them. */
  readonly people?: readonly PersonRows[];
  /** The review that is carried out. */
  readonly review?: Review;
  /** What no operation shows or ends, in sentences: for the evidence, and said when something was sent. */
  readonly cannotTell?: readonly string[];
}

/** What the evidence of a job has besides its people: `job` are the words of the command. */
type AboutJob = Readonly<
  Record<'folder' | 'job' | 'run', string> & Record<'reason' | 'ticket', string | undefined>
>;

type Results = ReadonlyMap<Item, Result>;

/**
 * Keeps evidence of the people of a job: what is known of everybody is on the disk before the first request, and each person's
 * document is written when the last of their rows has ended. From here on the session keeps what it sends.
 *
 * @throws {CliError} as `openEvidence`; nothing was sent.
 */
export async function keepEvidence(
  { people = [], review, cannotTell = [] }: Witnessed,
  { folder, ...job }: AboutJob,
  session: Session,
) {
  const { api, context } = session;
  const self = await api.users.self().catch(unlessFault);
  const actor = self === undefined ? null : { email: self.email, subject_id: self.subjectId };
  const { identity_url, base_url, account } = await targetIn(session, { prune: false });
  const about = { ...job, service: { identity_url, base_url, account, dialect: api.dialect.name }, actor };
  const { uid, clock, signal, redactor } = context;
  const open = new Map(people.map((person) => [person, subjectOf(person)]));
  const reviewed = review === undefined ? [] : [{ review: reviewEvidence(review), planned: [] }];
  const options = { uid, now: clock.now, signal, clean: redactor.text };
  const evidence = await openEvidence(folder, about, [...open.values(), ...reviewed], options);
  const writes = session.keepWrites();
  const results = new Map<Item, Result>();
  let documents = 0;
  const keep = (result: Result) => results.set(result.item, result);
  const finish = async (person: PersonRows) => {
    const after = await afterOf(person, results, api);
    const subject = open.get(person);
    if (subject === undefined) return;
    const earlier_starts = evidence.earlier(subject);
    const verdicts = person.items.map((item) => verdictOf(item, results));
    const requests = requestsAbout(writes, subject.person, after.user?.['subject_id']);
    const cannot_tell = [...cannotTell, ...earlier_starts.map(killedText)];
    evidence.finish({ ...subject, earlier_starts, requests, after, verdicts, cannot_tell });
    open.delete(person);
    documents += 1;
  };
  return {
    ended: async (result: Result): Promise<void> => {
      keep(result);
      for (const person of people.filter(({ items }) => items.includes(result.item)))
        if (person.items.filter(isPending).every((each) => results.has(each))) await finish(person);
    },
    conclude: async (execution: Execution): Promise<Conclusion> => {
      execution.results.forEach(keep);
      const failures: unknown[] = [];
      for (const person of [...open.keys()])
        await finish(person).catch((error: unknown) => failures.push(error));
      try {
        if (review !== undefined) evidence.finish({ review: reviewEvidence(review, results) });
        documents += reviewed.length;
      } catch (error) {
        failures.push(error);
      }
      const notes = [`Evidence: ${counted(documents, 'document')} in ${folder}.`];
      return { facts: { evidence: folder }, notes, failure: failures[0] };
    },
    close: evidence.close,
  };
}

/** @param results of the run, once it is over. */
function reviewEvidence({ rows, ...about }: Review, results?: Results) {
  const outcomeOf = ({ row: { decision }, item, isWhole }: Review['rows'][number], known: Results) => {
    const { outcome, error } = verdictOf(item, known);
    if (decision === '' && !isWhole) return { outcome: 'undecided' };
    if (item.action === 'conflict') return { outcome: 'conflict', error };
    return decision === 'keep' ? { outcome: 'kept' } : { outcome, error };
  };
  const decided = rows.map((each) => {
    const { subject_id: id, ...row } = { ...each.row, place: placeText(each.row.place) };
    return { ...row, ...(id === '' ? {} : { subject_id: id }), ...(results && outcomeOf(each, results)) };
  });
  return { ...about, rows: decided };
}

/** A person before the first write: the records, and what the plan wants to do. */
function subjectOf({ email, subjectId, user, invitations, items, reason, ticket }: PersonRows) {
  return {
    person: { email, subject_id: subjectId },
    before: { user: user ?? null, invitations },
    planned: items.filter(isPending).map(itemJson),
    ...withoutHoles({ reason, ticket }),
  };
}

/** The writes to the address of a person or the user, who may have accepted an invitation meanwhile. */
function requestsAbout(
  writes: readonly SentWrite[],
  { email, subject_id: id }: ReturnType<typeof subjectOf>['person'],
  later: unknown,
) {
  const names = [email, id, later].flatMap((name) => (name ? sameName(String(name)) : []));
  return writes.flatMap(({ ids, ...request }) => {
    const { body } = request;
    const inBody = isRecord(body) && typeof body['email'] === 'string' ? [body['email']] : [];
    return [...ids, ...inBody].some((each) => names.includes(sameName(each))) ? request : [];
  });
}

function killedText({ began, run }: OpenStart): string {
  const where = run === undefined ? 'not known' : `in its journal: innctl runs show ${run}`;
  return `The job was begun at ${began} and killed; what was sent then is ${where}.`;
}

/** The records after the rows about a person; `null` for what could not be read. */
async function afterOf(
  { email, user, invitations, items }: PersonRows,
  results: Results,
  api: Session['api'],
) {
  const sent = items
    .flatMap((item) => results.get(item) ?? [])
    .filter(({ item, outcome }) => isPending(item) && outcome !== 'not_attempted');
  // The last one, if the invitation of a user was accepted.
  const changed = sent.findLast(({ item, id }) => item.kind === 'user' || id !== undefined);
  const invited = sent.find(({ item }) => item.kind === 'invitation');
  const isGone = invited?.item.action === 'delete' && invited.readBack?.verification === 'confirmed';
  const orNull = (error: unknown) => unlessFault(error) ?? null;
  const readUser = async (id: string) => changed?.readBack?.record ?? api.users.read(id).catch(orNull);
  const readInvitations = () =>
    readListing('invitation', api.invitations.listAll()).then((all) => all.withName(email), orNull);
  return {
    user: changed?.id === undefined ? (user ?? null) : await readUser(changed.id),
    invitations: invited === undefined ? invitations : isGone ? [] : await readInvitations(),
  };
}

/** How one part of the job ended. */
function verdictOf(item: Item, results: Results) {
  const { outcome, error, readBack, item: sent } = results.get(item) ?? { item, outcome: 'done' };
  const fields = sent.changes.map(({ field }) => field).join(', ');
  const seen = readBack?.verification ?? 'confirmed';
  const doubt = seen === 'confirmed' ? undefined : `accepted, and ${seen.replaceAll('_', ' ')}`;
  return {
    what: `${sent.action} ${sent.kind} ${sent.name}${fields === '' ? '' : `: ${fields}`}`,
    outcome: outcome === 'done' && !isPending(sent) ? 'unchanged' : outcome,
    error: error === undefined ? doubt : errorText(error),
  };
}
