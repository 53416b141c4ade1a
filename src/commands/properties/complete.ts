import { CliError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import type { PropertyField } from '../../model/property-fields.ts';
import { withFlags, withoutFlag } from '../lines.ts';
import { answersIn, askForMissing } from './ask.ts';
import { checkBody, type Draft } from './body.ts';
import { leftBehind, siblingOf, takenFrom, unshownIn } from './like.ts';

/** A body that can be sent. */
export interface Complete {
  readonly body: Draft['body'];
  /** The words of a command line that says all of it, whatever becomes of the property it is like. */
  readonly argv: readonly string[];
  readonly isAsked: boolean;
}

interface Options {
  readonly like?: string;
  readonly validate: boolean;
  /** Whether a person answers for what is missing. */
  readonly isAsked: boolean;
}

/**
 * What the command line and files left open comes from the person, or, where nobody can be asked, from the property that
 * --like names. On a terminal its values are what the answers begin with.
 *
 * @throws {CliError} exit 2 naming all that is missing or wrong.
 */
export async function completeDraft(
  given: Draft,
  { like, validate, isAsked }: Options,
  session: Session,
): Promise<Complete> {
  const sibling = await siblingOf(like, given, session);
  const asked = isAsked ? await askForMissing(given, sibling, session) : given;
  const draft = takenFrom(sibling, asked);
  if (validate) await checkBody(draft, session.out.warn).catch(withUnshown(like, unshownIn(sibling, draft)));
  const left = like === undefined ? undefined : leftBehind(like, sibling, draft);
  if (left !== undefined) await session.out.warn(left);
  // The property may change until they are typed again.
  const argv = withFlags(withoutFlag('--like', session.context.argv), answersIn(draft, given));
  return { body: draft.body, argv, isAsked };
}

/**
 * Says what the property that --like names could not give, as flags to type.
 *
 * @returns for `catch`; every error goes on.
 */
function withUnshown(like: string | undefined, unshown: readonly PropertyField[]) {
  return (error: unknown): never => {
    if (!(error instanceof CliError) || like === undefined || unshown.length === 0) throw error;
    const flags = unshown.map(({ flag, example }) => `--${flag} ${example ?? 'VALUE'}`);
    throw error.withHint(`${like} does not show this; give it: ${flags.join(' ')}`);
  };
}
