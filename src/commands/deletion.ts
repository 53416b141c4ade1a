import type { Session } from '../cli/session.ts';
import type { Facts } from '../print/output.ts';
import type { ReadBack } from '../service/settling.ts';
import { settleBy, settledByRepeating } from './lines.ts';
import { type Misspelt, suggest } from './suggest.ts';
import { ignoringNotFound, isIgnored, reportWrite } from './write.ts';

/** The texts and facts for the report of a deletion. */
export interface Deletion {
  readonly facts: Facts;
  /** The beginning of a sentence: `Deleted property BER`. */
  readonly done: string;
  /** `There is no property BER.` */
  readonly missing: string;
  /** The id, which is in the path of the request. */
  readonly misspelt: Misspelt;
}

/**
 * Reports a deletion.
 *
 * @throws {CliError} exit 3 with a suggestion, unless --ignore-not-found is given.
 * @throws {OutcomeUnknown} with the command that settles it.
 */
export async function reportDeletion(
  deleting: Promise<ReadBack>,
  { facts, done, missing, misspelt }: Deletion,
  { ignoreNotFound }: { readonly ignoreNotFound?: true },
  session: Session,
): Promise<void> {
  const { out, context } = session;
  const suggestName = suggest({ ...misspelt, inPath: true });
  const settling = settledByRepeating(context.argv, false, ...ignoringNotFound(ignoreNotFound));
  const readBack = await deleting
    .catch((error: unknown) => (isIgnored(error, ignoreNotFound) ? undefined : suggestName(error)))
    .catch(settleBy(settling));
  if (readBack === undefined) return out.done(missing, { ...facts, deleted: false });
  await reportWrite(out, done, { ...facts, deleted: true }, readBack);
}
