import { sessionWith } from '../../change/ask.ts';
import { changesShown, type FieldChange, itemFor } from '../../change/item.ts';
import { settleBy, settledByRepeating } from '../../change/lines.ts';
import { type Referred, withReferences } from '../../change/references.ts';
import { changeOne, changeRows } from '../../change/rows.ts';
import { ignoreNotFoundFlag, ignoringNotFound, tellOne } from '../../change/tell.ts';
import { serviceCommand } from '../../cli/described-command.ts';
import { refuseInvalid } from '../../cli/errors.ts';
import { collect } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { changesNothing } from '../../model/patch.ts';
import type { Facts } from '../../print/output.ts';
import { type LifeVerb, lifeActions } from '../../service/inventory.ts';
import { refuseBeyond } from '../options.ts';
import { refuseNotAllowed, titleOf } from './allowed.ts';
import {
  idsDetails,
  type NamedProperty,
  properties,
  propertiesArgument,
  resolveProperties,
  suggestProperty,
} from './reference.ts';

/** How messages speak of one action. */
interface Words {
  readonly summary: string;
  readonly description: string;
  /** `setting` BER `live` */
  readonly doing: readonly [before: string, after: string];
  /** `This sets` BER `live.` */
  readonly severe?: readonly [before: string, after: string];
  /** `Set property BER live` */
  readonly done: readonly [before: string, after: string];
  /** `is live already` */
  readonly already?: string;
  /** What a plan says of it that no field shows. */
  readonly unshown?: FieldChange;
  /** What the result says of the property. */
  readonly facts: Facts;
  /** What a repeat of the command means, if no read settles a doubt. */
  readonly note?: string;
}

/** The flags of the actions. */
export interface LifeFlags {
  readonly confirm?: readonly string[];
  readonly verify: boolean;
  /** Of a deletion. */
  readonly ignoreNotFound?: true;
}

type Verb = LifeVerb | 'delete';

const actions = {
  ...lifeActions,
  delete: { operation: 'deleteProperty', action: 'Delete', steps: [] },
} as const;

/** None of them can be undone. */
const words: Readonly<Record<Verb, Words>> = {
  delete: {
    summary: 'delete a property',
    description: 'Delete a property permanently.',
    doing: ['deleting', ''],
    done: ['Deleted', ''],
    facts: {},
  },
  'set-live': {
    summary: 'set a test property live',
    description:
      'Set a test property live (dialect apaleo). This cannot be undone: a live property can be archived, and neither deleted nor reset.',
    doing: ['setting', ' live'],
    severe: ['sets', ' live'],
    done: ['Set', ' live'],
    already: 'is live already',
    facts: { status: 'Live' },
  },
  archive: {
    summary: 'archive a live property',
    description:
      'Archive a live property (dialect apaleo). This cannot be undone: lists leave it out, unless --include-archived is given.',
    doing: ['archiving', ''],
    severe: ['archives', ''],
    done: ['Archived', ''],
    already: 'is archived already',
    facts: { is_archived: true },
  },
  reset: {
    summary: 'delete all transactional data of a test property',
    description:
      'Delete all transactional data of a test property, such as its reservations (dialect apaleo). This cannot be undone, and nothing that is read shows it.',
    doing: ['resetting', ''],
    severe: ['deletes all transactional data of', ''],
    done: ['The service accepted the reset of', ''],
    unshown: { field: 'transactional_data', from: 'kept', to: 'deleted' },
    facts: { reset: true },
    note: 'No read shows a reset. The command that settles it deletes what was booked since, too.',
  },
};

/**
 * `properties delete <id>`: delete a property, after its id was repeated.
 *
 * DELETE /inventory/v1/properties/{id}. The contract does not say which properties can be deleted; the public service
 * deletes only those in status Test, and its dialect can ask beforehand.
 */
export function deleteProperty(context: Context) {
  const examples = ['properties delete MUC', 'properties delete MUC --confirm MUC --ignore-not-found --json'];
  return described('delete', serviceCommand('delete rm', 'destroys', examples))
    .option('--confirm <id>', 'confirm the deletion: repeat the id (--yes is not enough)', collect)
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .action(ending('delete', properties, context));
}

/**
 * `properties set-live <id>`: make a test property live, after its id was repeated.
 *
 * PUT /inventory/v1/property-actions/{id}/set-live, of the dialect apaleo alone, and never undone.
 */
