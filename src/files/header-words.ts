import { nearest } from '../model/names.ts';
import { languageMaps } from '../model/property-fields.ts';
import { languageProblem } from '../model/values.ts';
import { isInventory, type Kind, kinds } from './entry.ts';
import { entryKinds, inventoryMaps } from './kind.ts';
import { meantBy } from './names.ts';

/** What spreadsheets call a column, in English and German, besides the name of its field; commas between. */
const otherWords: Readonly<Record<string, string>> = {
  code: 'hotel code, property code, Kürzel, Hotelkürzel, Hauskürzel',
  name: 'hotel name, property name, Hotelbezeichnung, Bezeichnung',
  company_name: 'company, operating company, operator, Firma, Firmenname, Betreiber, Gesellschaft',
  commercial_register_entry:
    'commercial register, register entry, Handelsregister, Handelsregistereintrag, Handelsregisternummer, HRB',
  tax_id:
    'tax number, VAT, VAT id, VAT number, Steuernummer, Steuernr, Steuer-ID, USt-ID, USt-IdNr, Umsatzsteuer-ID',
  'location.address_line1':
    'address, address 1, street, street and number, street address, Straße, Straße und Nr, ' +
    'Straße und Hausnummer, Straße / Nr, Adresse, Anschrift',
  'location.address_line2': 'address 2, second address line, Adresszusatz',
  'location.postal_code': 'postcode, zip, zip code, PLZ, Postleitzahl',
  'location.city': 'town, Ort, Stadt',
  'location.country_code': 'country, Land, Ländercode, Länderkürzel, Länderkennzeichen',
  'location.region_code': 'region, Bundesland',
  time_zone: 'zone, Zeitzone',
  default_check_in_time: 'check-in, check-in time, default check-in, Anreise, Anreisezeit, Check-in-Zeit',
  default_check_out_time:
    'check-out, check-out time, default check-out, Abreise, Abreisezeit, Check-out-Zeit',
  currency_code: 'currency, Währung, Währungscode',
  payment_terms: 'terms of payment, Zahlungsbedingungen',
  description: 'Beschreibung',
  managing_directors: 'managing director, Geschäftsführer, Geschäftsführung',
  'bank_account.iban': 'IBAN',
  'bank_account.bic': 'SWIFT',
  'bank_account.bank': 'bank name, Bankname, Kreditinstitut',
  email: 'mail, e-mail address, mail address, E-Mail-Adresse, Mailadresse',
  subject_id: 'user id, Benutzer-ID',
  role: 'Rolle',
  roles: 'Rollen',
  properties:
    'property, property id, property ids, property code, hotel, hotels, hotel code, Hotelkürzel, Häuser',
  property_roles: 'roles by property',
  first_name: 'given name, Vorname',
  last_name: 'surname, family name, Nachname, Familienname',
  is_account_admin: 'account admin, admin, administrator, Kontoadmin',
  enabled: 'active, Aktiv, Aktiviert',
  reason: 'leaving reason, Grund, Austrittsgrund, Begründung',
  ticket: 'ticket number, Ticketnummer, Vorgang',
  like: 'same as, wie, Vorbild',
  property: 'hotel, hotel code, property code, property id, Hotelkürzel, Haus',
  names: 'units, rooms, room numbers, Zimmernummern',
  group: 'unit group, room type, room category, Zimmerkategorie, Zimmertyp, Kategorie',
  max_persons: 'persons, maximum persons, occupancy, Personen, Personenzahl, Belegung',
  attributes: 'unit attributes, Ausstattung, Merkmale',
  connects: 'connected units',
  decision: 'Entscheidung',
  reviewer: 'reviewed by, Prüfer, geprüft von',
  comment: 'remark, note, Kommentar, Bemerkung',
};

/** Parts of headers for the last day of somebody, without capitals and blanks: `austrittzum`. `^` and `$` are the ends of a header. */
const lastDayWords = [
  'until, bis$, ^exit, exit$, exitdate, dateofexit, ^end$, ^ends$, ^ended$, ^ende$, ^endeder, enddat, endofemployment',
  'employmentend, contractexp, vertragsende, beschaeftigungsende, lastday, lastdate, lastworking, lastemployment, finalday',
  'letztertag, letzterarbeitstag, austritt, ausscheid, ausgeschieden, leavingdate, leavedate, leaverdate, dateofleaving',
  '^leaving$, ^leaveson$, ^left$, ^lefton$, dateleft, departuredate, ^departure$, terminationdate, ^termination$, terminatedon',
  'dateoftermination, separationdate, resignationdate, offboardingdate, kuendigungsdatum, kuendigungzum, kuendigungper',
  '^abgang, datacessazione, datadicessazione, datauscita, datadiuscita',
].flatMap((line) => line.split(', '));

/** Those for another day, or for what else is known of an end. */
const otherDayWords =
  'probation, probezeit, maternity, parental, elternzeit, grund$, reason$, art$, type$, code$, interview$'.split(
    ', ',
  );

