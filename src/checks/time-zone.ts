import { nearest } from './nearest.ts';
import { quote } from './text.ts';

/** Places whose zones are written often. To open the names of all zones takes as long as to start Node. */
const usualZones = new Set(
  (
    'Amsterdam Andorra Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Copenhagen Dublin Helsinki Istanbul ' +
    'Lisbon Ljubljana London Luxembourg Madrid Malta Monaco Moscow Oslo Paris Podgorica Prague Riga Rome Sarajevo Skopje ' +
    'Sofia Stockholm Tallinn Tirane Vaduz Vienna Vilnius Warsaw Zagreb Zurich'
  )
    .split(' ')
    .map((place) => `Europe/${place}`),
);

/** What is wrong with an IANA time zone name, or `undefined`. Aliases are taken; the case must be right. */
export function timeZoneProblem(text: string): string | undefined {
  if (usualZones.has(text)) return undefined;
  const zone = /^[A-Za-z]/.test(text) ? resolve(text) : undefined;
  if (zone === undefined) {
    const guess = nearest(text, Intl.supportedValuesOf('timeZone'));
    return `${quote(text)} is not an IANA time zone${guess === undefined ? '' : `: did you mean ${guess}?`}`;
  }
  if (text === zone || !isMiscased(text, zone)) return undefined;
  const right = text.toLowerCase() === zone.toLowerCase() ? zone : titleCase(text);
  return `${quote(text)} is written ${right}`;
}

function resolve(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Aliases are listed nowhere in their right case: all small letters, or a capitalised place, are certainly wrong. */
function isMiscased(text: string, zone: string): boolean {
  if (text.toLowerCase() === zone.toLowerCase()) return true;
  const place = text.split('/')[1] ?? '';
  return (
    text === text.toLowerCase() || (place.length > 3 && !/\d/.test(place) && place === place.toUpperCase())
  );
}

function titleCase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/(^|[/_-])([a-z])/g, (_, before, letter) => before + letter.toUpperCase());
}
