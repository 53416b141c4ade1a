import { listed } from '../files/entry.ts';
import { hostOf } from '../journal/line.ts';
import { givesFullAccess, reductionBy } from '../model/access-change.ts';
import { CliError, ExitCode } from '../model/errors.ts';
import { isInventory, type Kind, kindText, severalOf } from '../model/kinds.ts';
import { groupBy } from '../model/records.ts';
import { counted } from '../model/text.ts';
import type { OutlineLine } from '../print/outline.ts';
import { kindOperations, operations } from '../service/operations.ts';
import { addressed, type RawRequest } from '../service/raw.ts';
import { asConsent, confirm as askYes, confirmByName } from '../session/consent.ts';
import type { LocalSession, Session } from '../session/session.ts';
import { labelOf } from './end.ts';
import { accessChangeOf, consequencesOf, type Item, isPending, makesAdmin } from './item.ts';
import { again } from './lines.ts';

const MOST_NAMED = 20;

/** A row of a command, and how people are asked about it. */
export interface Row {
  readonly item: Item;
  /** What else the command line may call it. */
  readonly names: readonly string[];
  /** What a question calls it; default: the name of the item. */
  readonly title?: string | undefined;
  /** Makes consent by name needed: what is done, before and after the names, if the item does not say it; `alone` ends a sentence about one. */
  readonly severe?: readonly [before: string, after: string, alone?: string] | undefined;
  /** Asked for a yes, if the command is about this row alone. */
  readonly question?: string | undefined;
}

/** What needs consent by name: properties to delete, users to disable, and what a command says. */
function severeAmong(rows: readonly Row[]): readonly Row[] {
  const { deletes, disables } = consequencesOf(rows.map(({ item }) => item).filter(isPending));
  const severe = new Set([...deletes.filter(({ kind }) => kind === 'property'), ...disables]);
  return rows.filter(({ item, severe: words }) => severe.has(item) || (words && isPending(item)));
}

/**
 * Asks for consent to rows that a command line names: about one row with a sentence, about several with their plan. By name if
 * something is destroyed or a user disabled.
 *
 * @param confirm as typed.
 * @throws {CliError} exit 11 without consent.
 */
export async function agree(
  rows: readonly Row[],
  { confirm = [] }: { readonly confirm?: readonly string[] | undefined },
  session: Session,
  isOne = false,
): Promise<void> {
  const pending = rows.filter(({ item }) => isPending(item));
  const [first] = pending;
  if (first === undefined) return;
  if (isOne) return agreeOne(first, confirm.slice(-1), session);
  if (session.globals.dryRun === true) return;
  const items = rows.map(({ item }) => item);
  const severe = severeAmong(pending);
  if (severe.length === 0) {
    // Consent by name is the stronger one: little may be left of the people whom a repeated command line confirms.
    const confirmed = new Set(confirm.flatMap((word) => [word, ...word.split(',')]).map(asConsent));
    const isConfirmed = pending.every((row) => namesOf(row).some((name) => confirmed.has(asConsent(name))));
    return isConfirmed ? showPlan(items, session) : consentTo(items, session);
  }
  await showPlan(items, session);
  // A repeated command line still names those that are done.
  const given = { names: severe.map(namesOf), given: confirm, others: rows.flatMap(namesOf) };
  await confirmByName({ sentence: severeText(severe), ...given }, session);
}

/** What counts as consent; what people know by its id is asked for by it. */
function namesOf({ item: { kind, name, id = name }, names }: Row): readonly [string, ...string[]] {
  return [isInventory(kind) ? id : name, name, ...names];
}

