import { serviceCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { isRecord } from '../../model/records.ts';
import { absoluteWording, cellText } from '../../out/cells.ts';
import { clip, neutraliseLine } from '../../out/text.ts';
import { reasonsAgainstDeletion } from '../../service/property-names.ts';
import type { ReadBack } from '../../service/settling.ts';
import { reportDeletion } from '../deletion.ts';
import { collect } from '../options.ts';
import { withReferences } from '../references.ts';
import { misspeltProperties } from '../suggest.ts';
import { ignoreNotFoundFlag } from '../write.ts';
import { checkId } from './get.ts';
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
        choosesSeveral: () => true,
      }),
    );
}

interface DeleteFlags {
  readonly confirm?: readonly string[];
  readonly verify: boolean;
  readonly ignoreNotFound?: true;
}

async function deleteOne(id: string, flags: DeleteFlags, session: Session): Promise<void> {
  session.api.permit('deleteProperty', id);
  await checkId(id, session.api);
  const deletion = {
    id,
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
  const named = await lookBeforeDeleting(id, isAsking, session);
  await session.confirmByName({ sentence: `This deletes property ${named}.`, names: [[id]], given });
  return session.api.properties.delete(id, { verify });
}

/** Maximum length of a name and of a reason, code units. */
const [LONGEST_NAME, LONGEST_REASON] = [60, 1_000];

/**
 * Reads a property before its deletion, if the service shows which actions are allowed. If it cannot be read, the
 * deletion is tried.
 *
 * @param isAsking whether the id will be prompted for, so that a missing property is reported first.
 * @returns its name in the question: `BER`, or `BER (Grand Hotel)`.
 * @throws {CliError} `not_allowed`, exit 6, with the service's reasons; exit 3 if there is none.
 */
async function lookBeforeDeleting(id: string, isAsking: boolean, { api, context }: Session): Promise<string> {
  const isShown = api.dialect.expansions?.includes('actions') === true;
  if (!isShown && !isAsking) return id;
  const read = async () =>
    isShown
      ? api.properties.readWithActions(id)
      : { property: await api.properties.read(id), requestId: undefined };
  const found = await read().catch(unlessMissing);
  if (found === undefined) return id;
  const { property, requestId } = found;
  // Mask before cutting: a cut secret would not be recognised.
  const shown = (text: string, length: number) => clip(neutraliseLine(context.redactor.text(text)), length);
  const details = reasonsAgainstDeletion(property)?.map(({ field, reason }) => ({
    field: shown(field, LONGEST_NAME),
    reason: shown(reason, LONGEST_REASON),
  }));
  if (details !== undefined) {
    const why = details.length === 0 ? ', without saying why' : '';
    const sentence = `The service does not allow deleting property ${id} now${why}; nothing was sent.`;
    throw new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, details, requestId });
  }
  const { name } = property;
  const isNamed = typeof name === 'string' || isRecord(name);
  return isNamed ? `${id} (${shown(cellText(name, 'language', absoluteWording), LONGEST_NAME)})` : id;
}

/** For `catch`: ignores all errors but "not found". */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof CliError) || error.code === 'not_found') throw error;
}
