import type { Fact } from '../../src/people/access-document.ts';

/** What a report of access says about a user with a role at BER. */
export function userFact(email: string, fields: Partial<Fact> = {}): Fact {
  return {
    email,
    name: '',
    subject_id: `${email.split('@')[0]}-1`,
    state: 'active',
    account_admin: false,
    property: 'BER',
    property_name: 'Berlin',
    roles: ['FrontDesk'],
    mfa: true,
    passkeys: false,
    source: 'user',
    ...fields,
  };
}

/** What a report of access says about an invitation for BER. */
export function invitationFact(email: string, fields: Partial<Fact> = {}): Fact {
  const { subject_id: _, ...fact } = userFact(email, { state: 'invited', mfa: null, passkeys: null });
  return { ...fact, source: 'invitation', age_days: 3, ...fields };
}
