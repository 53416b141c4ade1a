import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import type { PatchStep } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { capitalised, counted } from '../../model/text.ts';
import { aboutWrite } from '../../seed/item.ts';
import type { OperationId } from '../../service/operations.ts';
import { actionsIn, reasonsAgainst } from '../../service/property-names.ts';
import type { ReadBack } from '../../service/settling.ts';
import { reportDeletion } from '../deletion.ts';
import { serviceLine, settleBy, settledByRepeating } from '../lines.ts';
import { collect } from '../options.ts';
import { cut, LONGEST_NAME, refuseIfNotAllowed, refuseNotAllowed } from '../properties/allowed.ts';
import type { DeleteFlags } from '../properties/delete.ts';
import { nameIn } from '../properties/reference.ts';
import { withReferences } from '../references.ts';
import { permitEach } from '../several/run.ts';
import { ignoreNotFoundFlag, ignoringNotFound, isIgnored, reportWrite } from '../write.ts';
import { type InventoryKind, idsMeant } from './kind.ts';
import { argumentFor, propertyFlag, readEach, suggestId } from './reading.ts';
import { carryOutEach } from './several.ts';

/** The flags of `delete` and `archive`, as typed. */
interface RemovalFlags extends DeleteFlags {
  readonly property?: string;
}

/** A deletion, or another step that cannot be undone. */
export interface Removal {
  readonly names: 'delete rm' | 'archive';
  readonly operation: OperationId;
  /** The service's name of it in the actions of a record. */
  readonly action: 'Delete' | 'Archive';
  readonly words: { readonly verb: string; readonly doing: string; readonly done: string };
  /** What it changes; `undefined` for a deletion. */
  readonly steps?: readonly PatchStep[];
  readonly send: (id: string, how: { readonly verify: boolean }, session: Session) => Promise<ReadBack>;
}

/** `delete`: DELETE /inventory/v1/.../{id}, after its id was repeated. @param more the end of its first sentence. */
export function deleting(kind: InventoryKind, examples: readonly string[], more = '') {
  const { noun, operations, resource } = kind;
  const deletion: Removal = {
    names: 'delete rm',
    operation: operations.delete,
    action: 'Delete',
    words: { verb: 'deletes', doing: 'deleting', done: 'Deleted' },
    send: (id, how, { api }) => resource(api).delete(id, how),
  };
  return removing(kind, deletion, examples, `Delete a ${noun[0]} permanently${more}.`);
}

/** The command of a removal. @param description its first sentences. */
export function removing(
  kind: InventoryKind,
  removal: Removal,
  examples: readonly string[],
  description: string,
) {
  const { ofProperty, noun, referred } = kind;
  const { names, action } = removal;
  const [verb, what] = action === 'Delete' ? ['delete', 'deletion'] : ['archive', 'archiving'];
  return (context: Context) => {
    const command = serviceCommand(names, 'destroys', examples)
      .exitsWith(ofProperty && 'ambiguous', 'partlyDone')
      .summary(`${verb} a ${noun[0]}`)
      .description(`${description} Prompts for its id on a terminal; otherwise requires --confirm.`)
      .argument(...argumentFor(kind));
    if (ofProperty) command.option(...propertyFlag(kind));
    const flagged = command
      .option('--confirm <id>', `confirm the ${what}: repeat the id (--yes is not enough)`, collect)
      .option('--no-verify', 'do not verify by reading afterwards');
    if (action === 'Delete') flagged.option(...ignoreNotFoundFlag);
    return flagged.action(
      withReferences<RemovalFlags>(context, referred, {
        named: 'writes',
        one: (word, flags, session) => removeOne(word, flags, kind, removal, session),
        several: (words, flags, session) => removeSeveral(words, flags, kind, removal, session),
      }),
    );
  };
}

async function removeOne(
  word: string,
  flags: RemovalFlags,
  kind: InventoryKind,
  removal: Removal,
  session: Session,
): Promise<void> {
  const { operation, action, words } = removal;
  session.api.permit(operation, word);
  const [id = word] = await idsMeant(kind, [word], flags.property, session);
  session.api.permit(operation, id);
  const [one] = kind.noun;
  const sending = async () => {
    const record = await lookBefore(id, kind, flags, session);
    if (isDone(record, removal))
      return {
        verification: undefined,
        paths: [],
        presumed: `${capitalised(one)} ${id} is archived already`,
      };
    refuseForbidden([[id, record]], kind, removal, session);
    const title = titleOf(id, record, session);
    const names = [[id]] as const;
    await session.confirmByName({
      sentence: `This ${words.verb} ${one} ${title}.`,
      names,
      given: flags.confirm?.slice(-1) ?? [],
    });
    return sendKept(id, record, flags, kind, removal, session);
  };
  if (action === 'Delete') {
    const misspelt = kind.referred.misspelt([id], session.api);
    const texts = { done: `Deleted ${one} ${id}`, missing: `There is no ${one} ${id}.` };
    return reportDeletion(sending(), { facts: { id }, ...texts, misspelt }, flags, session);
  }
  const done = await sending()
    .catch(suggestId(id, kind, session))
    .catch(settleBy(settledByRepeating(session.context.argv, false)));
  await reportWrite(session.out, `${words.done} ${one} ${id}`, { id, archived: true }, done);
}

