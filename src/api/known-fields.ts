import { languageProblem } from '../checks/language.ts';

/**
 * The fields that the contract or the public service names, by what they are of; `*` is a language. Of lists only the name
 * is known, not what they hold.
 */
const knownPaths: Readonly<Record<string, readonly string[]>> = {
  property: [
    'actions',
    'bank_account.bank',
    'bank_account.bic',
    'bank_account.iban',
    'code',
    'commercial_register_entry',
    'company_name',
    'created',
    'currency_code',
    'default_check_in_time',
    'default_check_out_time',
    'description.*',
    'id',
    'is_archived',
    'is_template',
    'location.address_line1',
    'location.address_line2',
    'location.city',
    'location.country_code',
    'location.postal_code',
    'location.region_code',
    'managing_directors',
    'name.*',
    'payment_terms.*',
    'property_template_id',
    'status',
    'tax_id',
    'time_zone',
    'unit_groups',
  ],
  user: [
    'email',
    'enabled',
    'first_name',
    'is_account_admin',
    'is_mfa_enabled',
    'is_passkeys_enabled',
    'last_name',
    'properties',
    'property_roles',
    'subject_id',
  ],
  invitation: ['created', 'email', 'invited_by', 'is_account_admin', 'properties', 'role', 'roles'],
  role: ['id', 'name'],
  country: ['code', 'name.*'],
};

/**
 * Whether the service may show this field, a dotted path, in a record that innctl prints; records may lack it.
 *
 * @param noun what the record is of: `property`; any of them where it is left out.
 */
export function isKnownField(field: string, noun?: string): boolean {
  const names = field.split('.');
  const paths = noun === undefined ? Object.values(knownPaths).flat() : (knownPaths[noun] ?? []);
  return paths
    .map((path) => path.split('.'))
    .some(
      (path) =>
        names.length <= path.length &&
        names.every((name, index) => path[index] === name || isLanguageAt(path[index], name)),
    );
}

function isLanguageAt(step: string | undefined, name: string): boolean {
  return step === '*' && languageProblem(name) === undefined;
}
