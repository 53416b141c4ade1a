import { expect, test } from 'vitest';
import { countryProblem, currencyProblem, currencyWarning } from '../../src/model/codes.ts';
import {
  emailProblem,
  nameProblem,
  nearest,
  nearestAddress,
  nearestFlag,
  quote,
  runIdProblem,
  textProblem,
} from '../../src/model/text.ts';
import {
  inexactNumber,
  languageProblem,
  timeOfDay,
  timeOfDayProblem,
  timeZoneProblem,
} from '../../src/model/values.ts';

test.each([
  'ana@example.com',
  'ana+hotel@example.co.uk',
  'a?b#c%d@example.com',
  "o'neill@example.com",
  'änä@müller.example',
  'ana@163.com',
  'ana@example.xn--p1ai',
  `${'x'.repeat(64)}@example.com`,
])('%s is an e-mail address', (text) => {
  expect(emailProblem(text)).toBeUndefined();
});

test.each([
  '',
  ' ',
  'ana',
  'ana@',
  'ana@example.com@example.net',
  'ana b@example.com',
  'ana@-example.com',
  '.ana@example.com',
  'Ana <ana@example.com>',
  'ana@example.com,ben@example.com',
  'ana\u202e@example.com',
  'ana\u3164@example.com',
  'ana\u{e0041}@example.com',
  'ana@1.2.3.4',
  'ana@example.1',
  `${'x'.repeat(65)}@example.com`,
  `ana@${'x'.repeat(64)}.com`,
])('%j is not an e-mail address', (text) => {
  expect(emailProblem(text)).toEqual(expect.any(String));
});

test.each([
  ['15:00', '15:00:00'],
  ['9:30', '09:30:00'],
  ['23:59', '23:59:00'],
  ['15:00:00', '15:00:00'],
  ['24:00', '24:00'],
  ['9:60', '9:60'],
  ['15', '15'],
  ['3pm', '15:00:00'],
  ['3:00 PM', '15:00:00'],
  ['11:30 a.m.', '11:30:00'],
  ['12:15 AM', '00:15:00'],
  ['12 pm', '12:00:00'],
  ['13:00 PM', '13:00 PM'],
  ['0 am', '0 am'],
  ['15.00', '15:00:00'],
  [' 15:00 Uhr', '15:00:00'],
  ['9 Uhr', '09:00:00'],
  ['3:00:00 PM', '15:00:00'],
  ['', ''],
])('the time %j is sent as %j', (text, sent) => {
  expect(timeOfDay(text)).toBe(sent);
});

test.each(['00:00:00', '15:00:00', '23:59:59'])('%s is a time of day', (text) => {
  expect(timeOfDayProblem(text)).toBeUndefined();
});

test.each(['', '24:00:00', '23:60:00', '1:00:00', '15:00:00Z', ' 15:00:00'])(
  '%j is not a time of day',
  (text) => {
    expect(timeOfDayProblem(text)).toEqual(expect.any(String));
  },
);

test.each([
  'Europe/Berlin',
  'Asia/Calcutta',
  'America/Argentina/Buenos_Aires',
  'US/Eastern',
  'UTC',
  'Etc/GMT+1',
  'GB-Eire',
])('%s is a time zone', (text) => {
  expect(timeZoneProblem(text)).toBeUndefined();
});

test.each([
  ['europe/berlin', '"europe/berlin" is written Europe/Berlin'],
  ['asia/kolkata', '"asia/kolkata" is written Asia/Kolkata'],
  ['utc', '"utc" is written UTC'],
  ['asia/calcutta', '"asia/calcutta" is written Asia/Calcutta'],
  ['Asia/KOLKATA', '"Asia/KOLKATA" is written Asia/Kolkata'],
  ['Europe/KYIV', '"Europe/KYIV" is written Europe/Kyiv'],
  ['america/buenos_aires', '"america/buenos_aires" is written America/Buenos_Aires'],
  ['America/FORT_WAYNE', '"America/FORT_WAYNE" is written America/Fort_Wayne'],
  ['europe/berlin/', '"europe/berlin/" is not an IANA time zone; did you mean Europe/Berlin?'],
  ['Europe/Berln', '"Europe/Berln" is not an IANA time zone; did you mean Europe/Berlin?'],
  ['+01:00', '"+01:00" is not an IANA time zone'],
  ['', '"" is not an IANA time zone'],
  ['Mars', '"Mars" is not an IANA time zone'],
])('the time zone %j is rejected', (text, problem) => {
  expect(timeZoneProblem(text)).toBe(problem);
});

