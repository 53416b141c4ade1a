/** What a URL names, as it is sent. */
export interface Place {
  readonly origin: string;
  readonly protocol: string;
  /** Host and port, the port only where it is not the usual one. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

/** Of these a URL keeps every one: no dots, of which two go up a step, and no dot in disguise. */
const PLAIN = /^\/(?:[\w\-/~!$&()*+,;=:@?]|%(?!2e)[\da-f]{2})*$/i;

/** So many origins are remembered: a run has two or three. */
const MOST_ORIGINS = 100;

/** Reads URLs, quickly where one begins like one that was read before and goes on plainly. */
export function createPlaces(): (url: string) => Place {
  const origins = new Map<string, Omit<Place, 'path'>>();
  let last: { readonly url: string; readonly place: Place } | undefined;
  const read = (url: string): Place => {
    const end = url.indexOf('/', url.indexOf('://') + 3);
    const start = end === -1 ? url : url.slice(0, end);
    const path = end === -1 ? '' : url.slice(end);
    const known = origins.get(start);
    if (known !== undefined && PLAIN.test(path)) return { ...known, path };
    const { origin, protocol, host, pathname, search } = new URL(url);
    if (origin === start && origins.size < MOST_ORIGINS) origins.set(start, { origin, protocol, host });
    return { origin, protocol, host, path: `${pathname}${search}` };
  };
  // Creates are all sent to the same one.
  return (url) => {
    if (last?.url !== url) last = { url, place: read(url) };
    return last.place;
  };
}
