import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { reductionBy } from '../../model/access-change.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { andList, counted, firstOf, quote } from '../../model/text.ts';
import { sameCommand, shellLine } from '../../print/text.ts';
import { isInDoubt } from '../../seed/creation-rules.ts';
import type { Entry } from '../../seed/entry.ts';
import { stdinFolder } from '../../seed/files.ts';
import type { Memory, Recalled } from '../../seed/history.ts';
import { type Consequences, consequencesOf, type Item, isPending } from '../../seed/item.ts';
import { entryKinds } from '../../seed/kind.ts';
import { type LockoutRule, openLockoutRule } from '../../seed/lockout-rows.ts';
import { resolveRow } from '../../seed/row.ts';
import { refuseIfChanged } from '../../seed/saved-plan.ts';
import { emailOf } from '../../service/find-user.ts';
import { lockoutError } from '../../service/lockout.ts';
import type { OperationId } from '../../service/operations.ts';
import { lifeActions } from '../../service/properties.ts';
import type { Api } from '../../service/service.ts';
import { serviceFlags } from '../lines.ts';
import type { PlanFlags } from '../plan/flags.ts';
import { hostsOf, makePlan, UNDETERMINED } from '../plan/make-plan.ts';
import { consentOutline } from '../plan/outline.ts';
import { consequenceLines, planSentence } from '../plan/print.ts';
import { labelOf } from './end.ts';
import type { AskedRun, JournalledRun } from './run.ts';

const MOST_NAMED = 20;

/** What rules about a plan need of its run. */
interface PlannedRun extends Pick<AskedRun, 'session'> {
  readonly flags: Pick<AskedRun['flags'], 'allowLockout'>;
}

/**
 * Makes the plan and checks it against limits and guards. It is not confirmed yet.
 *
 * @throws {CliError} if it exceeds a limit or differs from the saved plan; nothing was sent.
 */
export async function planRun(run: AskedRun, memory: Recalled) {
  const { flags } = run;
  const items = await makePlan(run, memory);
  if (flags.plan !== undefined) await refuseOtherPlan(flags.plan, items, memory, run);
  return { items, lockout: await checkPlan(items, memory, run) };
}

/**
 * Checks a plan against guards, lock-outs and limits.
 *
 * @param isByName destructive rows are confirmed by name, and need no --max-deletes.
 * @throws {CliError} exit 11; nothing was sent.
 */
export async function checkPlan(
  items: readonly Item[],
  memory: Memory,
  run: JournalledRun,
  isByName = false,
): Promise<LockoutRule> {
  refuseForbidden(items.filter(isPending).map(operationOf), run.session.api.permit);
  // Before the limits: a hint to raise a limit is useless for a plan that is refused anyway.
  const lockout = await refuseLockout(items, run);
  refuseDoubtful(items, memory, run);
  if (!isByName) refuseDeletes(items, run);
  refuseChanges(items, run);
  return lockout;
}

/** @throws {CliError} if the plan differs from the saved one. */
async function refuseOtherPlan(
  path: string,
  items: readonly Item[],
  memory: Recalled,
  run: AskedRun,
): Promise<void> {
  const runId = run.flags.runId ?? memory.runId;
  const redirection = path === '-' ? '' : ` > ${shellLine([path])}`;
  await refuseIfChanged(path, items, run.target, {
    stdin: run.session.context.stdin,
    planAgain: `${run.review} --json${redirection}`,
    underWay: new Set(
      items.filter(({ kind, name }) => runId !== undefined && memory.recall(kind, name)?.sentIn === runId),
    ),
  });
}

type Permit = Api['permit'];

/** An operation, and the ids and bodies that guards judge. */
type Asked = readonly [id: OperationId, ...about: (string | ServiceRecord)[]];

/**
 * Checks the guards for the kinds of the entries before anything is read.
 *
 * @throws {CliError} `blocked`, exit 11.
 */
export function permitKinds(entries: readonly Entry[], prune: boolean, permit: Permit): void {
  const asked = [...new Set(entries.map(({ kind }) => entryKinds[kind].operation))].map((id): Asked => [id]);
  refuseForbidden(prune ? [...asked, ['deleteProperty']] : asked, permit);
}

