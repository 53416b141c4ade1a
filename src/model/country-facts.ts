import currencyOf from 'country-to-currency';

/** The currency of a country, ISO 4217; empty if unknown. */
export function currenciesOf(country: unknown): readonly string[] {
  const usual: unknown = new Map(Object.entries(currencyOf)).get(String(country));
  return typeof usual === 'string' ? [usual] : [];
}

/** Node 20 has a property, later versions have a method. */
type ZonedLocale = Intl.Locale & { readonly timeZones?: string[]; getTimeZones?(): string[] };

/** The IANA time zones of a country; empty if unknown. */
export function timeZonesOf(country: unknown): readonly string[] {
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) return [];
  const locale: ZonedLocale = new Intl.Locale(`und-${country}`);
  return (locale.getTimeZones?.() ?? locale.timeZones ?? []).map(newName);
}

/** Names that Node still uses, and those that replaced them. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** The name of a zone that is in use today. */
export function newName(zone: string): string {
  return renamed[zone] ?? zone;
}