test.each(['DE', 'AT', 'GB', 'TW'])('%s is an assigned country code', (code) => {
  expect(countryProblem(code)).toBeUndefined();
});

test.each(['', 'UK', 'EU', 'ZZ', 'XK', 'DEU', 'de', 'SU', 'AN', '__proto__', 'constructor'])(
  '%j is not an assigned country code',
  (code) => {
    expect(countryProblem(code)).toEqual(expect.stringContaining('is not an assigned country code'));
  },
);

test.each([
  ...[
    ['Deutschland', 'DE'],
    ['GERMANY', 'DE'],
    ['Schweiz\u00a0', 'CH'],
  ],
  ...[
    ['de', 'DE'],
    ['UK', 'GB'],
    ['Deutschlnd', undefined],
    ['', undefined],
  ],
  ...[
    ['__PROTO__', undefined],
    ['__proto__', undefined],
  ],
])('for the country %j, the code to write is %s', (name, code) => {
  expect(countryProblem(String(name))?.split(': write ')[1]).toBe(code);
});

test.each([
  ...[
    ['EUR\u00a0', 'EUR'],
    ['$', undefined],
  ],
  ...[
    ['constructor', undefined],
    ['__PROTO__', undefined],
  ],
])('for the currency %j, the code to write is %s', (name, code) => {
  expect(currencyProblem(String(name))?.split(': write ')[1]).toBe(code);
});

test.each(['EUR', 'CHF', 'XCG', 'ZWG', 'SLE', 'VED'])('%s is a currency', (code) => {
  expect([currencyProblem(code), currencyWarning(code)]).toEqual([undefined, undefined]);
});

test.each(['DEM', 'HRK', 'ANG', 'BGN', 'ZWL'])('%s is a withdrawn currency', (code) => {
  expect([currencyProblem(code), currencyWarning(code)]).toEqual([undefined, expect.stringContaining(code)]);
});

test.each(['', 'eur', 'EURO', 'XXX', 'XTS', 'ZZZ', '€'])('%j is not a currency', (code) => {
  expect(currencyProblem(code)).toEqual(expect.stringContaining('is not a currency code of ISO 4217'));
});

test.each(['en', 'de', 'de-AT', 'zh-Hant', 'pt-BR', 'gsw'])('%s is a language code', (tag) => {
  expect(languageProblem(tag)).toBeUndefined();
});

test.each([
  ['', '"" is not a language code such as en, de or de-AT'],
  ['english', '"english" is not a language code such as en, de or de-AT'],
  ['de_AT', '"de_AT" is not a language code such as en, de or de-AT'],
  ['EN', '"EN" is written en'],
  ['de-at', '"de-at" is written de-AT'],
])('the language code %j is rejected', (tag, problem) => {
  expect(languageProblem(tag)).toBe(problem);
});

test('the nearest candidate is suggested only within a small distance', () => {
  expect(nearest('compnay_name', ['company_name', 'code'])).toBe('company_name');
  expect(nearest('stars', ['company_name', 'code'])).toBeUndefined();
  expect(nearest('x'.repeat(100_000), ['company_name'])).toBeUndefined();
});

test.each<[string, readonly string[], string | undefined]>([
  ['anna@example.com', ['ben@example.com', 'ana@example.com'], 'ana@example.com'],
  ['ana@exmaple.com', ['ana@other.example', 'ana@example.com'], 'ana@example.com'],
  ['karl@example.com', ['ben@example.com', 'ana@example.com'], undefined],
  ['ana@example.com', [], undefined],
])('the nearest address to %s among %j is %s', (email, listed, meant) => {
  expect(nearestAddress(email, listed)).toBe(meant);
});

