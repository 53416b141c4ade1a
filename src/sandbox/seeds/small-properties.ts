import type { PropertyRecord } from '../store/records.ts';
import { daysBefore } from './dates.ts';

type Hotel = Omit<PropertyRecord, 'created'> & { readonly daysAgo: number };

const hotels: readonly Hotel[] = [
  {
    id: 'BER',
    code: 'BER',
    name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' },
    description: { en: 'At the Gendarmenmarkt', de: 'Am Gendarmenmarkt' },
    company_name: 'Grandhotel Berlin GmbH',
    managing_directors: 'Ana Lindner',
    commercial_register_entry: 'Amtsgericht Charlottenburg, HRB 104512 B',
    tax_id: 'DE811569869',
    location: {
      address_line1: 'Mohrenstraße 30',
      postal_code: '10117',
      city: 'Berlin',
      country_code: 'DE',
    },
    bank_account: { iban: 'DE02120300000000202051', bic: 'BYLADEM1001', bank: 'Deutsche Kreditbank' },
    payment_terms: { en: 'Payment on check-in', de: 'Zahlbar bei Check-in' },
    time_zone: 'Europe/Berlin',
    currency_code: 'EUR',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    daysAgo: 730,
    status: 'Live',
    is_archived: false,
    is_template: false,
  },
  {
    id: 'MUC',
    code: 'MUC',
    name: { en: 'Isar Hotel Munich', de: 'Hotel an der Isar' },
    company_name: 'Isarhotel Betriebs GmbH',
    commercial_register_entry: 'Amtsgericht München, HRB 228410',
    tax_id: 'DE143271660',
    location: { address_line1: 'Marienplatz 1', postal_code: '80331', city: 'München', country_code: 'DE' },
    payment_terms: { en: 'Payment on check-in', de: 'Zahlbar bei Check-in' },
    time_zone: 'Europe/Berlin',
    currency_code: 'EUR',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    daysAgo: 120,
    status: 'Test',
    is_archived: false,
    is_template: false,
  },
  {
    id: 'VIE',
    code: 'VIE',
    name: { en: 'Ring Hotel Vienna', de: 'Hotel am Ring' },
    company_name: 'Ringhotel Wien GmbH',
    commercial_register_entry: 'Handelsgericht Wien, FN 412807 k',
    tax_id: 'ATU68012345',
    location: { address_line1: 'Kärntner Ring 9', postal_code: '1010', city: 'Wien', country_code: 'AT' },
    payment_terms: { en: 'Payment within 14 days', de: 'Zahlbar binnen 14 Tagen' },
    time_zone: 'Europe/Vienna',
    currency_code: 'EUR',
    default_check_in_time: '14:00:00',
    default_check_out_time: '12:00:00',
    daysAgo: 45,
    status: 'Test',
    is_archived: false,
    is_template: false,
  },
];

/** Berlin is open; Munich and Vienna are still being set up. */
export function smallProperties(now: number): readonly PropertyRecord[] {
  return hotels.map(({ daysAgo, ...hotel }) => ({ ...hotel, created: daysBefore(now, daysAgo) }));
}
