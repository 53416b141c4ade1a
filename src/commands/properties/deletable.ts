import type { Api } from '../../api/api.ts';
import { reasonsAgainstDeletion } from '../../api/property-actions.ts';
import { CliError, type Detail } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import { isRecord } from '../../records.ts';
import { cellText, lastingVoice } from '../../render/cells.ts';
import { clip, neutraliseLine } from '../../render/text.ts';
import type { Session } from '../../session.ts';
import { suggestingProperty } from './by-id.ts';

/** Code units of a name and of a reason; nobody reads more. */
const [LONGEST_NAME, LONGEST_REASON] = [60, 1_000];

/**
 * Looks at a property before it is deleted, where the service says beforehand what may be done with it. What cannot be
 * read is left to the deletion itself.
 *
 * @param isAsking whether consent has yet to be asked for: nobody is asked about a property that is not there.
 * @returns how a question calls it: `BER`, or `BER (Grand Hotel)`.
 * @throws {CliError} `not_allowed`, exit 6, with the service's reasons when it would refuse; exit 3 where there is none.
 */
export async function lookBeforeDeleting(
  id: string,
  isAsking: boolean,
  { api, context }: Pick<Session, 'api' | 'context'>,
): Promise<string> {
  const isTold = api.dialect.expansions?.includes('actions') === true;
  if (!isTold && !isAsking) return id;
  let requestId: string | undefined;
  const heard = (number: string | undefined) => {
    requestId = number;
  };
  const reading = isTold ? api.properties.readWithActions(id, heard) : api.properties.read(id);
  const property = await reading.catch(unlessMissing(api, id));
  if (property === undefined) return id;
  // What is left of a cut secret is found by nobody, so that it is masked before.
  const shown = (text: string, length: number) => clip(neutraliseLine(context.redactor.text(text)), length);
  const reasons = reasonsAgainstDeletion(property)?.map(({ field, reason }) => ({
    field: shown(field, LONGEST_NAME),
    reason: shown(reason, LONGEST_REASON),
  }));
  if (reasons !== undefined) throw notAllowed(id, reasons, requestId);
  const { name } = property;
  const isNamed = typeof name === 'string' || isRecord(name);
  return isNamed ? `${id} (${shown(cellText(name, 'language', lastingVoice), LONGEST_NAME)})` : id;
}

/** For `catch`: nothing was seen, unless what was seen is that there is no such property. */
function unlessMissing(api: Api, id: string) {
  return async (error: unknown): Promise<undefined> => {
    if (!(error instanceof CliError)) throw error;
    return error.code === 'not_found' ? suggestingProperty(api, id)(error) : undefined;
  };
}

function notAllowed(id: string, details: readonly Detail[], requestId: string | undefined): CliError {
  const why = details.length === 0 ? ', without saying why' : '';
  const sentence = `The service does not allow to delete property ${id} now${why}; nothing was sent.`;
  return new CliError('not_allowed', sentence, { exitCode: ExitCode.refused, details, requestId });
}