test.each(['Grand Hotel', 'Hôtel de la Poste', '旅館', "Ana's & Ben's"])('%j is a valid text', (text) => {
  expect([textProblem(text), nameProblem(text)]).toEqual([undefined, undefined]);
});

test.each([
  ['an emoji with a variation selector', 'Hotel \u2600\ufe0f'],
  ['joined emoji with variation selectors', 'Hotel \u2764\ufe0f\u200d\u{1f525}'],
  ['a Persian word with a joiner', 'هتل\u200cها'],
  ['an ideographic variant', '\u8fbb\u{e0100}ホテル'],
])('%s is accepted in a name only', (_, text) => {
  expect([nameProblem(text), textProblem(text)]).toEqual([undefined, 'has control or invisible characters']);
});

test.each([
  ['a lone variation selector', '\ufe0f'],
  ['two variation selectors', 'Hotel \u2600\ufe0f\ufe0f'],
  ['a joiner at the end', 'Hotel\u200d'],
  ['a Hangul filler', 'Hotel\u3164'],
  ['tags', 'Hotel\u{e0041}\u{e0042}'],
  ['a line separator', 'Hotel\u2028Ben'],
])('%s is rejected in every text', (_, text) => {
  expect([nameProblem(text), textProblem(text)]).toEqual([
    'has control or invisible characters',
    'has control or invisible characters',
  ]);
});

test('a long text is rejected by its length and quoted partially', () => {
  expect(nameProblem('\u200d'.repeat(1_001))).toBe('is longer than 1000 characters');
  expect(quote('9'.repeat(5_000))).toBe(`"${'9'.repeat(59)}…"`);
});

test.each([
  ['jsn', ['json'], 'json'],
  ['hlep', ['help'], 'help'],
  ['dryrun', ['dry-run'], 'dry-run'],
  ['add-property', ['add-properties', 'set-properties'], 'add-properties'],
  ['remove-propertys', ['set-properties', 'remove-properties'], 'remove-properties'],
  ['remove-properties', ['set-properties', 'add-properties'], undefined],
  ['delete-properties', ['set-properties'], undefined],
  ['get-live', ['set-live'], undefined],
  ['disable', ['enable'], undefined],
  ['enable', ['disable'], undefined],
  ['exclude-archived', ['include-archived'], undefined],
  ['max-deletes', ['max-changes'], undefined],
])('the nearest flag to --%s among %j is %s', (typed, flags, meant) => {
  expect(nearestFlag(typed, flags)).toBe(meant);
});

const valid = ['1', 'build-17/4', 'a'.repeat(128), '__proto__', '3f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77'];
const invalid = ['', ' ', 'a b', 'a\tb', 'a\nb', 'ä', '\u202e', '\0', 'a'.repeat(129)];

test('a run id is 1 to 128 visible ASCII characters without blanks', () => {
  expect(valid.filter(runIdProblem)).toEqual([]);
  expect(invalid.filter((id) => runIdProblem(id) === undefined)).toEqual([]);
});

test.each([
  '0',
  '0e9',
  '1e3',
  '0.1',
  '9007199254740992',
  '100000000000000000000',
  '1.7976931348623157e308',
  '5e-324',
  `1${'0'.repeat(300)}`,
  '"12345678901234567890"',
  '"a\\"12345678901234567890"',
  '{"12345678901234567890":[1.5,"1e999",true,null]}',
])('%s is sent exactly', (json) => {
  expect(inexactNumber(json)).toBeUndefined();
});

test.each([
  '12345678901234567890',
  '0.30000000000000001',
  '1e999',
  '1e-999',
  '1.0000000000000000001',
  `1.${'0'.repeat(400)}`,
])('%s would be sent as another number', (json) => {
  expect(inexactNumber(json)).toBe(json);
});

test.each(['{"a":[1,{"b":1e999}],"c":12345678901234567890}', '["\\\\",1e999]', '[ 1e999 ]'])(
  'the first inexact number in %s is reported',
  (json) => {
    expect(inexactNumber(json)).toBe('1e999');
  },
);

test('a text of a megabyte is checked quickly', () => {
  expect(inexactNumber(JSON.stringify(['\\"'.repeat(50_000), 1]))).toBeUndefined();
});
