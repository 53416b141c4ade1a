import type { NewProperty } from '../../api/properties.ts';
import { indexProperties } from '../../apply/property-index.ts';
import { CliError, OutcomeUnknown } from '../../errors.ts';
import { isOfService } from '../../http/stored-answer.ts';
import type { Session } from '../../session.ts';
import { withValue } from '../one-line.ts';
import { inDoubt, isPiped, settledByRepeating } from '../settle.ts';

/** A creation as it was typed. */
interface Creation {
  /** Says the whole body, but for what files hold. */
  readonly argv: readonly string[];
  readonly options: { readonly file?: string; readonly idempotencyKey?: string };
  readonly body: NewProperty;
  /** The idempotency key it was sent with. */
  readonly key: string;
}

const NEW_KEY =
  'The service answers this idempotency key with its failure, and no property has the code: the command that settles it has a new key.';

/**
 * Adds to a creation in doubt the command that settles it: the same, under the same key. A service that stores answers
 * repeats a failure for as long as it keeps the key. So where a key that was typed is answered by one, and a look shows
 * that nothing was created, the command has a new key.
 *
 * @returns for `catch`; every error goes on.
 */
export function creationInDoubt({ argv, options, body, key }: Creation, { api, context }: Session) {
  const { file, idempotencyKey: typed } = options;
  const readsStdin = isPiped(file);
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof OutcomeUnknown)) throw error;
    const isSpent = typed !== undefined && isOfService(error.status) && (await isAbsent(body, api));
    const used = isSpent ? context.uuid() : key;
    const settling = settledByRepeating(withValue(argv, '--idempotency-key', used), { readsStdin });
    const besides = [settling.besides, isSpent ? NEW_KEY : undefined].filter((each) => each !== undefined);
    return inDoubt({ ...settling, besides: besides.length === 0 ? undefined : besides.join(' ') })(error);
  };
}

/** Whether the list is whole, shows all codes, and not this one. */
async function isAbsent({ code }: NewProperty, api: Session['api']): Promise<boolean> {
  if (typeof code !== 'string') return false;
  try {
    const index = await indexProperties(api);
    return index.withCode(code).length === 0 && index.doubt() === undefined;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    return false;
  }
}
