/**
 * The day that it is in UTC, and the one that it is in a time zone: `2026-12-20`.
 *
 * @param now milliseconds since the epoch.
 * @param zone IANA name; without one the time zone of this machine.
 */
export function daysAt(now: number, zone?: string): readonly string[] {
  return ['UTC', zone].map((timeZone) => dayIn(now, timeZone));
}

function dayIn(now: number, timeZone: string | undefined): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now);
  const part = (wanted: Intl.DateTimeFormatPartTypes) =>
    parts.find(({ type }) => type === wanted)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}
