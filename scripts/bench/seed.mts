/** This many hotels as NDJSON: a manifest in which each line is also the body of its creation. */
export function seedText(rows: number): string {
  return Array.from({ length: rows }, (_, index) => `${JSON.stringify(hotel(index + 1))}\n`).join('');
}

function hotel(number: number): unknown {
  const code = `H${number.toString().padStart(6, '0')}`;
  return {
    code,
    name: { en: `Hotel ${code}`, de: `Gasthof ${code}` },
    company_name: `Hotel ${code} GmbH`,
    commercial_register_entry: `HRB ${number}`,
    tax_id: `DE${number.toString().padStart(9, '0')}`,
    location: {
      address_line1: `Ringstrasse ${number}`,
      postal_code: '10115',
      city: 'Berlin',
      country_code: 'DE',
    },
    time_zone: 'Europe/Berlin',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    currency_code: 'EUR',
  };
}
