import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { changesNothing } from '../../model/patch.ts';
import type { Facts } from '../../print/output.ts';
import type { FieldChange } from '../../seed/item.ts';
import { type LifeVerb, lifeActions } from '../../service/property-life.ts';
import { settleBy, settledByRepeating } from '../lines.ts';
import { collect, refuseBeyond } from '../options.ts';
import { withReferences } from '../references.ts';
import { reportWrite } from '../write.ts';
import { lookBefore, refuseIfNotAllowed } from './allowed.ts';
import { checkId, suggestProperty } from './get.ts';
import { properties, propertiesArgument } from './reference.ts';

/** How messages speak of one action. */
export interface LifeWords {
  /** `setting` BER `live` */
  readonly doing: readonly [before: string, after: string];
  /** `This sets` BER `live.` */
  readonly severe: readonly [before: string, after: string];
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
}

/**
 * `properties set-live <id>`: make a test property live, after its id was repeated.
 *
 * PUT /inventory/v1/property-actions/{id}/set-live, of the dialect apaleo alone, and never undone.
 */
export function setPropertyLive(context: Context) {
  const words: LifeWords = {
    doing: ['setting', ' live'],
    severe: ['sets', ' live'],
    done: ['Set', ' live'],
    already: 'is live already',
    facts: { status: 'Live' },
  };
  const about = {
    summary: 'set a test property live',
    description:
      'Set a test property live (dialect apaleo). This cannot be undone: a live property can be archived, and neither deleted nor reset.',
  };
  return lifeCommand(context, 'set-live', words, about);
}

/** `properties archive <id>`: archive a live property. PUT /inventory/v1/property-actions/{id}/archive, as set-live. */
export function archiveProperty(context: Context) {
  const words: LifeWords = {
    doing: ['archiving', ''],
    severe: ['archives', ''],
    done: ['Archived', ''],
    already: 'is archived already',
    facts: { is_archived: true },
  };
  const about = {
    summary: 'archive a live property',
    description:
      'Archive a live property (dialect apaleo). This cannot be undone: lists leave it out, unless --include-archived is given.',
  };
  return lifeCommand(context, 'archive', words, about);
}

/** `properties reset <id>`: delete what happened at a test property. PUT /inventory/v1/property-actions/{id}/reset, as set-live. */
export function resetProperty(context: Context) {
  const words: LifeWords = {
    doing: ['resetting', ''],
    severe: ['deletes all transactional data of', ''],
    done: ['The service accepted the reset of', ''],
    unshown: { field: 'transactional_data', from: undefined, to: 'deleted', unread: true },
    facts: { reset: true },
    note: 'No read shows a reset. The command that settles it deletes what was booked since, too.',
  };
  const about = {
    summary: 'delete all transactional data of a test property',
    description:
      'Delete all transactional data of a test property, such as its reservations (dialect apaleo). This cannot be undone, and nothing that is read shows it.',
  };
  return lifeCommand(context, 'reset', words, about);
}

function lifeCommand(
  context: Context,
  verb: LifeVerb,
  words: LifeWords,
  { summary, description }: { readonly summary: string; readonly description: string },
) {
  const refuse = (session: Session) =>
    refuseBeyond(lifeActions[verb].operation, `properties ${verb}`, session);
  const examples = [`properties ${verb} MUC`, `properties ${verb} MUC --confirm MUC --json`];
  const several = `properties ${verb} BER MUC --confirm BER,MUC`;
  return serviceCommand(verb, 'destroys', [...examples, several])
    .summary(summary)
    .description(`${description} Prompts for its id on a terminal; otherwise requires --confirm.`)
    .argument(...propertiesArgument)
    .option('--confirm <id>', 'consent: repeat the id (--yes is not enough)', collect)
    .option('--no-verify', 'do not read it back')
    .action(
      withReferences<LifeFlags>(
        context,
        { ...properties, refuse },
        {
          named: 'writes',
          one: (id, flags, session) => carryOutOne(id, verb, words, flags, session),
          several: async (ids, flags, session) =>
            (await import('./several.ts')).carryOutSeveral(ids, verb, words, flags, session),
          choosesSeveral: () => true,
        },
      ),
    );
}

/** @throws {CliError} exit 6 with the service's reasons; exit 11 without consent; exit 8 for an unknown outcome. */
async function carryOutOne(
  id: string,
  verb: LifeVerb,
  { doing, severe, done, already, facts, note }: LifeWords,
  { confirm, verify }: LifeFlags,
  session: Session,
): Promise<void> {
  const { api, out, context } = session;
  const { operation, action, steps } = lifeActions[verb];
  api.permit(operation, id);
  await checkId(id, api);
  const { named, ...found } = await lookBefore(id, true, session).catch(suggestProperty(api, id));
  const isDone = steps.length > 0 && changesNothing(found.property ?? {}, steps);
  if (isDone) return out.done(`Property ${named} ${already}.`, { id, ...facts, changed: false });
  refuseIfNotAllowed(id, found, { action, doing }, session);
  const sentence = `This ${severe.join(` property ${named}`)}, which cannot be undone.`;
  await session.confirmByName({ sentence, names: [[id]], given: confirm?.slice(-1) ?? [] });
  const settling = { ...settledByRepeating(context.argv, false), ...(note === undefined ? {} : { note }) };
  const readBack = await api.properties
    .carryOut(id, verb, { verify })
    .catch(suggestProperty(api, id))
    .catch(settleBy(settling));
  await reportWrite(out, done.join(` property ${id}`), { id, ...facts, changed: true }, readBack);
}