/** The operation of a pending row. */
export function operationOf(item: Item): Asked {
  const { kind, action, name, id = name, life, record = {} } = item;
  const { operation, change = operation, deletion = operation } = entryKinds[kind];
  const { body } = resolveRow(item, new Map(), new Map());
  if (action === 'create') return [operation, name, body];
  if (life !== undefined) return [lifeActions[life].operation, id, name];
  if (action === 'change') return [change, id, name, emailOf(record) ?? name, body];
  return kind === 'invitation' ? [deletion, name] : [deletion, id, name];
}

/** @throws {CliError} `blocked`, exit 11, listing all that the guards forbid. */
export function refuseForbidden(asked: readonly Asked[], permit: Permit): void {
  const refusals = new Map<string, CliError>();
  for (const [id, ...about] of asked) {
    try {
      permit(id, ...about);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refusals.set(error.message, error);
    }
  }
  const [first, second] = refusals.values();
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = firstOf([...refusals.keys()], MOST_NAMED).map((line) => `  ${line}`);
  throw first.with({ message: ['The settings forbid this; nothing was sent:', ...lines].join('\n') });
}

/**
 * Checks together all rows that disable or demote users. Disabled users need --max-deletes in any case; to take full access
 * away without knowing the effect needs consent by name, as in other commands.
 *
 * @throws {CliError} `lockout`, exit 11, listing the rows; `consent_missing` if it cannot be determined and --max-deletes does
 *   not apply; nothing was sent.
 */
export async function refuseLockout(items: readonly Item[], run: PlannedRun): Promise<LockoutRule> {
  const { api, out, globals } = run.session;
  const lifted = (addresses: string) => again(run, '--allow-lockout', addresses);
  const rule = await openLockoutRule(items, api.users, run.flags.allowLockout, lifted);
  const { judgement, hit } = rule;
  if (judgement.verdict === 'safe') return rule;
  const detailsOf = (rows: typeof hit) =>
    rows.map(({ item }) => ({ field: labelOf(item), reason: 'would lose access' }));
  const error = lockoutError(judgement, lifted);
  if (error !== undefined) {
    throw error.with({ details: detailsOf(hit) });
  }
  await out.warn(UNDETERMINED);
  const demoted = hit.filter(({ item }) => reductionBy(item.steps)?.disables === undefined);
  if (globals.dryRun === true || demoted.length === 0) return rule;
  const names = demoted.map(({ person: { subjectId, email = subjectId } }) => email);
  const sentence = `This may leave no enabled account admin: ${names.join(', ')}. Nothing was sent.`;
  const hint = `To consent by name: ${lifted(names.join(','))}`;
  const details = detailsOf(demoted);
  throw new CliError('consent_missing', sentence, { exitCode: ExitCode.blocked, hint, details });
}

/**
 * Refuses entries whose existence cannot be determined. Rows left in doubt by an earlier run stay unknown and do not block the
 * others.
 */
function refuseDoubtful(items: readonly Item[], memory: Memory, run: JournalledRun): void {
  const doubtful = items.filter(
    ({ action, kind, name, error }) =>
      action === 'cannot_tell' && error === undefined && !isInDoubt(memory.recall(kind, name)),
  );
  if (doubtful.length === 0) return;
  const details = doubtful.slice(0, MOST_NAMED).map(({ name, entry, reason = 'cannot be determined' }) => {
    return { field: labelOf({ name: quote(name), entry }), reason };
  });
  const more = doubtful.length > MOST_NAMED ? ` (and ${doubtful.length - MOST_NAMED} more)` : '';
  const rows = doubtful.length === 1 ? 'one row is' : `${doubtful.length} rows are`;
  const sentence = `Cannot determine whether ${rows} there already${more}; nothing was sent.`;
  const hint = `To create them anyway: ${again(run, '--assume-new')}`;
  throw new CliError('cannot_tell', sentence, { exitCode: ExitCode.blocked, details, hint });
}

