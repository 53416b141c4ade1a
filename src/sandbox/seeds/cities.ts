/** Where the chain has its hotels. */
export interface City {
  /** Three letters: the first hotel's code, and how the codes of the others begin. */
  readonly code: string;
  readonly name: string;
  readonly localName: string;
  readonly language: string;
  readonly postalCode: string;
  readonly countryCode: string;
  readonly timeZone: string;
  readonly currencyCode: string;
}

type Row = readonly [
  code: string,
  name: string,
  localName: string,
  language: string,
  postalCode: string,
  countryCode: string,
  timeZone: string,
  currencyCode: string,
];

const rows: readonly Row[] = [
  ['BER', 'Berlin', 'Berlin', 'de', '10117', 'DE', 'Europe/Berlin', 'EUR'],
  ['MUC', 'Munich', 'München', 'de', '80331', 'DE', 'Europe/Berlin', 'EUR'],
  ['VIE', 'Vienna', 'Wien', 'de', '1010', 'AT', 'Europe/Vienna', 'EUR'],
  ['HAM', 'Hamburg', 'Hamburg', 'de', '20095', 'DE', 'Europe/Berlin', 'EUR'],
  ['DRS', 'Dresden', 'Dresden', 'de', '01067', 'DE', 'Europe/Berlin', 'EUR'],
  ['SZG', 'Salzburg', 'Salzburg', 'de', '5020', 'AT', 'Europe/Vienna', 'EUR'],
  ['ZRH', 'Zurich', 'Zürich', 'de', '8001', 'CH', 'Europe/Zurich', 'CHF'],
  ['GVA', 'Geneva', 'Genève', 'fr', '1201', 'CH', 'Europe/Zurich', 'CHF'],
  ['PAR', 'Paris', 'Paris', 'fr', '75001', 'FR', 'Europe/Paris', 'EUR'],
  ['LYS', 'Lyon', 'Lyon', 'fr', '69002', 'FR', 'Europe/Paris', 'EUR'],
  ['BRU', 'Brussels', 'Bruxelles', 'fr', '1000', 'BE', 'Europe/Brussels', 'EUR'],
  ['AMS', 'Amsterdam', 'Amsterdam', 'nl', '1012 AB', 'NL', 'Europe/Amsterdam', 'EUR'],
  ['LUX', 'Luxembourg', 'Luxembourg', 'fr', '1009', 'LU', 'Europe/Luxembourg', 'EUR'],
  ['LON', 'London', 'London', 'en', 'SW1A 1AA', 'GB', 'Europe/London', 'GBP'],
  ['EDI', 'Edinburgh', 'Edinburgh', 'en', 'EH1 1YZ', 'GB', 'Europe/London', 'GBP'],
  ['DUB', 'Dublin', 'Dublin', 'en', 'D02 AF30', 'IE', 'Europe/Dublin', 'EUR'],
  ['MAD', 'Madrid', 'Madrid', 'es', '28013', 'ES', 'Europe/Madrid', 'EUR'],
  ['BCN', 'Barcelona', 'Barcelona', 'es', '08002', 'ES', 'Europe/Madrid', 'EUR'],
  ['LIS', 'Lisbon', 'Lisboa', 'pt', '1100-148', 'PT', 'Europe/Lisbon', 'EUR'],
  ['ROM', 'Rome', 'Roma', 'it', '00184', 'IT', 'Europe/Rome', 'EUR'],
  ['MIL', 'Milan', 'Milano', 'it', '20121', 'IT', 'Europe/Rome', 'EUR'],
  ['VCE', 'Venice', 'Venezia', 'it', '30124', 'IT', 'Europe/Rome', 'EUR'],
  ['PRG', 'Prague', 'Praha', 'cs', '110 00', 'CZ', 'Europe/Prague', 'CZK'],
  ['BUD', 'Budapest', 'Budapest', 'hu', '1051', 'HU', 'Europe/Budapest', 'HUF'],
  ['WAW', 'Warsaw', 'Warszawa', 'pl', '00-001', 'PL', 'Europe/Warsaw', 'PLN'],
  ['KRK', 'Krakow', 'Kraków', 'pl', '31-001', 'PL', 'Europe/Warsaw', 'PLN'],
  ['CPH', 'Copenhagen', 'København', 'da', '1050', 'DK', 'Europe/Copenhagen', 'DKK'],
  ['STO', 'Stockholm', 'Stockholm', 'sv', '111 20', 'SE', 'Europe/Stockholm', 'SEK'],
  ['OSL', 'Oslo', 'Oslo', 'nb', '0154', 'NO', 'Europe/Oslo', 'NOK'],
  ['HEL', 'Helsinki', 'Helsinki', 'fi', '00100', 'FI', 'Europe/Helsinki', 'EUR'],
  ['TLL', 'Tallinn', 'Tallinn', 'et', '10111', 'EE', 'Europe/Tallinn', 'EUR'],
  ['RIX', 'Riga', 'Rīga', 'lv', 'LV-1050', 'LV', 'Europe/Riga', 'EUR'],
  ['ATH', 'Athens', 'Αθήνα', 'el', '105 57', 'GR', 'Europe/Athens', 'EUR'],
  ['LJU', 'Ljubljana', 'Ljubljana', 'sl', '1000', 'SI', 'Europe/Ljubljana', 'EUR'],
  ['ZAG', 'Zagreb', 'Zagreb', 'hr', '10000', 'HR', 'Europe/Zagreb', 'EUR'],
];

/** The chain's cities, in the order in which it opened its houses. */
export const cities: readonly City[] = rows.map(
  ([code, name, localName, language, postalCode, countryCode, timeZone, currencyCode]) => ({
    code,
    name,
    localName,
    language,
    postalCode,
    countryCode,
    timeZone,
    currencyCode,
  }),
);