async function agreeOne(row: Row, given: readonly string[], session: Session): Promise<void> {
  const { globals, context, out } = session;
  const { item, question, names } = row;
  const isUser = item.kind === 'user';
  const sentences = sentencesAbout(row);
  const losses = isUser ? lossesBy(row) : [];
  const isByName = severeAmong([row]).length > 0 || (isUser && given.length > 0);
  // A flag gave the consent before the change was shown.
  const isConsented = given.length > 0 || (!isByName && globals.yes === true);
  const noted = isUser && globals.dryRun === true ? sentences : isConsented ? losses : [];
  if (noted.length > 0 && !context.presentation.json) await out.note(noted.join(' '));
  const sentence = sentences.join(' ');
  if (sentence !== '' && isByName) {
    const [asked = item.name, ...others] = names;
    await confirmByName({ sentence, names: [[asked, ...others, item.name]], given }, session);
    // A name typed in the prompt answers the question too.
    if (question !== undefined && given.length > 0 && session.mayAsk()) await askYes(question, session);
  } else if (sentence !== '') await askYes(`${sentence} ${question ?? 'Continue?'}`, session);
  else if (question !== undefined) await askYes(question, session);
}

/** What a row gives, takes away and destroys. */
function sentencesAbout(row: Row): readonly string[] {
  const { item } = row;
  if (item.kind === 'user') return [...rightsChangedBy(row), ...lossesBy(row)];
  if (makesAdmin(item)) return [`This invites ${item.name} with full access to every property.`];
  return severeAmong([row]).map((each) => severeText([each]));
}

/**
 * Asks for consent to a request that no command makes: a yes if its own command would ask for one, or the id in the path for
 * any other destructive request.
 *
 * @param confirm as typed.
 * @throws {CliError} exit 11 if not confirmed.
 */
export async function agreeToRequest(
  request: RawRequest,
  confirm: readonly string[] | undefined,
  session: Session,
): Promise<void> {
  const { does, consent, name } = addressed(request.method, request.path);
  if (consent === undefined) return;
  const line = `${request.method} ${request.path}`;
  if (consent === 'yes') return askYes(`Send ${line}, to ${does}?`, session);
  const sentence =
    does === undefined ? `${line} may delete or overwrite data.` : `This will ${does} ${name}.`;
  await confirmByName({ sentence, names: [[name]], given: confirm?.slice(-1) ?? [] }, session);
}

function rightsChangedBy({ item: { steps }, title }: Row): readonly string[] {
  const { disables, demotes } = reductionBy(steps) ?? {};
  const who = `user ${title}`;
  return [
    ...(disables ? [`This ${disables === 'surely' ? 'disables' : 'may disable'} ${who}.`] : []),
    ...(demotes ? [`This ${demotes === 'surely' ? 'takes' : 'may take'} full access away from ${who}.`] : []),
    ...(givesFullAccess(steps) ? [`This gives ${who} full access to every property.`] : []),
  ];
}

function lossesBy({ item, title }: Row): readonly string[] {
  const { removed = [], removedRoles = [], isOpen = false } = accessChangeOf(item) ?? {};
  const roles = removedRoles.map(({ id, roles: names }) => `${names.join(', ')} at ${id}`).join('; ');
  return [
    ...(removed.length > 0 ? [`This takes away ${removed.join(', ')} from user ${title}.`] : []),
    ...(roles === ''
      ? []
      : [`The roles there are removed too, and cannot be restored through the API: ${roles}.`]),
    ...(isOpen ? [`This may take properties away from user ${title}.`] : []),
  ];
}

/** `This deletes 2 properties: BER (Grand Hotel), MUC (Isar Hotel).`, a sentence for each kind. */
function severeText(rows: readonly Row[]): string {
  const alike = groupBy(rows, ({ item, severe }) => JSON.stringify([item.kind, item.action, severe]));
  return [...alike.values()].map(severeSentence).join(' ');
}

function severeSentence(rows: readonly Row[]): string {
  const [first] = rows;
  const kind = first?.item.kind ?? 'property';
  const usual = first?.item.action === 'delete' ? 'deletes' : 'disables';
  const [before, after, alone = ''] = first?.severe ?? [usual, ''];
  const titles = rows.map(({ item, title = item.name }) => title);
  if (rows.length === 1) return `This ${before} ${kindText(kind)} ${titles[0]}${after}${alone}.`;
  const what = counted(rows.length, kindText(kind), severalOf(kind));
  return `This ${before} ${what}${after}: ${listed(titles)}.`;
}

