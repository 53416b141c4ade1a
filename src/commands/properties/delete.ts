import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { invalidInput } from '../../errors.ts';
import { type Session, withSession } from '../../session.ts';
import { ignoreNotFoundFlag, ignoringNotFound, unlessIgnored } from '../ignore-not-found.ts';
import { reportWrite } from '../read-back.ts';
import { forgetCreation } from '../recent.ts';
import { inDoubt, settledByRepeating } from '../settle.ts';
import { idDetails, suggestingProperty } from './by-id.ts';
import { lookBeforeDeleting } from './deletable.ts';

/**
 * `properties delete <id>`: delete a property, once its id was typed a second time.
 *
 * DELETE /inventory/v1/properties/{id}. Which properties can be deleted the contract does not show; the public service
 * deletes those in status Test only, and says so beforehand where it is asked in its dialect.
 */
export function deleteProperty(context: Context) {
  return new DescribedCommand('delete', {
    effect: 'destroys',
    on: 'service',
    examples: ['properties delete MUC', 'properties delete MUC --confirm MUC --ignore-not-found --json'],
  })
    .alias('rm')
    .summary('delete a property')
    .description('Delete a property for good. On a terminal it asks for the id once more.')
    .argument('<id>', 'id of the property')
    .option('--confirm <id>', 'the id once more, instead of being asked; --yes is not enough')
    .option(...ignoreNotFoundFlag)
    .option('--no-verify', 'do not look afterwards whether it is gone')
    .action(
      withSession(context, async (session, id, options) => {
        session.api.permit('deleteProperty', id);
        const details = await idDetails(id, session.api);
        if (details.length > 0) throw invalidInput(details);
        const missing = () => session.out.done(`There is no property ${id}.`, { id, deleted: false });
        await deleteNamed(id, options, session).catch(unlessIgnored(options.ignoreNotFound, missing));
      }),
    );
}

interface DeleteFlags {
  readonly confirm?: string;
  readonly ignoreNotFound?: true;
  readonly verify: boolean;
}

/** Deletes a property once somebody consented. */
async function deleteNamed(
  id: string,
  { confirm, verify, ignoreNotFound }: DeleteFlags,
  session: Session,
): Promise<void> {
  const { api, out, globals, confirmByName, context } = session;
  const isAsking = confirm === undefined && globals.dryRun !== true;
  const named = await lookBeforeDeleting(id, isAsking, session);
  await confirmByName({ sentence: `This deletes property ${named}.`, names: [id], given: confirm });
  const done = await api.properties
    .delete(id, { verify })
    .catch(suggestingProperty(api, id))
    .catch(inDoubt(settledByRepeating(context.argv, { more: ignoringNotFound(ignoreNotFound) })));
  await forgetCreation(id, session);
  await reportWrite(out, `Deleted property ${id}`, { id, deleted: true }, done);
}
