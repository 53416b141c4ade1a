import { basename } from 'node:path';
import { allowLockoutFlag, withRunFlags } from '../../change/flags.ts';
import { type Item, isPending, itemFor } from '../../change/item.ts';
import { mapEach } from '../../change/workers.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { refuseInvalid } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { type Entry, listed, type Place, placeText } from '../../files/entry.ts';
import { shownProperties } from '../../model/access.ts';
import { userSteps } from '../../model/diff.ts';
import { groupBy, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { counted, sameName } from '../../model/text.ts';
import type { AccessDocument, Fact } from '../../people/access-document.ts';
import { jobsLeftOpen } from '../../people/evidence.ts';
import { EVERY_PROPERTY, propertyFinder, sameAddress } from '../../people/facts.ts';
import { judgeReview, type Verdict, type WrittenRow } from '../../people/review.ts';
import { takes } from '../../service/dialect.ts';
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

/** Reads of single users at the same time. */
const WORKERS = 4;

const MOST_NAMED = 10;

/** The columns that decide; the others are for people, who may add some. */
const columns = [
  { name: 'row_id', isNeeded: true },
  { name: 'email', isNeeded: true },
  { name: 'subject_id' },
  { name: 'property', isColumn: true },
  { name: 'source', isNeeded: true },
  { name: 'decision', isColumn: true },
  { name: 'reviewer', isRemark: true },
  { name: 'comment', isRemark: true },
] as const;

/** What is planned about one user or invitation. */
interface Planned {
  readonly verdict: Verdict;
  readonly item: Item;
  readonly record: ServiceRecord | undefined;
  /** Whether a killed run left its evidence open. */
  readonly isOpen: boolean;
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
    const { document, verdicts, places, unreviewed } = await judged(people, file, flags, session);
    const planned = await planVerdicts(verdicts, places, document, flags.evidence, session);
    const isKept = ({ item, isOpen }: Planned) => isPending(item) || (isOpen && item.action === 'same');
    const name = file === '-' ? 'stdin' : basename(file);
    return {
      rows: planned.map(({ item }) => ({ item, names: [] })),
      people: peopleIn(planned.filter(isKept), document.items),
      review: { sha256, file: name, ...reviewOf(planned, places, unreviewed) },
      cannotTell: [],
    };
  };
  const rehearsing = { ...session, globals: { ...session.globals, dryRun: true as const } };
  await runJob({ ...job, plan }, planOnly ? rehearsing : session);
}

/** Reads the account, and judges the decisions. @throws {CliError} exit 2. */
async function judged(
  rows: readonly NamedPerson[],
  file: string,
  { requireAll }: Pick<ReviewFlags, 'requireAll'>,
  session: Session,
) {
  const { out } = session;
  const entries = rows.flatMap(({ entry }) => entry ?? []);
  const places = new Map(entries.map(({ place }) => [placeText(place), place]));
  const document = await readAccess(session);
  const { problems, verdicts, empty, unreviewed } = judgeReview(
    entries.map(({ place, fields }) => rowOf(placeText(place), fields)),
    document.items,
  );
  const reason = 'is missing, and --require-all is given';
  const missing = requireAll ? empty.map(({ place }) => ({ field: `${place}: decision`, reason })) : [];
  refuseInvalid([...problems, ...missing]);
  if (empty.length > 0)
    await out.warn(`${counted(empty.length, 'row')} of ${file} without a decision: ${namesOf(empty)}.`);
  if (unreviewed.length > 0)
    await out.warn(
      `Access without a row, not reviewed or gained since: ${counted(unreviewed.length, 'entry', 'entries')}: ${namesOf(unreviewed)}.`,
    );
  return { document, verdicts, places, unreviewed };
}

function rowOf(place: string, fields: Readonly<Record<string, unknown>>): WrittenRow {
  const texts = columns.map(({ name }) => [name, String(fields[name] ?? '').trim()]);
  // A text for each of the columns.
  const row = Object.fromEntries(texts) as Omit<WrittenRow, 'place'>;
  return { ...row, place, decision: row.decision.toLowerCase() };
}

