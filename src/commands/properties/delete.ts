import { serviceCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { aboutWrite } from '../../seed/item.ts';
import type { ReadBack } from '../../service/settling.ts';
import { reportDeletion } from '../deletion.ts';
import { collect } from '../options.ts';
import { withReferences } from '../references.ts';
import { misspeltProperties } from '../suggest.ts';
import { ignoreNotFoundFlag } from '../write.ts';
import { lookBefore, refuseIfNotAllowed } from './allowed.ts';
import { checkId } from './get.ts';
import type { LifeFlags } from './life.ts';
import { properties, propertiesArgument } from './reference.ts';

/**
 * `properties delete <id>`: delete a property, after its id was repeated.
 *
 * DELETE /inventory/v1/properties/{id}. The contract does not say which properties can be deleted; the public service
 * deletes only those in status Test, and its dialect can ask beforehand.
 */
export function deleteProperty(context: Context) {
  return serviceCommand('delete rm', 'destroys', [
    'properties delete MUC',
    'properties delete MUC --confirm MUC --ignore-not-found --json',
  ])
    .summary('delete a property')
    .description(
      'Delete a property permanently. Prompts for its id on a terminal; otherwise requires --confirm.',
    )
    .argument(...propertiesArgument)
    .option('--confirm <id>', 'confirm the deletion: repeat the id (--yes is not enough)', collect)
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not verify that it is gone')
    .action(
      withReferences(context, properties, {
        named: 'writes',
        one: deleteOne,
        several: async (...given) => (await import('./several.ts')).deleteProperties(...given),
      }),
    );
}

/** The flags of a deletion, as typed. */
export interface DeleteFlags extends LifeFlags {
  readonly ignoreNotFound?: true;
}

async function deleteOne(id: string, flags: DeleteFlags, session: Session): Promise<void> {
  session.api.permit('deleteProperty', id);
  await checkId(id, session.api);
  const deletion = {
    facts: { id },
    done: `Deleted property ${id}`,
    missing: `There is no property ${id}.`,
    misspelt: misspeltProperties([id], session.api),
  };
  await reportDeletion(deleteNamed(id, flags, session), deletion, flags, session);
}

/** Deletes a property after consent. */
async function deleteNamed(
  id: string,
  { confirm, verify }: DeleteFlags,
  session: Session,
): Promise<ReadBack> {
  const given = confirm?.slice(-1) ?? [];
  const isAsking = given.length === 0 && session.globals.dryRun !== true;
  const { named, ...found } = await lookBefore(id, isAsking, session);
  refuseIfNotAllowed(id, found, { action: 'Delete', doing: ['deleting', ''] }, session);
  await session.confirmByName({ sentence: `This deletes property ${named}.`, names: [[id]], given });
  const about = aboutWrite('property', id, found.property);
  return session.api.kept.one(() => session.api.properties.delete(id, { verify }), about);
}
