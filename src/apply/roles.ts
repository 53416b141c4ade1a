import type { Api } from '../api/api.ts';
import { readWhole } from '../api/whole-list.ts';
import { nearest } from '../checks/nearest.ts';
import { quote } from '../checks/text.ts';
import { CliError } from '../errors.ts';
import { bodyOf } from '../manifest/body.ts';
import type { Entry } from '../manifest/entry.ts';
import type { PlanDialect } from './plan-options.ts';

/**
 * Says which roles of an invitation the service does not have, as clauses.
 *
 * @param held roles that the person is invited to already: nothing is wrong with them.
 */
export type JudgeRoles = (entry: Entry, held: readonly unknown[]) => readonly string[];

interface RolesService {
  readonly dialect: Pick<PlanDialect, 'goesBeyond'>;
  readonly roles: Pick<Api['roles'], 'list'>;
}

/** `role` of an invitation takes these older names for roles that the role list spells otherwise. */
const olderNames: readonly string[] = ['FinanceManager', 'ReservationOffice', 'FrontOffice'];

const MOST_NAMED = 20;

/**
 * Reads the role list once where an invitation has a role. Roles are open: the list decides, and where it cannot be read
 * or has no names, nothing is judged.
 *
 * @param warn hears why nothing is judged.
 */
export async function openRoleJudge(
  entries: readonly Entry[],
  { roles, dialect }: RolesService,
  warn: (sentence: string) => Promise<void>,
): Promise<JudgeRoles> {
  const rolesOf = (entry: Entry) => rolesIn(entry, dialect);
  if (!entries.some((entry) => rolesOf(entry).length > 0)) return () => [];
  const { names, taken, problem } = await listedRoles(roles);
  if (problem !== undefined) {
    await warn(`The roles of invitations are not checked: ${problem}`);
    return () => [];
  }
  return (entry, held) =>
    rolesOf(entry).flatMap(({ role, isAlone }) => {
      const isTaken = taken.has(role) || held.includes(role) || (isAlone && olderNames.includes(role));
      return isTaken ? [] : [`the service has no role ${quote(role)}${suggestionFor(role, names)}`];
    });
}

/** @returns its roles, each with whether it is that of the field `role`. */
function rolesIn(entry: Entry, { goesBeyond }: RolesService['dialect']) {
  if (entry.kind !== 'invitation') return [];
  const { role, roles } = bodyOf(entry);
  const several = goesBeyond && Array.isArray(roles) ? roles : [];
  return [
    ...(typeof role === 'string' ? [{ role, isAlone: true }] : []),
    ...several.flatMap((each) => (typeof each === 'string' ? [{ role: each, isAlone: false }] : [])),
  ];
}

/** Which field of a role invitations take is not known: any of its texts is fine, and names are suggested. */
async function listedRoles(roles: RolesService['roles']) {
  const names: string[] = [];
  const taken = new Set<unknown>();
  try {
    const gap = await readWhole(roles.list({}, { limit: Number.POSITIVE_INFINITY }), 'roles', (role) => {
      for (const value of Object.values(role)) taken.add(value);
      if (typeof role['name'] === 'string') names.push(role['name']);
    });
    const isNothing = names.length === 0 ? 'the service lists none' : undefined;
    return { names, taken, problem: gap ?? isNothing };
  } catch (cause) {
    if (cause instanceof CliError) return { names, taken, problem: cause.message };
    throw cause;
  }
}

function suggestionFor(role: string, names: readonly string[]): string {
  const meant = nearest(role, names);
  if (meant !== undefined) return `: did you mean ${quote(meant)}?`;
  const more = names.length > MOST_NAMED ? ' and others' : '';
  return `: it has ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
