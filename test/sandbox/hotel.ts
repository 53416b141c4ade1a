/** A valid body of a property creation. */
export function hotel(code: string, changes: Readonly<Record<string, unknown>> = {}) {
  return {
    code,
    name: { en: 'Alster Hotel', de: 'Hotel an der Alster' },
    company_name: 'Alsterhotel GmbH',
    commercial_register_entry: 'Amtsgericht Hamburg, HRB 90210',
    tax_id: 'DE811000001',
    location: { address_line1: 'Jungfernstieg 1', postal_code: '20095', city: 'Hamburg', country_code: 'DE' },
    time_zone: 'Europe/Berlin',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    currency_code: 'EUR',
    ...changes,
  };
}
