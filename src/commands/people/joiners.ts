import { type Detail, detailsFor, invalidInput, refuseInvalid } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { emailProblem } from '../../model/segment.ts';
import { textProblem } from '../../model/text.ts';
import { sameAddress } from '../../people/facts.ts';
import type { Access } from '../../people/onboard.ts';
import { sameCommand } from '../../print/text.ts';
import { type Entry, type Place, placeText } from '../../seed/entry.ts';
import type { PeopleColumn, PersonRow } from '../../seed/people-file.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';
import { isOfFile, type JobFlags, type NamedPerson } from '../several/journalled.ts';
import { referenceProblem } from '../users/reference.ts';

/** The flags of `people onboard`, as typed. */
export interface OnboardFlags extends JobFlags {
  readonly role?: readonly string[] | undefined;
  readonly properties?: readonly string[] | undefined;
  readonly property?: readonly string[] | undefined;
  readonly like?: string | undefined;
  readonly at?: readonly string[] | undefined;
}

/** What somebody is to get: roles at properties, or the access of a colleague. */
export interface Wanted extends Access {
  readonly like?: string | undefined;
  /** Of the colleague, only these properties; empty for all. */
  readonly at: readonly string[];
}

/** Somebody to onboard. */
export interface Joiner extends NamedPerson {
  readonly wanted: Wanted;
}

const LONGEST_ROLE = 100;

const roleProblem = (role: string) => textProblem(role, LONGEST_ROLE);

/** Those of a file. */
export const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: emailProblem },
  { name: 'role', problem: roleProblem },
  { name: 'roles', problem: roleProblem },
  { name: 'properties', problem: textProblem },
  { name: 'like', problem: referenceProblem },
  { name: 'at', problem: textProblem },
  { name: 'reason' },
  { name: 'ticket' },
];

/** What the flags give; `undefined` if they give nothing. */
export function wantedBy({
  role = [],
  properties,
  property,
  like,
  at = [],
}: OnboardFlags): Wanted | undefined {
  const ids = idList(properties, property) ?? [];
  if (role.length + ids.length === 0 && like === undefined) return undefined;
  return { roles: [...new Set(role)], properties: ids, like, at };
}

/** The problems of the flags. */
export async function flagProblems(
  { role, properties, property, like, at }: OnboardFlags,
  { api }: Session,
): Promise<readonly Detail[]> {
  const check = await openIdCheck(idList(properties, property, at) ?? [], api);
  const isBoth = like !== undefined && (role ?? properties ?? property) !== undefined;
  return [
    ...entryProblems('--role', role, roleProblem),
    ...entryProblems('--properties', idList(properties), check),
    ...entryProblems('--property', idList(property), check),
    ...entryProblems('--at', at, check),
    ...detailsFor('--like', like === undefined ? undefined : referenceProblem(like)),
    ...detailsFor('--like', isBoth ? BOTH : undefined),
    ...detailsFor('--at', at !== undefined && like === undefined ? 'is for --like' : undefined),
  ];
}

const BOTH = 'takes over roles and properties: give it without them';

/**
 * What everybody is to get: those of the line what the flags give, each once; rows of a file too, unless they say it themselves.
 *
 * @throws {CliError} exit 2 if nothing says what to give, or if a row contradicts itself.
 */
export function joinersOf(
  people: readonly NamedPerson[],
  given: Wanted | undefined,
  { context }: Session,
): readonly Joiner[] {
  if (!isOfFile(people)) return onLine(people, given, context.argv);
  const joiners = people.map((person) => ({
    ...person,
    wanted: (person.entry && wantedIn(person.entry)) ?? given,
  }));
  refuseInvalid(joiners.flatMap(({ wanted, entry }) => (entry ? problemsOfRow(wanted, entry.place) : [])));
  return joiners.flatMap(({ wanted, ...person }) => (wanted === undefined ? [] : [{ ...person, wanted }]));
}

function onLine(people: readonly NamedPerson[], wanted: Wanted | undefined, argv: readonly string[]) {
  if (wanted !== undefined && (wanted.like ?? wanted.properties[0]) !== undefined) {
    const isFirst = ({ reference }: NamedPerson, index: number) =>
      people.findIndex((each) => sameAddress(each.reference, reference)) === index;
    return people.filter(isFirst).map((person) => ({ ...person, wanted }));
  }
  const missing = wanted === undefined ? ['--role', 'ROLE', '--properties', 'IDS'] : ['--properties', 'IDS'];
  const details = missing
    .filter((word) => word.startsWith('-'))
    .map((field) => ({ field, reason: 'is missing' }));
  throw invalidInput(details, sameCommand(argv, ...missing));
}

/** What a row says; `undefined` if nothing. */
function wantedIn({ fields }: Pick<Entry, 'fields'>): Wanted | undefined {
  const { role = [], roles = [], properties = [], like, at = '' } = fields as Partial<PersonRow['fields']>;
  const own = {
    roles: [...new Set([role, roles].flat())],
    properties: [properties].flat(),
    like: like && String(like),
    at: listIn(at),
  };
  return own.roles.length + own.properties.length > 0 || own.like !== undefined ? own : undefined;
}

function listIn(cell: string | readonly string[]): readonly string[] {
  return [cell].flat().flatMap((each) => (each === '' ? [] : collectList(each, undefined)));
}

function problemsOfRow(wanted: Wanted | undefined, place: Place): readonly Detail[] {
  const at = (field: string, reason: string) => detailsFor(`${placeText(place)}: ${field}`, reason);
  if (wanted?.like !== undefined)
    return wanted.roles.length + wanted.properties.length > 0 ? at('like', BOTH) : [];
  if (wanted === undefined || wanted.properties.length === 0)
    return at('properties', 'is missing: give role and properties, or like');
  return wanted.at.length > 0 ? at('at', 'is for like') : [];
}
