import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { changesNothing } from '../../model/patch.ts';
import type { Facts } from '../../print/output.ts';
import { aboutWrite, type FieldChange } from '../../seed/item.ts';
import { type LifeVerb, lifeActions } from '../../service/properties.ts';
import { settleBy, settledByRepeating } from '../lines.ts';
import { collect, refuseBeyond } from '../options.ts';
import { withReferences } from '../references.ts';
import { reportWrite } from '../write.ts';
import { lookBefore, refuseIfNotAllowed } from './allowed.ts';
import { checkId, suggestProperty } from './get.ts';
import { properties, propertiesArgument } from './reference.ts';

/** How messages speak of one action. */
interface LifeWords {
  readonly summary: string;
  readonly description: string;
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

/** None of them can be undone. */
export const lifeWords: Readonly<Record<LifeVerb, LifeWords>> = {
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
    unshown: { field: 'transactional_data', from: undefined, to: 'deleted', unread: true },
    facts: { reset: true },
    note: 'No read shows a reset. The command that settles it deletes what was booked since, too.',
  },
};

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
  const { summary, description } = lifeWords[verb];
  const refuse = (session: Session) =>
    refuseBeyond(lifeActions[verb].operation, `properties ${verb}`, session);
  const referred = { ...properties, refuse };
  const examples = [`properties ${verb} MUC`, `properties ${verb} MUC --confirm MUC --json`];
  const several = `properties ${verb} BER MUC --confirm BER,MUC`;
  return (context: Context) =>
    serviceCommand(verb, 'destroys', [...examples, several])
      .summary(summary)
      .description(`${description} Prompts for its id on a terminal; otherwise requires --confirm.`)
      .argument(...propertiesArgument)
      .option('--confirm <id>', 'consent: repeat the id (--yes is not enough)', collect)
      .option('--no-verify', 'do not read it back')
      .action(
        withReferences<LifeFlags>(context, referred, {
          named: 'writes',
          one: (id, flags, session) => carryOutOne(id, verb, flags, session),
          several: async (ids, flags, session) =>
            (await import('./several.ts')).carryOutSeveral(ids, verb, flags, session),
        }),
      );
}

/** @throws {CliError} exit 6 with the service's reasons; exit 11 without consent; exit 8 for an unknown outcome. */
async function carryOutOne(
  id: string,
  verb: LifeVerb,
  { confirm, verify }: LifeFlags,
  session: Session,
): Promise<void> {
  const { api, out, context } = session;
  const { operation, action, steps } = lifeActions[verb];
  const { doing, severe, done, already, facts, note } = lifeWords[verb];
  api.permit(operation, id);
  await checkId(id, api);
  const { named, ...found } = await lookBefore(id, true, session).catch(suggestProperty(api, id));
  const isDone = steps.length > 0 && changesNothing(found.property ?? {}, steps);
  if (isDone) return out.done(`Property ${named} ${already}.`, { id, ...facts, changed: false });
  refuseIfNotAllowed(id, found, { action, doing }, session);
  const sentence = `This ${severe.join(` property ${named}`)}, which cannot be undone.`;
  await session.confirmByName({ sentence, names: [[id]], given: confirm?.slice(-1) ?? [] });
  const settling = { ...settledByRepeating(context.argv, false), ...(note === undefined ? {} : { note }) };
  const about = aboutWrite('property', id, found.property, steps, [
    { field: verb, from: undefined, to: true },
  ]);
  const readBack = await api.kept
    .one(() => api.properties.carryOut(id, verb, { verify }), about)
    .catch(suggestProperty(api, id))
    .catch(settleBy(settling));
  await reportWrite(out, done.join(` property ${id}`), { id, ...facts, changed: true }, readBack);
}
