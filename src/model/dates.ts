import { quote } from './text.ts';

/** ISO 8601 with a zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;

/** Reads an ISO date-time with a zone, in milliseconds since the epoch; `undefined` for anything else. */
export function parseInstant(text: string): number | undefined {
  const moment = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}

/**
 * A time of a record, in milliseconds since the epoch; `undefined` if it is none. Without a zone it is UTC, not the zone of
 * this machine.
 */
export function momentOf(time: unknown): number | undefined {
  // `Date.parse` alone takes `5` for a day in 2001.
  if (typeof time !== 'string' || !/^\d{4}-\d\d-\d\d/.test(time)) return undefined;
  const moment = Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a duration of hours, days or weeks, as in `12h`, `30d` and `2w`, in milliseconds; `undefined` for anything else, and for none. */
export function parseDuration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

/** The three forms of RFC 9110, section 5.6.7; the last one has no zone but is GMT, too. */
const forms = [
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/,
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/,
];

/** Reads a date of an HTTP header, in milliseconds since the epoch; `undefined` for anything else. */
export function parseHttpDate(text: string): number | undefined {
  // `Date.parse` alone accepts almost anything, such as `-5`.
  if (!forms.some((form) => form.test(text))) return undefined;
  const instant = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  // It also turns 31 February into 3 March; the first number is the day in all forms.
  return new Date(instant).getUTCDate() === Number(/\d+/.exec(text)?.[0]) ? instant : undefined;
}

/** Whether a date such as `2026-12-20` exists; `Date` moves an impossible one into the next month. */
export function isCalendarDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * The day in a cell of a spreadsheet, as `2026-12-31`: it is written so, as `31.12.2026`, or with other marks if only one order
 * is a day; `undefined` for anything else.
 */
function dayOf(cell: string): string | undefined {
  const date = /^(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?:[T ][\d:.]+Z?)?$/;
  const [, first = '', mark, second = '', last = ''] = date.exec(cell.trim()) ?? [];
  const orders =
    mark === '.'
      ? [[last, second, first]]
      : [
          [last, second, first],
          [last, first, second],
        ];
  const days = (first.length === 4 ? [[first, second, last]] : orders)
    .map((parts) => parts.map((part) => part.padStart(2, '0')).join('-'))
    .filter(isCalendarDay);
  return new Set(days).size === 1 ? days[0] : undefined;
}

/**
 * Whether a last day is over, in UTC and here; one that is empty or a dash is not.
 *
 * @param now milliseconds since the epoch.
 */
export function isOver(cell: string, now: number): boolean {
  const day = dayOf(cell);
  return day !== undefined && daysAt(now).every((today) => day < today);
}

/** What is wrong with the cell of a last day, or `undefined`. */
export function lastDayProblem(cell: string): string | undefined {
  if (/^[-–—]?$/.test(cell.trim()) || dayOf(cell) !== undefined) return undefined;
  return `${quote(cell)} is not a plain day: write 2026-12-31`;
}

/**
 * The current day in UTC and in a time zone: `2026-12-20`.
 *
 * @param now milliseconds since the epoch.
 * @param zone IANA name; default: the time zone of this machine.
 */
export function daysAt(now: number, zone?: string): readonly string[] {
  return ['UTC', zone].map((timeZone) => dayIn(now, timeZone));
}

function dayIn(now: number, timeZone: string | undefined): string {
  const form = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const [month, day, year] = new Date(now).toLocaleDateString('en', form).split('/');
  return [year, month, day].join('-');
}
