import { sessionWith } from '../../change/ask.ts';
import type { Row } from '../../change/consent.ts';
import { permitRows } from '../../change/guards.ts';
import { changesShown, isPending, itemFor } from '../../change/item.ts';
import { serviceLine, settleBy, settledByRepeating } from '../../change/lines.ts';
import { withReferences } from '../../change/references.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { ignoreNotFoundFlag, ignoringNotFound, tellOne } from '../../change/tell.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { collect } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { changesNothing } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import { lifeActions } from '../../service/inventory.ts';
import { actionsIn, reasonsAgainst } from '../../service/property-names.ts';
import { refuseNotAllowed, titleOf } from '../properties/allowed.ts';
import type { LifeFlags } from '../properties/life.ts';
import { type InventoryKind, type NamedRecord, nameOf, resolveInventory, suggestId } from './kind.ts';
import { argumentFor, propertyFlag } from './reading.ts';

/** The flags of `delete` and `archive`, as typed. */
interface RemovalFlags extends LifeFlags {
  readonly property?: string;
}

/** What cannot be undone. */
type Verb = 'delete' | 'archive';

/** The command of a removal. @param description its first sentences. */
export function removing(kind: InventoryKind, verb: Verb, examples: readonly string[], description: string) {
  const { ofProperty, noun, referred, operations } = kind;
  const [names, what, operation] =
    verb === 'delete'
      ? (['delete rm', 'deletion', operations.delete] as const)
      : (['archive', 'archiving', 'archiveUnit'] as const);
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
    if (verb === 'delete') flagged.option(...ignoreNotFoundFlag);
    return flagged.action(
      withReferences<RemovalFlags>(context, referred, {
        operation,
        all: (words, flags, session) => removeInventory(words, flags, kind, verb, session),
      }),
    );
  };
}

/** @throws {CliError} exit 3 or 12 with the words that are not one record; exit 6 with the service's reasons; exit 11 without consent. */
async function removeInventory(
  words: readonly string[],
  flags: RemovalFlags,
  kind: InventoryKind,
  verb: Verb,
  session: Session,
): Promise<void> {
  const { property, ignoreNotFound } = flags;
  const isOne = words.length === 1;
  const read = async (id: string) => (await lookBefore(id, kind, flags, session)) ?? {};
  const found = await resolveInventory(words, kind, { property, isWrite: true, read }, session);
  const rows = found.map((each) => rowOf(each, flags, kind, verb, isOne, session));
  const open = found.filter((_, place) => rows[place] && isPending(rows[place].item));
  const items = rows.map(({ item }) => item);
  permitRows(items, session);
  refuseForbidden(open, kind, verb, session);
  const more = verb === 'delete' ? ignoringNotFound(ignoreNotFound) : [];
  if (!isOne) return changeRows(rows, flags, session, sessionWith(more, session));
  for (const row of rows) await removeOne(row, flags, kind, verb, session);
}

function rowOf(
  each: NamedRecord,
  { verify, ignoreNotFound }: RemovalFlags,
  kind: InventoryKind,
  verb: Verb,
  isOne: boolean,
  session: Session,
): Row {
  const { word, id, record } = each;
  const { steps } = lifeActions.archive;
  const isDone = verb === 'archive' && changesNothing(record, steps);
  const action = isDone ? 'same' : verb === 'delete' ? 'delete' : 'change';
  const archiving = { life: 'archive', changes: changesShown(record, steps) } as const;
  const item = itemFor({ kind: kind.entryKind, name: nameOf(kind, each) }, action, {
    ...{ id, record, isReadBack: verify, mustExist: isOne && ignoreNotFound !== true },
    ...(action === 'change' ? archiving : {}),
  });
  const title = titleOf(id, record, session);
  return { item, names: [id, word], title, severe: [`${verb}s`, ''] };
}

async function removeOne(
  row: Row,
  flags: RemovalFlags,
  kind: InventoryKind,
  verb: Verb,
  session: Session,
): Promise<void> {
  const { context, out } = session;
  const { item } = row;
  const { id = item.name } = item;
  const [one] = kind.noun;
  const isDeletion = verb === 'delete';
  const more = isDeletion ? ignoringNotFound(flags.ignoreNotFound) : [];
  const result = await changeOne(row, flags, session)
    .catch(suggestId(id, kind, session))
    .catch(settleBy(settledByRepeating(context.argv, false, ...more)));
  const facts = isDeletion ? { id } : { id, archived: true };
  const told = { done: `${capitalised(verb)}d ${one} ${id}`, facts };
  if (isDeletion || isPending(item))
    return tellOne(
      result,
      { ...told, undone: `There is no ${one} ${id}.`, fact: isDeletion ? 'deleted' : 'archived' },
      out,
    );
  await out.done(`${capitalised(one)} ${id} is archived already.`, { ...facts, presumed: true });
}

/**
 * The record before it is removed: a unit with the actions that are possible now.
 *
 * @returns `undefined` if it cannot be read, so that the removal is tried; in a dry run it is not read.
 * @throws {CliError} exit 3 if there is none.
 */
async function lookBefore(
  id: string,
  { words, resource }: InventoryKind,
  { ignoreNotFound }: Pick<RemovalFlags, 'ignoreNotFound'>,
  { api, globals }: Session,
): Promise<ServiceRecord | undefined> {
  const isUnit = words === 'units';
  if (!isUnit && globals.dryRun === true) return undefined;
  return resource(api)
    .read(id, isUnit ? { expand: ['actions'] } : {})
    .catch((error: unknown): undefined => {
      const isMissing = error instanceof CliError && error.code === 'not_found' && ignoreNotFound !== true;
      if (!(error instanceof CliError) || isMissing) throw error;
    });
}

/** @throws {CliError} `not_allowed`, exit 6, with the service's reasons, and what is allowed instead. */
function refuseForbidden(
  found: readonly NamedRecord[],
  { noun }: InventoryKind,
  verb: Verb,
  session: Session,
): void {
  const action = capitalised(verb);
  const forbidden = found.filter(({ record }) => reasonsAgainst(action, record) !== undefined);
  const isArchivable = ({ record }: NamedRecord) =>
    actionsIn(record).some(({ name, isAllowed }) => name === 'Archive' && isAllowed);
  const ids = forbidden.map(({ id }) => id);
  const line = ['units', 'archive', ...ids, '--confirm', ids.join(',')];
  const isHelped = verb === 'delete' && forbidden.every(isArchivable);
  const hint = isHelped ? serviceLine(session.globals, ...line) : undefined;
  const asked = { action, doing: [`${verb.slice(0, -1)}ing`, ''], noun, hint } as const;
  refuseNotAllowed(
    found.map(({ id: word, record }) => ({ word, record })),
    asked,
    session,
  );
}
