import { languageProblem } from '../checks/language.ts';

/** The fields that the contract or the public service names; `*` is a language. Of lists only the name is known, not what they hold. */
const knownPaths = [
  'account_code',
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
  'email',
  'enabled',
  'first_name',
  'id',
  'invited_by',
  'is_account_admin',
  'is_archived',
  'is_mfa_enabled',
  'is_passkeys_enabled',
  'is_template',
  'last_name',
  'location.address_line1',
  'location.address_line2',
  'location.city',
  'location.country_code',
  'location.postal_code',
  'location.region_code',
  'managing_directors',
  'name.*',
  'payment_terms.*',
  'properties',
  'property_roles',
  'property_template_id',
  'role',
  'roles',
  'status',
  'subject_id',
  'tax_id',
  'time_zone',
].map((path) => path.split('.'));

/** Whether the service may show this field, a dotted path, in a record that innctl prints; records may lack it. */
export function isKnownField(field: string): boolean {
  const names = field.split('.');
  return knownPaths.some(
    (path) =>
      names.length <= path.length &&
      names.every((name, index) => path[index] === name || isLanguageAt(path[index], name)),
  );
}

function isLanguageAt(step: string | undefined, name: string): boolean {
  return step === '*' && languageProblem(name) === undefined;
}
