import { invitesAdmin, shownProperties } from '../model/access.ts';
import { rolesAt } from '../model/access-change.ts';
import { groupBy, type ServiceRecord } from '../model/records.ts';
import type { Fact } from './access-document.ts';
import { EVERY_PROPERTY } from './facts.ts';

/** Roles, and the properties where somebody is to have them. */
export interface Access {
  readonly roles: readonly string[];
  readonly properties: readonly string[];
}

/** Why access cannot be given. */
export interface Refusal {
  /** As a sentence without a period. */
  readonly problem: string;
  /** What of it could be given. */
  readonly choices?: readonly Access[] | undefined;
}

/**
 * The access of a colleague, to give to somebody else: properties, and the roles that are the same at all of them. Full access
 * is never copied, and roles that differ by property are never united.
 *
 * @param facts of the colleague, one at least. Those of a user count, not those of an invitation to the same address.
 * @param at only these properties; empty for all.
 */
export function accessLike(facts: readonly Fact[], at: readonly string[]): Access | Refusal {
  const ofUser = facts.filter(({ source }) => source === 'user');
  const own = ofUser.length > 0 ? ofUser : facts;
  const { email = '', account_admin: isAdmin } = own[0] ?? {};
  const placed = own.filter(({ property }) => property !== null && property !== EVERY_PROPERTY);
  const shown = placed.flatMap(({ property, roles }) =>
    property === null || roles === null ? [] : [{ property, roles }],
  );
  const refused = (problem: string, choices?: readonly Access[]): Refusal => ({ problem, choices });
  if (shown.length < placed.length)
    return refused(`the service does not show which roles ${email} has where`);
  if (shown.length === 0 && isAdmin)
    return refused(`${email} is an account admin without properties, and full access is not copied`);
  if (shown.length === 0) return refused(`${email} has no property`);
  const known = shown.map(({ property }) => property);
  const missing = at.filter((id) => !known.includes(id));
  if (missing.length > 0)
    return refused(`${email} does not have ${missing.join(', ')}, but ${known.join(', ')}`);
  const choices = byRoles(shown.filter(({ property }) => at.length === 0 || at.includes(property)));
  const [access, other] = choices;
  if (access === undefined || other !== undefined)
    return refused(
      `the roles of ${email} differ by property: ${choices.map(accessText).join('; ')}`,
      choices,
    );
  if (invitesAdmin({ roles: access.roles }))
    return refused(`${email} is an account admin by role, and full access is not copied`);
  return access;
}

/** `FrontDesk at BER, MUC`. */
export function accessText({ roles, properties }: Access): string {
  return `${roles.length === 0 ? 'no role' : roles.join(' and ')} at ${properties.join(', ')}`;
}

/** What to change of a user who is to have some access. */
export interface Grant {
  readonly enables: boolean;
  /** Properties that the user does not have yet. */
  readonly added: readonly string[];
  /** The roles that the user lacks, which no operation gives. */
  readonly lacking: readonly Access[];
}

/**
 * What a user lacks of some access.
 *
 * @param user alone, or as a list shows all of the access.
 */
export function grantTo(user: ServiceRecord, { roles, properties }: Access): Grant | Refusal {
  const { enabled, is_account_admin: isAdmin } = user;
  if (isAdmin === true && enabled === false)
    return { problem: 'is a disabled account admin, who would get full access back' };
  if (isAdmin === true) return { enables: false, added: [], lacking: [] };
  const held = shownProperties(user);
  const added = properties.filter((id) => !held.includes(id));
  const lacking = properties.map((property) => {
    const now = added.includes(property) ? [] : (rolesAt(user, property) ?? roles);
    return { property, roles: roles.filter((role) => !now.includes(role)) };
  });
  return {
    enables: enabled === false,
    added,
    lacking: byRoles(lacking.filter((each) => each.roles.length > 0)),
  };
}

/** The properties with the same roles together. */
function byRoles(
  placed: readonly { readonly property: string; readonly roles: readonly string[] }[],
): readonly Access[] {
  const groups = groupBy(placed, ({ roles }) => JSON.stringify(roles));
  return [...groups.values()].map((alike) => ({
    roles: alike[0].roles,
    properties: alike.map(({ property }) => property),
  }));
}