/** Names of languages in headers: `Name (Deutsch)`. */
const languages: Readonly<Record<string, string>> = {
  deutsch: 'de',
  german: 'de',
  englisch: 'en',
  english: 'en',
};

/** What a sheet of units calls their names. */
const unitNames = 'unit, unit number, room, room number, number, Zimmer, Zimmernummer, Zimmernr, Nummer';

/** Whether a field of a kind has a text for each language. */
function isInLanguages(field: string, kind: Kind): boolean {
  return isInventory(kind) ? inventoryMaps(kind).includes(field) : languageMaps.has(field);
}

/** Longer headers mean no column. */
const LONGEST = 100;

/**
 * The column that a header of a spreadsheet means, or `undefined`. It is found by its whole words; capitals, blanks, marks and
 * the spelling of umlauts do not count.
 */
export function meantColumn(header: string, kind: Kind): string | undefined {
  if (header.length > LONGEST) return undefined;
  const field = columnsByWord[kind].get(bare(header));
  if (field !== undefined && mapMeant(header, kind) === undefined) return field;
  const [, name = '', tag = ''] = /^(.+?)[\s._:/([-]+(\p{L}{2,8})[)\]]?$/u.exec(header.trim()) ?? [];
  const map = mapMeant(name, kind);
  const language = languages[bare(tag)] ?? tag.toLowerCase();
  return map === undefined || languageProblem(language) !== undefined ? undefined : `${map}.${language}`;
}

/** The field with a text for each language that a header without a language means, or `undefined`. */
export function mapMeant(header: string, kind: Kind): string | undefined {
  const field = columnsByWord[kind].get(bare(header));
  return field !== undefined && isInLanguages(field, kind) ? field : undefined;
}

/** The one of these columns that a header means, or `undefined`. */
export function columnAmong(header: string, columns: readonly string[]): string | undefined {
  const word = header.length > LONGEST ? '' : bare(header);
  const column = columns.find((each) =>
    [each, ...(otherWords[each]?.split(', ') ?? [])].some((other) => bare(other) === word),
  );
  return column ?? (meansLastDay(word) ? columns.find((each) => each === LAST_DAY) : undefined);
}

function meansLastDay(word: string): boolean {
  const has = (parts: readonly string[]) => parts.some((part) => `^${word}$`.includes(part));
  return has(lastDayWords) && !has(otherDayWords);
}

/** The column of the last day of somebody who leaves. */
export const LAST_DAY = 'until';

/** A shorter header is close to too many words. */
const SHORTEST = 5;

/** The column whose name, or else whose words, are closest to a misspelt header, or `undefined`. */
export function nearestColumn(header: string, kind: Kind): string | undefined {
  const meant = meantBy(kind, header);
  if (meant !== undefined) return meant;
  const typed = bare(header.slice(0, LONGEST));
  const word = typed.length < SHORTEST ? undefined : nearest(typed, [...columnsByWord[kind].keys()]);
  const field = word && columnsByWord[kind].get(word);
  return field !== undefined && isInLanguages(field, kind) ? `${field}.en` : field;
}

/** The column that a misspelt header may be. @param taken the columns that the table has. */
export function freeColumn(header: string, kind: Kind, taken: ReadonlySet<string>): string | undefined {
  const meant = nearestColumn(header, kind);
  const columns = columnsOf(kind).filter((column) => !taken.has(column));
  return meant && columns.find((each) => each === meant || each.startsWith(`${meant}.`));
}

/** Every column that a table of a kind may have; one for each language has English and German. */
export function columnsOf(kind: Kind): readonly string[] {
  const fields = [...new Set(columnsByWord[kind].values())];
  return fields.flatMap((field) => (isInLanguages(field, kind) ? [`${field}.en`, `${field}.de`] : [field]));
}

/** Whether two headers are the same words. */
export function isSameHeader(one: string, other: string): boolean {
  return one === other || (bare(one) !== '' && bare(one) === bare(other));
}

/** What does not count in a header: `E-Mail` and `email`, `Straße` and `STRASSE`. */
function bare(header: string): string {
  return header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[äöü]/g, (umlaut) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[umlaut] ?? umlaut)
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The column for each bare word, by kind: the path of a field, its last name, and what spreadsheets call it. */
// Every kind has its own.
const columnsByWord = Object.fromEntries(kinds.map((kind) => [kind, wordsFor(kind)])) as Readonly<
  Record<Kind, ReadonlyMap<string, string>>
>;

function wordsFor(kind: Kind): ReadonlyMap<string, string> {
  const { fields } = entryKinds[kind];
  const words = { ...otherWords, ...(kind === 'unit' ? { name: unitNames } : {}) };
  const known = Object.entries(words).filter(([path]) => fields.includes(path.split('.')[0] ?? ''));
  return new Map(
    known.flatMap(([path, others]) =>
      [path, path.split('.').at(-1) ?? '', ...others.split(', ')].map((word) => [bare(word), path] as const),
    ),
  );
}