/** How much a run may change. */
export interface Limits {
  /** Deletions and disabled users; `undefined` for none. */
  readonly maxDeletes?: number | undefined;
  readonly maxChanges?: number | undefined;
  /** Destructive rows are confirmed by name, and need no --max-deletes. */
  readonly isByName?: boolean | undefined;
  /** The command line that shows the plan. */
  readonly review: string;
}

/** Refuses more changes than the limits allow; a dry run needs no consent to deletions. @throws {CliError} exit 11. */
export function refuseBeyond(items: readonly Item[], limits: Limits, session: Session): void {
  if (!limits.isByName) refuseDeletes(items, limits, session);
  const changes = items.filter(isPending).length;
  const { maxChanges = changes, review } = limits;
  if (changes <= maxChanges) return;
  const sentence = `The plan has ${counted(changes, 'change')}, and --max-changes allows ${maxChanges}; nothing was sent.`;
  const hint = `To review it: ${review}`;
  throw new CliError('too_many_changes', sentence, { exitCode: ExitCode.blocked, hint });
}

function refuseDeletes(items: readonly Item[], { maxDeletes: allowed, review }: Limits, session: Session) {
  const { deletes, disables } = consequencesOf(items);
  const needed = deletes.length + disables.length;
  if (needed <= (allowed ?? (session.globals.dryRun === true ? needed : 0))) return;
  const all = [
    ...deletes.map((item) => ({ field: labelOf(item), reason: 'is deleted' })),
    ...disables.map((item) => ({ field: labelOf(item), reason: 'is disabled' })),
  ];
  const [code, most, hint] =
    allowed === undefined
      ? ['consent_missing', '', `To allow it: ${again(session, '--max-deletes', String(needed))}`]
      : ['too_many_changes', `, not ${allowed}`, `To review it: ${review}`];
  const sentence = `The plan deletes or disables ${needed}: that needs --max-deletes ${needed}${most}; nothing was sent.`;
  throw new CliError(code, sentence, { exitCode: ExitCode.blocked, details: all.slice(0, MOST_NAMED), hint });
}

/** A plan as people see it, where that is more than its rows. */
export interface ShownPlan {
  readonly lines: readonly OutlineLine[];
  readonly sentence: string;
}

/**
 * Shows a plan and asks for consent; with --yes only shows its risks.
 *
 * @param more the command that shows all of a long plan, if there is one.
 * @throws {CliError} exit 11 if not confirmed.
 */
export async function consentTo(items: readonly Item[], session: Session, more?: string, shown?: ShownPlan) {
  await showPlan(items, session, more, shown);
  const { planSentence } = await import('./outline.ts');
  const sentence = shown?.sentence ?? planSentence(items);
  await askYes(questionOf(items, session), session, `${sentence} Nothing was sent.`);
}

/** Shows a plan; with --yes only its risks. */
export async function showPlan(
  items: readonly Item[],
  { context, globals, out }: Session,
  more?: string,
  shown?: ShownPlan,
): Promise<void> {
  if (context.presentation.json) return;
  const { consentOutline, consequenceLines, planSentence } = await import('./outline.ts');
  if (globals.yes !== true) {
    await out.outline(shown?.lines ?? consentOutline(items, more));
    await out.note(shown?.sentence ?? planSentence(items));
  }
  for (const line of consequenceLines(items)) await out.note(line);
}

/** `Apply 3 changes to api.example.com (profile chain)?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const { sandbox, profile } = session.settings();
  const named = sandbox || profile === undefined ? '' : ` (profile ${profile.value})`;
  const place = hostsOf(pending, session);
  return `Apply ${counted(pending.length, 'change')} to ${place}${named}?`;
}

/** The hosts of entries or rows: `api.example.com`, or `the sandbox`. */
function hostsOf(rows: readonly { readonly kind: Kind }[], { settings }: Pick<LocalSession, 'settings'>) {
  const { sandbox, baseUrl, identityUrl } = settings();
  if (sandbox) return 'the sandbox';
  const areas = [...new Set(rows.map(({ kind }) => operations[kindOperations[kind].create].area))];
  const urls = areas.map((area) => (area === 'inventory' ? baseUrl : identityUrl)?.value ?? '');
  return [...new Set(urls.map(hostOf))].join(' and ');
}