async function removeSeveral(
  typed: readonly string[],
  flags: RemovalFlags,
  kind: InventoryKind,
  removal: Removal,
  session: Session,
): Promise<void> {
  const { operation, action, words } = removal;
  permitEach(operation, typed, session);
  const ids = await idsMeant(kind, typed, flags.property, session);
  permitEach(operation, ids, session);
  const read = (id: string) => lookBefore(id, kind, { ...flags, confirm: [] }, session);
  const found = await readEach(kind, ids, 'writes', async (id) => (await read(id)) ?? {}, session);
  const all = found.map((record) => [String(record['id']), record] as const);
  const records = all.filter(([, record]) => !isDone(record, removal));
  refuseForbidden(records, kind, removal, session);
  const titles = records.map(([id, record]) => titleOf(id, record, session)).join(', ');
  const consent = {
    sentence: `This ${words.verb} ${counted(records.length, ...kind.noun)}: ${titles}.`,
    names: records.map(([id]) => [id] as const),
    given: flags.confirm ?? [],
    // A repeated command line still names those that are done.
    others: ids,
  } as const;
  if (records.length > 0) await session.confirmByName(consent);
  const fact = action === 'Delete' ? 'deleted' : 'archived';
  const recordOf = new Map(records);
  const work = async (id: string) => {
    const sending = sendKept(id, recordOf.get(id), flags, kind, removal, session);
    const readBack = await sending.catch((error: unknown) => {
      if (!isIgnored(error, flags.ignoreNotFound)) throw error;
    });
    return { [fact]: readBack !== undefined, verification: readBack?.verification };
  };
  const more = action === 'Delete' ? ignoringNotFound(flags.ignoreNotFound) : [];
  const again = settledByRepeating(session.context.argv, false, ...more);
  await carryOutEach(
    records.map(([id]) => id),
    fact,
    work,
    { noun: kind.noun, again },
    session,
  );
}

/** Sends a removal, and keeps what was removed. */
function sendKept(
  id: string,
  record: ServiceRecord | undefined,
  { verify }: Pick<RemovalFlags, 'verify'>,
  kind: InventoryKind,
  { send, steps }: Removal,
  session: Session,
): Promise<ReadBack> {
  const about = aboutWrite(kind.entryKind, id, record, steps);
  return session.api.kept.one(() => send(id, { verify }, session), about);
}

/** Whether a unit is archived already, so that the same command settles a doubt. */
function isDone(record: ServiceRecord | undefined, { action }: Removal): boolean {
  return action === 'Archive' && record?.['is_archived'] === true;
}

/**
 * The record before it is removed: a unit with the actions that are possible now.
 *
 * @returns `undefined` if it cannot be read, so that the removal is tried; for other kinds also if nothing is asked.
 * @throws {CliError} exit 3 if there is none.
 */
async function lookBefore(
  id: string,
  { words, resource }: InventoryKind,
  { confirm, ignoreNotFound }: Pick<RemovalFlags, 'confirm' | 'ignoreNotFound'>,
  { api, globals }: Session,
): Promise<ServiceRecord | undefined> {
  const isUnit = words === 'units';
  const isAsking = confirm?.length !== 1 && globals.dryRun !== true;
  if (!isUnit && !isAsking) return undefined;
  const view = isUnit ? { expand: ['actions'] } : {};
  return resource(api)
    .read(id, view)
    .catch((error: unknown): undefined => {
      const isMissing = error instanceof CliError && error.code === 'not_found' && ignoreNotFound !== true;
      if (!(error instanceof CliError) || isMissing) throw error;
    });
}

/** @throws {CliError} `not_allowed`, exit 6, with the service's reasons, and what is allowed instead. */
function refuseForbidden(
  records: readonly (readonly [id: string, record: ServiceRecord | undefined])[],
  { noun }: InventoryKind,
  { action, words }: Removal,
  session: Session,
): void {
  const forbidden = records.filter(([, record = {}]) => reasonsAgainst(action, record) !== undefined);
  const isArchivable = ([, record = {}]: (typeof records)[number]) =>
    actionsIn(record).some(({ name, isAllowed }) => name === 'Archive' && isAllowed);
  const ids = forbidden.map(([id]) => id);
  const line = ['units', 'archive', ...ids, '--confirm', ids.join(',')];
  const isHelped = action === 'Delete' && forbidden.every(isArchivable);
  const hint = isHelped ? serviceLine(session.globals, ...line) : undefined;
  const asked = { action, doing: [words.doing, ''], noun, hint } as const;
  const [[id, property] = [''], ...others] = records;
  const found = records.map(([word, record]) => ({ word, record }));
  if (others.length > 0) refuseNotAllowed(found, asked);
  else refuseIfNotAllowed(id, { property: property ?? {} }, asked, session);
}

/** `BER-DBL (Double)` */
function titleOf(id: string, record: ServiceRecord | undefined, { context }: Session): string {
  const name = nameIn(record ?? {});
  if (name === '' || name === id) return id;
  return `${id} (${cut(name, LONGEST_NAME, context.redactor.text)})`;
}