/** Refuses more deletions and disabled users than --max-deletes allows; a dry run needs no consent. */
export function refuseDeletes(
  items: readonly Item[],
  run: Pick<JournalledRun, 'session' | 'flags' | 'review'>,
): void {
  const { deletes, disables } = consequencesOf(items);
  const { maxDeletes: allowed } = run.flags;
  const needed = deletes.length + disables.length;
  const isRehearsal = run.session.globals.dryRun === true;
  if (needed <= (allowed ?? (isRehearsal ? needed : 0))) return;
  const all = [
    ...deletes.map((item) => ({ field: labelOf(item), reason: 'is deleted' })),
    ...disables.map((item) => ({ field: labelOf(item), reason: 'is disabled' })),
  ];
  const [code, most, hint] =
    allowed === undefined
      ? ['consent_missing', '', `To allow it: ${again(run, '--max-deletes', String(needed))}`]
      : ['too_many_changes', `, not ${allowed}`, `To review it: ${run.review}`];
  const sentence = `The plan has ${risksText({ deletes, disables })}: that needs --max-deletes ${needed}${most}; nothing was sent.`;
  throw new CliError(code, sentence, { exitCode: ExitCode.blocked, details: all.slice(0, MOST_NAMED), hint });
}

/** Refuses more changed rows than --max-changes allows. */
function refuseChanges(items: readonly Item[], run: JournalledRun): void {
  const changes = items.filter(isPending).length;
  const { maxChanges } = run.flags;
  if (changes <= maxChanges) return;
  const sentence = `The plan has ${counted(changes, 'change')}, and --max-changes allows ${maxChanges}; nothing was sent.`;
  throw new CliError('too_many_changes', sentence, {
    exitCode: ExitCode.blocked,
    hint: `To review it: ${run.review}`,
  });
}

/** The `innctl plan` command line for a run. @param flags as typed. */
export function planLine({
  session,
  files,
  flags,
}: Pick<AskedRun, 'session' | 'files'> & { readonly flags: PlanFlags }): string {
  const { map = [], hidden, assumeNew, prune, runId } = flags;
  return shellLine([
    'innctl',
    ...serviceFlags(session.globals),
    'plan',
    ...files.map((file) => (stdinFolder(file) === undefined ? file : '-')),
    ...map.flatMap((word) => ['--map', word]),
    ...(hidden === true ? ['--hidden'] : []),
    ...(assumeNew === true ? ['--assume-new'] : []),
    ...(prune === true ? ['--prune'] : []),
    ...(runId === undefined ? [] : ['--run-id', runId]),
  ]);
}

/** The current command line with more flags, and a note if it needs the same input. */
export function again({ session }: Pick<AskedRun, 'session'>, ...more: readonly string[]): string {
  const { argv } = session.context;
  return `${sameCommand(argv, ...more)}${argv.includes('-') ? ' (with the same input)' : ''}`;
}

/**
 * Shows a plan and asks for consent; with --yes only shows its risks.
 *
 * @param more the command that shows all of a long plan, if there is one.
 * @throws {CliError} exit 11 if not confirmed.
 */
export async function consentTo(items: readonly Item[], session: Session, more?: string): Promise<void> {
  await showPlan(items, session, more);
  await session.confirm(questionOf(items, session), `${planSentence(items)} Nothing was sent.`);
}

/** Shows a plan; with --yes only its risks. */
export async function showPlan(items: readonly Item[], { context, globals, out }: Session, more?: string) {
  if (context.presentation.json) return;
  if (globals.yes !== true) {
    await out.outline(consentOutline(items, more));
    await out.note(planSentence(items));
  }
  for (const line of consequenceLines(items)) await out.note(line);
}

/** `Apply 3 changes to api.example.com (profile chain), including 1 deletion?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const { sandbox, profile } = session.settings();
  const named = sandbox || profile === undefined ? '' : ` (profile ${profile.value})`;
  const place = hostsOf(pending, session);
  const risk = risksText(consequencesOf(pending));
  const among = risk === '' ? '' : `, including ${risk}`;
  return `Apply ${counted(pending.length, 'change')} to ${place}${named}${among}?`;
}

/** The risks of a plan in words: `1 deletion and 2 users to disable`. */
function risksText(found: Partial<Consequences>): string {
  const parts = risks.map(([name, ...words]) => ({ count: found[name]?.length ?? 0, words }));
  return andList(parts.flatMap(({ count, words }) => (count === 0 ? [] : [counted(count, ...words)])));
}

/** The risks of a plan that the question mentions. */
const risks: readonly (readonly [keyof Consequences, one: string, several: string])[] = [
  ['deletes', 'deletion', 'deletions'],
  ['disables', 'user to disable', 'users to disable'],
  ['givesFullAccess', 'person to give full access', 'people to give full access'],
  ['takesFullAccess', 'user to take full access from', 'users to take full access from'],
  ['takesProperties', 'user to take properties from', 'users to take properties from'],
];
