/**
 * When a record says that something happened, in milliseconds since the epoch; `undefined` where it shows no time.
 * Without a zone it is UTC, whatever the zone of this machine.
 */
export function momentOf(time: unknown): number | undefined {
  if (typeof time !== 'string') return undefined;
  const moment = Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}