export const setPropertyLive = lifeCommand('set-live');

/** `properties archive <id>`: archive a live property. PUT /inventory/v1/property-actions/{id}/archive, as set-live. */
export const archiveProperty = lifeCommand('archive');

/** `properties reset <id>`: delete what happened at a test property. PUT /inventory/v1/property-actions/{id}/reset, as set-live. */
export const resetProperty = lifeCommand('reset');

function lifeCommand(verb: LifeVerb) {
  const refuse = (session: Session) =>
    refuseBeyond(lifeActions[verb].operation, `properties ${verb}`, session);
  const examples = [`properties ${verb} MUC`, `properties ${verb} MUC --confirm MUC --json`];
  const several = `properties ${verb} BER MUC --confirm BER,MUC`;
  return (context: Context) =>
    described(verb, serviceCommand(verb, 'destroys', [...examples, several]))
      .option('--confirm <id>', 'consent: repeat the id (--yes is not enough)', collect)
      .option('--no-verify', 'do not read it back')
      .action(ending(verb, { ...properties, refuse }, context));
}

function described(verb: Verb, command: ReturnType<typeof serviceCommand>) {
  const { summary, description } = words[verb];
  return command
    .summary(summary)
    .description(`${description} Prompts for its id on a terminal; otherwise requires --confirm.`)
    .argument(...propertiesArgument);
}

function ending(verb: Verb, referred: Referred, context: Context) {
  return withReferences<LifeFlags>(context, referred, {
    operation: actions[verb].operation,
    all: (ids, flags, session) => carryOut(ids, verb, flags, session),
  });
}

/**
 * Carries out an action, or a deletion.
 *
 * @throws {CliError} exit 6 with the service's reasons; exit 11 without consent; exit 8 for an unknown outcome.
 */
async function carryOut(
  ids: readonly string[],
  verb: Verb,
  { confirm = [], verify, ignoreNotFound }: LifeFlags,
  session: Session,
): Promise<void> {
  const { api, out, context, globals } = session;
  const { action, steps } = actions[verb];
  const { doing, severe, done, already, unshown, facts, note } = words[verb];
  refuseInvalid(await idsDetails(ids, api, session));
  const isOne = ids.length === 1;
  const isAsking = confirm.length === 0 && globals.dryRun !== true;
  const isRead = verb !== 'delete' || isAsking || api.dialect.expansions?.includes('actions') === true;
  const reading = { isWrite: true, isRead, ignoreNotFound, mayFail: () => true } as const;
  const found = await resolveProperties(ids, { ...reading, read: api.properties.readWithActions }, session);
  const isDone = ({ record = {}, isMissing }: NamedProperty) =>
    isMissing === true || (steps.length > 0 && changesNothing(record, steps));
  const open = found.filter((property) => !isDone(property));
  refuseNotAllowed(open, { action, doing }, session);
  const rows = found.map((property) => {
    const { word: id, record } = property;
    const changes = [...changesShown(record ?? {}, steps), ...[unshown ?? []].flat()];
    const mustExist = isOne && ignoreNotFound !== true;
    const isReadBack = verify && (isOne || steps.length > 0);
    const about = isDone(property)
      ? { id, reason: already }
      : { id, isReadBack, ...(verb === 'delete' ? { record, mustExist } : { life: verb, changes }) };
    const wanted = verb === 'delete' ? 'delete' : 'change';
    const item = itemFor({ kind: 'property', name: id }, isDone(property) ? 'same' : wanted, about);
    const asked = severe && ([...severe, ', which cannot be undone'] as const);
    return { item, names: [], title: titleOf(id, record, session), severe: asked };
  });
  const safely = verb === 'delete' ? ignoringNotFound(ignoreNotFound) : [];
  if (!isOne) return changeRows(rows, { confirm }, session, sessionWith(safely, session));
  for (const row of rows) {
    const id = row.item.name;
    const settling = settledByRepeating(context.argv, false, ...safely);
    const result = await changeOne(row, { confirm }, session)
      .catch(suggestProperty(api, id))
      .catch(settleBy({ ...settling, ...(note !== undefined && { note }) }));
    const undone = verb === 'delete' ? `There is no property ${id}.` : `Property ${row.title} ${already}.`;
    const told = { done: done.join(` property ${id}`), undone, facts: { id, ...facts } };
    await tellOne(result, { ...told, fact: verb === 'delete' ? 'deleted' : 'changed' }, out);
  }
}
