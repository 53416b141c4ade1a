import { type Detail, detailsFor, invalidInput } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import type { Session } from '../../cli/session.ts';
import { emailProblem, heldEmailProblem } from '../../model/segment.ts';
import { textProblem } from '../../model/text.ts';
import { sameCommand } from '../../out/text.ts';
import { sameAddress } from '../../people/facts.ts';
import type { Access } from '../../people/onboard.ts';
import { type Entry, type Place, placeText } from '../../seed/entry.ts';
import type { PeopleColumn } from '../../seed/people-file.ts';
import type { EvidenceFlags } from '../evidence/flags.ts';
import { entryProblems, idList, openIdCheck } from '../options.ts';
import type { JobFlags } from '../several/journalled.ts';

/** The flags of `people onboard`, as typed. */
export interface OnboardFlags extends JobFlags, EvidenceFlags {
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
export interface Joiner {
  readonly email: string;
  readonly wanted: Wanted;
  /** The row of a file. */
  readonly entry?: Entry | undefined;
}

const LONGEST_ROLE = 100;

const roleProblem = (role: string) => textProblem(role, LONGEST_ROLE);

const columns: readonly PeopleColumn[] = [
  { name: 'email', isNeeded: true, isUnique: true, problem: emailProblem },
  { name: 'role', problem: roleProblem },
  { name: 'roles', problem: roleProblem },
  { name: 'properties', problem: textProblem },
  { name: 'like', problem: heldEmailProblem },
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
    ...detailsFor('--like', like === undefined ? undefined : heldEmailProblem(like)),
    ...detailsFor('--like', isBoth ? BOTH : undefined),
    ...detailsFor('--at', at !== undefined && like === undefined ? 'is for --like' : undefined),
  ];
}

const BOTH = 'takes over roles and properties: give it without them';

/** The people that the command line names, each once. @throws {CliError} exit 2 if nothing says what to give. */
export function namedOnLine(references: readonly string[], wanted: Wanted | undefined, { context }: Session) {
  if (wanted !== undefined && (wanted.like ?? wanted.properties[0]) !== undefined) {
    const isFirst = (email: string, index: number) =>
      references.findIndex((each) => sameAddress(each, email)) === index;
    return references.filter(isFirst).map((email): Joiner => ({ email, wanted }));
  }
  const missing = wanted === undefined ? ['--role', 'ROLE', '--properties', 'IDS'] : ['--properties', 'IDS'];
  const details = missing
    .filter((word) => word.startsWith('-'))
    .map((field) => ({ field, reason: 'is missing' }));
  throw invalidInput(details, sameCommand(context.argv, ...missing));
}

/** The rows of a file; those that do not say what to give get what the flags give. */
export async function readJoiners(
  file: string,
  given: Wanted | undefined,
  { map }: OnboardFlags,
  { context, out }: Session,
): Promise<readonly Joiner[]> {
  const { readPeople } = await import('../../seed/people-file.ts');
  const rows = await readPeople(file, columns, { context, map, warn: out.warn });
  const joiners = rows.map(({ place, fields }) => {
    const { email, role, roles = [], properties = [], like, at = '' } = fields;
    const named = [...new Set([role ?? [], roles].flat())];
    const own = { roles: named, properties: [properties].flat(), like: like && String(like), at: listIn(at) };
    const isGiven = own.roles.length + own.properties.length > 0 || own.like !== undefined;
    const entry: Entry = { kind: 'invitation', name: String(email), place, fields };
    return { email: String(email), wanted: isGiven ? own : given, entry };
  });
  const wrong = joiners.flatMap(({ wanted, entry }) => problemsOfRow(wanted, entry.place));
  if (wrong.length > 0) throw invalidInput(wrong);
  return joiners.flatMap(({ wanted, ...joiner }) => (wanted === undefined ? [] : [{ ...joiner, wanted }]));
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
