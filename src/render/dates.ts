const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Invitations live for 30 days, so days are counted for longer than a month. */
const units = [
  { unit: 'year', ms: 365 * DAY, from: 730 * DAY },
  { unit: 'month', ms: 30 * DAY, from: 90 * DAY },
  { unit: 'day', ms: DAY, from: DAY },
  { unit: 'hour', ms: HOUR, from: HOUR },
  { unit: 'minute', ms: MINUTE, from: MINUTE },
] as const;

/** A point in time, with its zone: without one its distance is not known. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Says how far ISO date-times are from `now`: `40 days ago`, `in 2 hours`, `just now`.
 *
 * @param now milliseconds since the epoch.
 * @returns a function that answers `undefined` for texts that are no date-time with a zone.
 */
export function relativeTo(now: number): (text: string) => string | undefined {
  return (text) => {
    const distance = INSTANT.test(text) ? Date.parse(text) - now : Number.NaN;
    if (Number.isNaN(distance)) return undefined;
    const fitting = units.find(({ from }) => Math.abs(distance) >= from);
    return fitting ? inWords(Math.trunc(distance / fitting.ms), fitting.unit) : 'just now';
  };
}

/** As Intl.RelativeTimeFormat says it in English, whose data alone takes 10 ms to load. */
function inWords(distance: number, unit: string): string {
  const number = Math.abs(distance);
  const grouped = `${number}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const length = `${grouped} ${unit}${number === 1 ? '' : 's'}`;
  return distance < 0 ? `${length} ago` : `in ${length}`;
}
