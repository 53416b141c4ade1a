/** A valid body of a property creation with the fields of the contract only. */
export const hamburg = {
  code: 'HAM',
  name: { en: 'Harbour Hotel' },
  company_name: 'Hafenhotel GmbH',
  commercial_register_entry: 'HRB 1',
  tax_id: 'DE1',
  location: { address_line1: 'Am Kai 1', postal_code: '20457', city: 'Hamburg', country_code: 'DE' },
  time_zone: 'Europe/Berlin',
  default_check_in_time: '15:00:00',
  default_check_out_time: '11:00:00',
  currency_code: 'EUR',
};

/** The flags that give a property these fields, each with its value, in the order of the fields. */
export function flagsOf(fields: object): [flag: string, value: string][] {
  return Object.entries(fields).flatMap(([field, value]) => {
    if (field === 'name')
      return Object.entries(value).map(([language, text]) => ['--name', `${language}=${text}`]);
    return typeof value === 'object' ? flagsOf(value) : [[`--${field.replaceAll('_', '-')}`, value]];
  });
}
