import type { PropertyRoles, UserRecord } from '../store/records.ts';
import { admin, userOf } from './people.ts';

type Row = readonly [firstName: string, lastName: string, access: readonly PropertyRoles[]];

const rows: readonly Row[] = [
  ['Ben', 'Schuster', [at('BER', 'FrontDesk'), at('MUC', 'FrontDesk')]],
  ['Clara', 'Vogel', [at('BER', 'PropertyAdmin')]],
  ['David', 'Novak', [at('VIE', 'PropertyAdmin', 'RevenueManager')]],
  ['Emma', 'Huber', [at('MUC', 'PropertyAdmin')]],
  ['Felix', 'Brandt', [at('BER', 'Housekeeping')]],
  ['Greta', 'Moser', [at('VIE', 'HousekeepingManager')]],
  ['Hanna', 'Kraus', [at('BER', 'Accountant'), at('MUC', 'Accountant'), at('VIE', 'Accountant')]],
  ['Ivan', 'Petrov', [at('MUC', 'Housekeeping')]],
  ['Julia', 'Egger', [at('VIE', 'FrontDeskSenior')]],
  ['Karl', 'Lorenz', [at('BER', 'ReservationManager')]],
  ['Lukas', 'Weiss', [at('BER', 'Auditor')]],
];

/** Karl has left: his access is off and his record stays. */
const disabled = new Set(['Karl']);

/** Ana, who may do everything, and eleven who work in the hotels. */
export function smallUsers(): readonly UserRecord[] {
  const staff = rows.map(([firstName, lastName, access], index) =>
    userOf({
      id: `6f1c2a4e-00${String(index + 2).padStart(2, '0')}-4a6b-9c1d-5e8f7a2b3c01`,
      firstName,
      lastName,
      email: `${firstName.toLowerCase()}@aurora.example`,
      access,
      enabled: !disabled.has(firstName),
    }),
  );
  return [admin(), ...staff];
}

function at(id: string, ...roles: readonly string[]): PropertyRoles {
  return { id, roles };
}
