import { basename } from 'node:path';
import { allowLockoutFlag, withRunFlags } from '../../change/flags.ts';
import { type Item, itemFor } from '../../change/item.ts';
import { mapEach, READERS } from '../../change/workers.ts';
import { type Entry, listed, placeText } from '../../files/entry.ts';
import { adminFlag, shownProperties } from '../../model/access.ts';
import { userSteps } from '../../model/diff.ts';
import { detailsFor, refuseInvalid } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { groupBy, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { counted, sameName } from '../../model/text.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import { EVERY_PROPERTY, propertyFinder, sameAddress } from '../../people/facts.ts';
import { judgeReview, type Verdict, type WrittenRow } from '../../people/review.ts';
import { takes } from '../../service/dialect.ts';
import { serviceCommand } from '../../session/described-command.ts';
import { type Session, withSession } from '../../session/session.ts';
import type { PersonRows } from '../evidence/around.ts';
import { type NamedPerson, readNamed, runJob, withEvidenceFlags } from '../job.ts';
import { userItem } from '../users/access.ts';
import { readAccess } from './gather.ts';

/** `access apply <review>`: carry out the decisions of a review. */
export function applyReview(context: Context) {
  const command = serviceCommand('apply', 'destroys', [
    'access apply review.csv --plan-only',
    'access apply review.csv --require-all --yes --max-deletes 5 --evidence evidence/',
  ])
    .exitsWith('partlyDone')
    .summary('carry out the decisions of a review')
    .description(
      'Carry out the decisions of a review that `innctl access report --for-review -o csv` began: keep, revoke, disable or withdraw. A row whose access has changed since is a conflict. --evidence also keeps every row of the review with its outcome.',
    )
    .argument(
      '<review>',
      'table with the columns of the report and a decision per row (.csv, .xlsx); - for stdin',
    )
    .option('--plan-only', 'only show what the decisions would change')
    .option('--require-all', 'fail if a row has no decision');
  return withRunFlags(withEvidenceFlags(command).option(...allowLockoutFlag)).action(
    withSession(context, async (session, file, flags) => {
      await applyDecisions(session, file, flags);
    }),
  );
}

/** The flags of `access apply`, as typed. */
type ReviewFlags = ReturnType<ReturnType<typeof applyReview>['opts']>;

const COMMAND = 'access apply';

/** The columns that decide; the others are for people, who may add some. */
const columns = [
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
async function applyDecisions(session: Session, file: string, typed: ReviewFlags): Promise<void> {
  const { planOnly, ...flags } = typed;
  const job = { command: COMMAND, asked: { references: [], file }, flags } as const;
  const permits = planOnly ? undefined : 'updateUser';
  const hint = 'innctl access report --for-review -o csv > review.csv makes one.';
  const naming = { ...job, kind: 'user', columns, ignoresOthers: true, hint, problems: [], permits } as const;
  const { people, sha256 = '' } = await readNamed(naming, session);
  const plan = async () => {
    const { document, rows, verdicts, unreviewed } = await judged(people, file, flags, session);
    const planned = await planVerdicts(verdicts, document, session);
    const isKept = ({ item, verdict }: Planned) => item.action !== 'conflict' && isDecided(verdict);
    const name = file === '-' ? 'stdin' : basename(file);
    return {
      rows: planned.map(({ item }) => ({ item, names: [] })),
      people: peopleIn(planned.filter(isKept), document.items),
      review: { sha256, file: name, ...reviewOf(rows, planned, unreviewed) },
      cannotTell: [],
    };
  };
  const rehearsing = { ...session, globals: { ...session.globals, dryRun: true as const } };
  await runJob({ ...job, plan }, planOnly ? rehearsing : session);
}

/** Reads the account, and judges the decisions. @throws {CliError} exit 2. */
async function judged(
  people: readonly NamedPerson[],
  file: string,
  { requireAll }: Pick<ReviewFlags, 'requireAll'>,
  session: Session,
) {
  const { out } = session;
  const rows = people.flatMap(({ entry }) => (entry === undefined ? [] : rowOf(entry)));
  const document = await readAccess(session);
  const { problems, verdicts, empty, unreviewed } = judgeReview(rows, document.items);
  const missing = (requireAll ? empty : []).flatMap(({ place }) =>
    detailsFor(`${placeText(place)}: decision`, 'is missing, and --require-all is given'),
  );
  refuseInvalid([...problems, ...missing]);
  if (empty.length > 0)
    await out.warn(`${counted(empty.length, 'row')} of ${file} without a decision: ${namesOf(empty)}.`);
  if (unreviewed.length > 0)
    await out.warn(
      `Access without a row, not reviewed or gained since: ${counted(unreviewed.length, 'entry', 'entries')}: ${namesOf(unreviewed)}.`,
    );
  return { document, rows, verdicts, unreviewed };
}

function rowOf({ place, fields }: Entry): WrittenRow {
  const texts = columns.map(({ name }) => [name, String(fields[name] ?? '').trim()]);
  // A text for each of the columns.
  const row = Object.fromEntries(texts) as Omit<WrittenRow, 'place'>;
  return { ...row, place, decision: row.decision.toLowerCase() };
}

/** `ben@example.com at BER, paul@example.com` */
function namesOf(rows: readonly { readonly email: string; readonly property: string | null }[]): string {
  const names = rows.map(({ email, property }) => (property ? `${email} at ${property}` : email));
  return listed(names);
}

/** Whether a review takes something away. */
function isDecided({ rows }: Verdict): boolean {
  return rows.some(({ decision }) => decision !== '' && decision !== 'keep');
}

async function planVerdicts(
  verdicts: readonly Verdict[],
  { access }: AccessDocument,
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
    const item = itemOf(name, verdict, record, (reference) => find(reference).id, session);
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
  if (withdraws && !isGone) return itemFor({ kind, name }, 'delete', { isReadBack: true });
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
