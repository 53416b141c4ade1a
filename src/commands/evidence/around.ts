import { CliError } from '../../cli/errors.ts';
import { Interruption } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { counted } from '../../model/text.ts';
import type { EvidenceSubject, Verdict } from '../../people/evidence.ts';
import { sameAddress } from '../../people/facts.ts';
import type { Execution } from '../../seed/execute.ts';
import { type Item, isPending } from '../../seed/item.ts';
import { errorText, itemJson, type Result } from '../../seed/item-json.ts';
import { emailOf } from '../../service/find-user.ts';
import type { Conclusion } from '../apply/report.ts';
import type { Begun } from '../several/journalled.ts';
import type { EvidenceFlags } from './flags.ts';
import { keepEvidence } from './keep.ts';

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

/** What the evidence of a job has besides its people. */
interface AboutJob extends Omit<EvidenceFlags, 'evidence'> {
  /** Default: no evidence is kept. */
  readonly folder: string | undefined;
  /** The words of the command. */
  readonly job: string;
  readonly runId: string;
  readonly cannotTell: readonly string[];
}

/**
 * Keeps evidence around the rows of `runJob`: what is known of everybody is on the disk before the first request, and each
 * person's document is completed when the last of their rows has ended.
 *
 * @throws {CliError} as `keepEvidence` and its `begin`; nothing was sent.
 */
export async function keepAround(
  people: readonly PersonRows[],
  { folder, job, runId, cannotTell, reason, ticket }: AboutJob,
  session: Session,
): Promise<Begun> {
  const { api } = session;
  const conclusion = ({ results }: Execution): Conclusion => {
    const isSent = results.some(({ item, outcome }) => isPending(item) && outcome === 'done');
    return { facts: { cannot_tell: cannotTell }, notes: isSent ? cannotTell : [] };
  };
  if (folder === undefined) return { conclude: async (execution) => conclusion(execution) };
  const self = await api.users.self().catch(unlessBug);
  const actor = self === undefined ? null : { email: self.email, subject_id: self.subjectId };
  const evidence = await keepEvidence(folder, { job, run: runId, actor, reason, ticket }, session);
  const subjects = new Map(people.map((person) => [person, subjectOf(person)]));
  const open = new Set(people);
  const results = new Map<Item, Result>();
  let count = 0;
  const finish = async (person: PersonRows) => {
    const after = await afterOf(person, results, api);
    const subject = subjects.get(person);
    if (subject === undefined || !open.delete(person)) return;
    const verdicts = person.items.map((item) => verdictOf(item, results.get(item)));
    evidence.finish(subject, { after, verdicts, cannot_tell: cannotTell });
    count += 1;
  };
  const hasEnded = ({ items }: PersonRows) => items.filter(isPending).every((item) => results.has(item));
  try {
    evidence.begin([...subjects.values()]);
    for (const person of people.filter(hasEnded)) await finish(person);
  } catch (error) {
    evidence.close();
    throw error;
  }
  return {
    ended: async (result) => {
      results.set(result.item, result);
      for (const person of people.filter(({ items }) => items.includes(result.item)).filter(hasEnded))
        await finish(person);
    },
    conclude: async (execution) => {
      for (const result of execution.results) results.set(result.item, result);
      const failures: unknown[] = [];
      for (const person of [...open]) await finish(person).catch((error: unknown) => failures.push(error));
      const { facts, notes = [] } = conclusion(execution);
      return {
        facts: { evidence: folder, ...facts },
        notes: [`Evidence: ${counted(count, 'file')} in ${folder}.`, ...notes],
        failure: failures[0],
      };
    },
    close: evidence.close,
  };
}

function subjectOf({
  email,
  subjectId,
  user,
  invitations,
  items,
  reason,
  ticket,
}: PersonRows): EvidenceSubject {
  const planned = items.filter(isPending).map(itemJson);
  return {
    email,
    subject_id: subjectId,
    before: { user: user ?? null, invitations },
    planned,
    reason,
    ticket,
  };
}

/** The records after the rows about a person; `null` for what could not be read. */
async function afterOf(
  { email, user, invitations, items }: PersonRows,
  results: ReadonlyMap<Item, Result>,
  api: Session['api'],
) {
  const sent = items
    .flatMap((item) => results.get(item) ?? [])
    .filter(({ item, outcome }) => isPending(item) && outcome !== 'not_attempted');
  const changed = sent.find(({ item }) => item.kind === 'user');
  const invited = sent.find(({ item }) => item.kind === 'invitation');
  const isGone = invited?.item.action === 'delete' && invited.readBack?.verification === 'confirmed';
  const orNull = (error: unknown) => unlessBug(error) ?? null;
  const id = changed?.id;
  return {
    user:
      id === undefined
        ? (user ?? null)
        : (changed?.readBack?.record ?? (await api.users.read(id).catch(orNull))),
    invitations:
      invited === undefined ? invitations : isGone ? [] : await invitationsTo(email, api).catch(orNull),
  };
}

async function invitationsTo(
  email: string,
  { invitations }: Session['api'],
): Promise<readonly ServiceRecord[]> {
  const found: ServiceRecord[] = [];
  for await (const { items } of invitations.listAll())
    found.push(...items.filter((invitation) => sameAddress(emailOf(invitation) ?? '', email)));
  return found;
}

function verdictOf(
  item: Item,
  { outcome, error, readBack }: Pick<Result, 'outcome' | 'error' | 'readBack'> = { outcome: 'done' },
): Verdict {
  const fields = item.changes.map(({ field }) => field).join(', ');
  const seen = readBack?.verification ?? 'confirmed';
  const doubt = seen === 'confirmed' ? undefined : `accepted, and ${seen.replaceAll('_', ' ')}`;
  return {
    what: `${item.action} ${item.kind} ${item.name}${fields === '' ? '' : `: ${fields}`}`,
    outcome: outcome === 'done' && !isPending(item) ? 'unchanged' : outcome,
    error: error === undefined ? doubt : errorText(error),
  };
}

/** For `catch`: what cannot be read is not known. */
function unlessBug(error: unknown): undefined {
  if (!(error instanceof CliError || error instanceof Interruption)) throw error;
}
