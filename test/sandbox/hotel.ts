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

/** The same as the public service accepts it, with fields beyond the contract. */
export const publicHotel = {
  code: 'HAM',
  name: { en: 'Alster Hotel' },
  companyName: 'Alsterhotel GmbH',
  commercialRegisterEntry: 'Amtsgericht Hamburg, HRB 90210',
  taxId: 'DE811000001',
  location: {
    addressLine1: 'Jungfernstieg 1',
    addressLine2: 'Hinterhaus',
    postalCode: '20095',
    city: 'Hamburg',
    regionCode: 'DE-HH',
    countryCode: 'DE',
  },
  bankAccount: { iban: 'DE02120300000000202051', bank: 'DKB' },
  paymentTerms: { en: 'Payment on check-in' },
  timeZone: 'Europe/Berlin',
  defaultCheckInTime: '15:00:00',
  defaultCheckOutTime: '11:00:00',
  currencyCode: 'EUR',
};
