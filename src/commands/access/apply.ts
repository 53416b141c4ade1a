import { basename } from 'node:path';
import { allowLockoutFlag, withRunFlags } from '../../change/flags.ts';
import { type Item, itemFor } from '../../change/item.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import { type Entry, listed, placeText } from '../../files/entry.ts';
import { adminFlag, shownProperties } from '../../model/access.ts';
import { userSteps } from '../../model/diff.ts';
import { detailsFor, refuseInvalid, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { groupBy, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { counted, sameName } from '../../model/text.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import { EVERY_PROPERTY, propertyFinder, sameAddress } from '../../people/facts.ts';
import { judgeReview, type Verdict, type WrittenRow } from '../../people/review.ts';
import { takes } from '../../service/dialect.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import type { PersonRows } from '../evidence/around.ts';
import { type NamedPerson, readNamed, runJob, withEvidenceFlags } from '../job.ts';
import { userItem } from '../users/access.ts';
import { readAccess } from './gather.ts';

/** `access apply <review...>`: carry out the decisions of a review. */
export function applyReview(context: Context) {
  const command = serviceCommand('apply', 'destroys', [
    'access apply review.csv --plan-only',
    'access apply review.csv --require-all --yes --max-deletes 5 --evidence evidence/',
    'access apply reviews/2026-h2/BER.csv reviews/2026-h2/VIE.csv --plan-only',
  ])
    .exitsWith('partlyDone')
    .summary('carry out the decisions of a review')
    .description(
      'Carry out the decisions of a review that `innctl access report --for-review -o csv` began: keep, revoke, disable or withdraw. A row whose access has changed since is a conflict. --evidence also keeps every row of the review with its outcome.',
    )
    .argument(
      '<review...>',
      'tables with the columns of the report and a decision per row (.csv, .xlsx); - for stdin',
    )
    .option('--plan-only', 'only show what the decisions would change')
    .option('--require-all', 'fail if a row has no decision');
  return withRunFlags(withEvidenceFlags(command).option(...allowLockoutFlag)).action(
    withSession(context, async (session, files, flags) => {
      await applyDecisions(session, files, flags);
    }),
  );
}

/** The flags of `access apply`, as typed. */
type ReviewFlags = ReturnType<ReturnType<typeof applyReview>['opts']>;

const COMMAND = 'access apply';

/** The columns that decide; the others are for people, who may add some. */
export const columns = [
  { name: 'row_id', isNeeded: true },
  { name: 'email', isNeeded: true },
  { name: 'subject_id' },
  { name: 'property', isColumn: true },
  { name: 'source', isNeeded: true },
  { name: 'decision', isColumn: true },
  { name: 'reviewer' },
  { name: 'comment' },
] as const;

/** What is planned about one user or invitation. */
interface Planned {
  readonly verdict: Verdict;
  readonly item: Item;
  readonly record: ServiceRecord | undefined;
}

/**
 * Carries out the decisions of a review: one patch for each user, and withdrawn invitations.
 *
 * @throws {CliError} exit 2 with all that is wrong in the file; what `runJob` throws.
 */
async function applyDecisions(session: Session, files: readonly string[], typed: ReviewFlags): Promise<void> {
  if (files.length > 1 && files.includes('-'))
    throw usageError('- reads one table from stdin: leave out the other files.');
  const { planOnly, ...flags } = typed;
  const job = { command: COMMAND, asked: { references: [], file: files }, flags } as const;
  const permits = planOnly ? undefined : 'updateUser';
  const hint = 'innctl access report --for-review -o csv > review.csv makes one.';
  const naming = { ...job, kind: 'user', columns, ignoresOthers: true, hint, problems: [], permits } as const;
  const { people, sha256 = '' } = await readNamed(naming, session);
  const plan = async () => {
    const { document, rows, verdicts, unreviewed } = await judged(people, files, flags, session);
    const planned = await planVerdicts(verdicts, document, session);
    const isKept = ({ item, verdict }: Planned) => item.action !== 'conflict' && isDecided(verdict);
    const file = files.map((each) => (each === '-' ? 'stdin' : basename(each))).join(', ');
    return {
      rows: planned.map(({ item }) => ({ item, names: [] })),
      people: peopleIn(planned.filter(isKept), document.items),
      review: { sha256, file, ...reviewOf(rows, planned, unreviewed) },
      cannotTell: [],
    };
  };
  const rehearsing = { ...session, globals: { ...session.globals, dryRun: true as const } };
  await runJob({ ...job, plan }, planOnly ? rehearsing : session);
}

/** Reads the account, and judges the decisions. @throws {CliError} exit 2. */
async function judged(
  people: readonly NamedPerson[],
  files: readonly string[],
  { requireAll }: Pick<ReviewFlags, 'requireAll'>,
  session: Session,
) {
  const [{ out }, where] = [session, listed(files)];
  const rows = people.flatMap(({ entry }) => (entry === undefined ? [] : writtenRow(entry)));
  const document = await readAccess(session);
  const { problems, verdicts, empty, unreviewed } = judgeReview(rows, document.items);
  const missing = (requireAll ? empty : []).flatMap(({ place }) =>
    detailsFor(`${placeText(place)}: decision`, 'is missing, and --require-all is given'),
  );
  refuseInvalid([...problems, ...missing]);
  if (empty.length > 0)
    await out.warn(`${counted(empty.length, 'row')} of ${where} without a decision: ${namesOf(empty)}.`);
  if (unreviewed.length > 0)
    await out.warn(
      `Access without a row, not reviewed or gained since: ${counted(unreviewed.length, 'entry', 'entries')}: ${namesOf(unreviewed)}.`,
    );
  return { document, rows, verdicts, unreviewed };
}

/** A row of a review as its file has it. */
export function writtenRow({ place, fields }: Pick<Entry, 'place' | 'fields'>): WrittenRow {
  const texts = columns.map(({ name }) => [name, String(fields[name] ?? '').trim()]);
  // A text for each of the columns.
  const row = Object.fromEntries(texts) as Omit<WrittenRow, 'place'>;
  return { ...row, place, decision: row.decision.toLowerCase() };
}

/** `ben@example.com at BER, paul@example.com` */
export function namesOf(rows: readonly Pick<Fact, 'email' | 'property'>[]): string {
  const names = rows.map(({ email, property }) => (property ? `${email} at ${property}` : email));
  return listed(names);
}

/** Whether a review takes something away. */
function isDecided({ rows }: Verdict): boolean {
  return rows.some(({ decision }) => decision !== '' && decision !== 'keep');
}

async function planVerdicts(
  verdicts: readonly Verdict[],
  { access, items: facts }: AccessDocument,
  session: Session,
): Promise<readonly Planned[]> {
  const find = propertyFinder(access.properties);
  const alike = groupBy(verdicts, ({ source, email }) => `${source} ${sameName(email)}`);
  return mapEach(verdicts, READERS, async (verdict) => {
    const { source, email, subjectId, place } = verdict;
    const [, another] = alike.get(`${source} ${sameName(email)}`) ?? [];
    const name = (another && subjectId) ?? email;
    const isRead = verdict.conflict === undefined && source === 'user' && isDecided(verdict);
    const record = isRead && subjectId !== undefined ? await session.api.users.read(subjectId) : undefined;
    const shown = source === 'invitation' ? invitationIn(facts, email) : record;
    const item = itemOf(name, verdict, shown, (reference) => find(reference).id, session);
    const entry = { kind: source, name, place, fields: {} };
    return { verdict, record, item: { ...item, name, entry } };
  });
}

function itemOf(
  name: string,
  { source: kind, conflict, withdraws, isGone, revokes, disables, subjectId }: Verdict,
  record: ServiceRecord | undefined,
  idOf: (reference: string) => string,
  { api }: Session,
): Item {
  const refused = (reason: string) => itemFor({ kind, name }, 'conflict', { reason });
  if (conflict !== undefined) return refused(conflict);
  if (withdraws && !isGone) return itemFor({ kind, name }, 'delete', { record, isReadBack: true });
  if (subjectId === undefined || record === undefined || (revokes.length === 0 && !disables))
    return itemFor({ kind, name }, 'same', { id: subjectId });
  const places = revokes.filter((each) => each !== EVERY_PROPERTY);
  const demotes = revokes.length > places.length;
  if (demotes && !takes(api.dialect, 'updateUser', adminFlag))
    return refused('no operation of this service takes full access from a user: disable the user');
  const lost = shownProperties(record).filter((each) => places.includes(idOf(each)));
  const wanted = { enabled: disables ? false : undefined, [adminFlag]: demotes ? false : undefined };
  const changes = {
    steps: userSteps(withoutHoles(wanted)),
    ...(lost.length > 0 && { removeProperties: lost }),
  };
  return { ...userItem(name, { id: subjectId, record }, changes), isReadBack: true };
}

/** The invitation to an address, as facts show it. */
function invitationIn(facts: readonly Fact[], email: string): ServiceRecord {
  const own = facts.filter((fact) => fact.source === 'invitation' && sameAddress(fact.email, email));
  const properties = own.flatMap(({ property: id }) => (id === null || id === EVERY_PROPERTY ? [] : [id]));
  const [{ roles, account_admin } = { roles: null, account_admin: false }] = own;
  return { email, roles, properties, [adminFlag]: account_admin };
}

/** The scope of a review, and what each of its rows decides: for the evidence. */
function reviewOf(written: readonly WrittenRow[], planned: readonly Planned[], left: readonly Fact[]) {
  const plans = new Map(planned.flatMap((each) => each.verdict.rows.map((row) => [row, each] as const)));
  const rows = written.flatMap((row) => {
    const { item, verdict } = plans.get(row) ?? {};
    return item === undefined ? [] : { row, item, isWhole: verdict?.disables || verdict?.withdraws };
  });
  const properties = [...new Set(written.map(({ property }) => property))].filter((id) => id !== '').sort();
  const not_reviewed = left.map(({ email, property, source }) => ({ email, property, source }));
  return { scope: { rows: rows.length, properties, not_reviewed }, rows };
}

/** An invitation belongs to the user of the same address. */
function peopleIn(changing: readonly Planned[], facts: readonly Fact[]): readonly PersonRows[] {
  const people = groupBy(changing, ({ verdict }) => sameName(verdict.email));
  const invited = facts.filter(({ source }) => source === 'invitation');
  return [...people.values()].map((own) => {
    const { verdict, record: user } = own.find(({ item }) => item.kind === 'user') ?? own[0];
    const invitations = invited.filter((fact) => sameAddress(fact.email, verdict.email));
    return { ...verdict, user, invitations, items: own.map(({ item }) => item) };
  });
}
