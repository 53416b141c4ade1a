import type { Session } from '../../session.ts';
import { withFlags } from '../one-line.ts';
import { answersIn, askForMissing } from './ask.ts';
import { type Draft, missingIn } from './body.ts';
import { checkBody, checkGiven } from './check.ts';
import { siblingOf, takenFrom, withoutLike } from './like.ts';

/** A body that can be sent. */
export interface Complete {
  readonly body: Draft['body'];
  /** The words of a command line that says all of it, whatever becomes of the property it is like. */
  readonly argv: readonly string[];
  readonly isAsked: boolean;
}

interface Flags {
  readonly like?: string;
  readonly validate: boolean;
}

/**
 * What the command line and files left open comes from the person, or, where nobody can be asked, from the property that
 * --like names. On a terminal its values are what the answers begin with.
 *
 * @throws {CliError} exit 2 naming all that is missing or wrong.
 */
export async function completeDraft(
  given: Draft,
  { like, validate }: Flags,
  session: Session,
): Promise<Complete> {
  const isAsked = validate && session.mayAsk() && missingIn(given.body).length > 0;
  // Nobody answers a dozen questions to hear then what was wrong before.
  if (isAsked) await checkGiven(given);
  const sibling = await siblingOf(like, given, session);
  const draft = isAsked ? await askForMissing(given, sibling, session) : takenFrom(sibling, given);
  if (validate) await checkBody(draft, session.out.warn);
  const argv = withFlags(withoutLike(session.context.argv), answersIn(draft, given));
  return { body: draft.body, argv, isAsked };
}
