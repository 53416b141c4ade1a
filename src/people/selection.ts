import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { didYouMean, nearest, nearestAddress } from '../model/names.ts';
import { quote, sameName } from '../model/text.ts';
import type { AccessDocument, Fact, FoundProperty } from './access-document.ts';
import { isUnknown, NOT_SHOWN, reaches, sameAddress } from './facts.ts';

/** What a person wants of a report: properties by id or code, a user by address or subject id. */
export interface Wanted {
  readonly properties?: readonly string[] | undefined;
  readonly user?: string | undefined;
}

/**
 * The part of a report that was asked for. Of a property these are all who reach it, and those of whom the service does not
 * show which properties they have.
 *
 * @throws {CliError} exit 3 for a property or a person that the report does not name.
 */
export function selectFacts(document: AccessDocument, { properties, user }: Wanted): AccessDocument {
  if (properties === undefined && user === undefined) return document;
  const { access, items } = document;
  const ids = properties?.map((reference) => propertyCalled(reference, access.properties));
  const found = user === undefined ? items : factsOf(user, items);
  const isWanted = (fact: Fact) =>
    ids === undefined || fact.property === NOT_SHOWN || ids.some((id) => reaches(fact, id));
  const selected = found.filter(isWanted);
  const places = access.properties.filter(({ id }) => ids === undefined || ids.includes(id));
  return {
    access: {
      ...access,
      selected: {
        ...(ids && { properties: ids }),
        ...(user !== undefined && { user: found[0]?.email ?? user }),
      },
      unknown: selected.filter(isUnknown).length,
      properties: places,
    },
    count: selected.length,
    items: selected,
  };
}

/** The id of a property that is named by its id, or by a code that no other has. */
function propertyCalled(reference: string, properties: readonly FoundProperty[]): string {
  const byCode = properties.filter(({ code }) => code === reference);
  const found =
    properties.find(({ id }) => id === reference) ?? (byCode.length === 1 ? byCode[0] : undefined);
  if (found !== undefined) return found.id;
  const named = properties.filter(({ name }) => name !== '' && sameName(name) === sameName(reference));
  const known = properties.flatMap(({ id, code = id }) => [id, code]);
  const meant = [...byCode, ...named].map(({ id }) => id);
  throw new CliError('not_found', `There is no property ${quote(reference)}.`, {
    exitCode: ExitCode.notFound,
    hint: didYouMean(meant.length > 0 ? meant : nearest(reference, known)),
  });
}

/** Those of one person, named by an e-mail address, a subject id, or the whole name. */
function factsOf(user: string, items: readonly Fact[]): readonly Fact[] {
  const found = items.filter(({ email, subject_id: id }) => id === user || sameAddress(email, user));
  if (found.length > 0) return found;
  const named = items.filter(({ name }) => name !== '' && sameName(name) === sameName(user));
  const meant = [...new Set(named.map(({ email }) => email))];
  const addresses = [...new Set(items.map(({ email }) => email))];
  throw new CliError(
    'not_found',
    `Nobody with the e-mail address ${quote(user)} has access or an invitation.`,
    {
      exitCode: ExitCode.notFound,
      hint: didYouMean(meant.length > 0 ? meant : nearestAddress(user, addresses)),
    },
  );
}
