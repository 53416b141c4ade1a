import { ignoreNotFoundFlag } from '../../change/lines.ts';
import { type Referred, withReferences } from '../../change/resolve.ts';
import { refuseInvalid } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { type LifeVerb, lifeActions } from '../../service/inventory.ts';
import { collect, serviceCommand } from '../../session/command-line.ts';
import type { Session } from '../../session/session.ts';
import { type Ending, type EndingFlags, endRecords } from '../ending.ts';
import { refuseBeyond } from '../options.ts';
import { idsDetails, properties, propertiesArgument, resolveProperties } from './reference.ts';

/** How help and messages speak of one action. */
type Words = Pick<Ending, 'doing' | 'severe' | 'done' | 'already' | 'unshown' | 'facts' | 'note'> & {
  readonly summary: string;
  readonly description: string;
};

type Verb = Ending['verb'];

/** Ends a question about one. */
const alone = ', which cannot be undone';

/** None of them can be undone. */
const words: Readonly<Record<Verb, Words>> = {
  delete: {
    summary: 'delete a property',
    description: 'Delete a property permanently.',
    doing: ['deleting', ''],
    done: ['Deleted', ''],
  },
  'set-live': {
    summary: 'set a test property live',
    description:
      'Set a test property live (dialect apaleo). This cannot be undone: a live property can be archived, and neither deleted nor reset.',
    doing: ['setting', ' live'],
    severe: ['sets', ' live', alone],
    done: ['Set', ' live'],
    already: 'is live already',
    facts: { status: 'Live' },
  },
  archive: {
    summary: 'archive a live property',
    description:
      'Archive a live property (dialect apaleo). This cannot be undone: lists leave it out, unless --include-archived is given.',
    doing: ['archiving', ''],
    severe: ['archives', '', alone],
    done: ['Archived', ''],
    already: 'is archived already',
    facts: { is_archived: true },
  },
  reset: {
    summary: 'delete all transactional data of a test property',
    description:
      'Delete all transactional data of a test property, such as its reservations (dialect apaleo). This cannot be undone, and nothing that is read shows it.',
    doing: ['resetting', ''],
    severe: ['deletes all transactional data of', '', alone],
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
    refuseBeyond(lifeActions[verb].operation, `properties ${verb}`, session.api);
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
  const operation = verb === 'delete' ? 'deleteProperty' : lifeActions[verb].operation;
  return withReferences<EndingFlags>(context, referred, {
    operation,
    all: (ids, flags, session) => endProperties(ids, verb, flags, session),
  });
}

/** @throws {CliError} what `endRecords` throws. */
async function endProperties(ids: readonly string[], verb: Verb, flags: EndingFlags, session: Session) {
  const { api, globals } = session;
  refuseInvalid(await idsDetails(ids, api, session));
  // The journal keeps what is deleted.
  const isRead =
    globals.dryRun !== true || verb !== 'delete' || api.dialect.expansions?.includes('actions') === true;
  const { ignoreNotFound } = flags;
  const reading = { isWrite: true, isRead, ignoreNotFound, mayFail: () => true } as const;
  const found = await resolveProperties(ids, { ...reading, read: api.properties.readWithActions }, session);
  const fact = verb === 'delete' ? 'deleted' : 'changed';
  const about = { kind: 'property', referred: properties, verb, fact, ...words[verb] } as const;
  await endRecords(found, ids.length === 1, about, flags, session);
}