/** `ben@example.com at BER, paul@example.com` */
function namesOf(rows: readonly { readonly email: string; readonly property: string | null }[]): string {
  const names = rows.map(({ email, property }) => (property ? `${email} at ${property}` : email));
  return listed(names, MOST_NAMED);
}

/** @param folder of the evidence. */
async function planVerdicts(
  verdicts: readonly Verdict[],
  places: ReadonlyMap<string, Place>,
  { access }: AccessDocument,
  folder: string | undefined,
  session: Session,
): Promise<readonly Planned[]> {
  const find = propertyFinder(access.properties);
  const isLeftOpen = folder === undefined ? () => false : jobsLeftOpen(folder, COMMAND);
  const alike = groupBy(verdicts, ({ source, email }) => `${source} ${sameName(email)}`);
  return mapEach(verdicts, WORKERS, async (verdict) => {
    const { source, email, subjectId, place } = verdict;
    const [, another] = alike.get(`${source} ${sameName(email)}`) ?? [];
    const name = (another && subjectId) ?? email;
    const at = places.get(place);
    const entry: Entry | undefined = at && { kind: source, name, place: at, fields: {} };
    const isOpen = isLeftOpen({ person: { email, subject_id: subjectId } });
    const isRead =
      verdict.conflict === undefined && (isOpen || verdict.revokes.length > 0 || verdict.disables);
    const record = isRead && subjectId !== undefined ? await session.api.users.read(subjectId) : undefined;
    const item = itemOf(name, verdict, record, (reference) => find(reference).id, session);
    return { verdict, record, isOpen, item: { ...item, name, entry } };
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
  if (demotes && !takes(api.dialect, 'updateUser', 'is_account_admin'))
    return refused('no operation of this service takes full access from a user: disable the user');
  const lost = shownProperties(record).filter((each) => places.includes(idOf(each)));
  const wanted = { enabled: disables ? false : undefined, is_account_admin: demotes ? false : undefined };
  const changes = {
    steps: userSteps(withoutHoles(wanted)),
    ...(lost.length > 0 && { removeProperties: lost }),
  };
  return { ...userItem(name, { id: subjectId, record }, changes), isReadBack: true };
}

/** The scope of a review, and what each of its rows decides, in the order of the file: for the evidence. */
function reviewOf(planned: readonly Planned[], places: ReadonlyMap<string, Place>, left: readonly Fact[]) {
  const decided = planned.flatMap(({ verdict, item }) =>
    verdict.rows.map((row) => ({ row, item, isWhole: verdict.disables || verdict.withdraws })),
  );
  const byPlace = new Map(decided.map((each) => [each.row.place, each]));
  const rows = [...places.keys()].flatMap((place) => byPlace.get(place) ?? []);
  const properties = [...new Set(decided.map(({ row }) => row.property))].filter((id) => id !== '').sort();
  const not_reviewed = left.map(({ email, property, source }) => ({ email, property, source }));
  return { scope: { rows: rows.length, properties, not_reviewed }, rows };
}

/** An invitation belongs to the user of the same address. */
function peopleIn(changing: readonly Planned[], facts: readonly Fact[]): readonly PersonRows[] {
  const users = changing.filter(({ item }) => item.kind === 'user');
  const invited = changing.filter(({ item }) => item.kind === 'invitation');
  const userOf = ({ verdict: { email } }: Planned) =>
    users.find(({ verdict }) => sameAddress(verdict.email, email));
  const people = groupBy([...users, ...invited], (each) =>
    each.item.kind === 'user' ? each : (userOf(each) ?? each),
  );
  const invitations = groupBy(
    facts.filter(({ source }) => source === 'invitation'),
    ({ email }) => sameName(email),
  );
  return [...people].map(([{ verdict, record: user }, own]) => ({
    ...{ email: verdict.email, subjectId: verdict.subjectId, user },
    invitations: invitations.get(sameName(verdict.email)) ?? [],
    items: own.map(({ item }) => item),
  }));
}
