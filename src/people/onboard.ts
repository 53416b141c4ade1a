import { invitesAdmin } from '../model/access.ts';
import { groupBy } from '../model/records.ts';
import type { Fact } from './access-document.ts';
import { EVERY_PROPERTY } from './facts.ts';

/** Roles, and the properties where somebody is to have them. */
export interface Access {
  readonly roles: readonly string[];
  readonly properties: readonly string[];
}

/** Why access cannot be copied, as a sentence without a period, and what of it can. */
interface Refusal {
  readonly problem: string;
  readonly choice?: Access | undefined;
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
  const refused = (problem: string, choice?: Access): Refusal => ({ problem, choice });
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
      choices.find(({ roles }) => roles.length > 0),
    );
  if (invitesAdmin({ roles: access.roles }))
    return refused(`${email} is an account admin by role, and full access is not copied`);
  return access;
}

/** `FrontDesk at BER, MUC`. */
export function accessText({ roles, properties }: Access): string {
  return `${roles.length === 0 ? 'no role' : roles.join(' and ')} at ${properties.join(', ')}`;
}

/** The properties with the same roles together. */
export function byRoles(
  placed: readonly { readonly property: string; readonly roles: readonly string[] }[],
): readonly Access[] {
  const groups = groupBy(placed, ({ roles }) => JSON.stringify(roles));
  return [...groups.values()].map((alike) => ({
    roles: alike[0].roles,
    properties: alike.map(({ property }) => property),
  }));
}
