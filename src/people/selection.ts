import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { didYouMean, nearest, nearestAddress } from '../model/names.ts';
import { quote, sameName } from '../model/text.ts';
import type { AccessDocument, Fact, FoundProperty, Selection } from './access-document.ts';
import { isUnknown, NOT_SHOWN, propertyFinder, reaches, sameAddress } from './facts.ts';

/**
 * The part of a report that was asked for: properties by id or code, a user by address or subject id. Of a property, these are
 * all who reach it, and those whose properties the service does not show.
 *
 * @throws {CliError} exit 3 for a property or a person that the report does not name.
 */
export function selectFacts(document: AccessDocument, { properties, user }: Selection): AccessDocument {
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
  const found = propertyFinder(properties)(reference);
  if (properties.includes(found)) return found.id;
  const meant = properties.filter(({ code, name }) => code === reference || isNamed(name, reference));
  const known = properties.flatMap(({ id, code = id }) => [id, code]);
  throw notFound(
    `There is no property ${quote(reference)}.`,
    meant.map(({ id }) => id),
    nearest(reference, known),
  );
}

/** Those of one person, named by an e-mail address or a subject id. */
function factsOf(user: string, items: readonly Fact[]): readonly Fact[] {
  const found = items.filter(({ email, subject_id: id }) => id === user || sameAddress(email, user));
  if (found.length > 0) return found;
  const addressesOf = (facts: readonly Fact[]) => [...new Set(facts.map(({ email }) => email))];
  throw notFound(
    `Nobody with the e-mail address ${quote(user)} has access or an invitation.`,
    addressesOf(items.filter(({ name }) => isNamed(name, user))),
    nearestAddress(user, addressesOf(items)),
  );
}

function isNamed(name: string, reference: string): boolean {
  return name !== '' && sameName(name) === sameName(reference);
}

/** @param meant what has that name; only otherwise something near it is suggested. */
function notFound(sentence: string, meant: readonly string[], near: string | undefined): CliError {
  const hint = didYouMean(meant.length > 0 ? meant : near);
  return new CliError('not_found', sentence, { exitCode: ExitCode.notFound, hint });
}
