/** Tells a person where writes go: each host once, before the first write to it. */
export interface Announcer {
  /** The host in words, for whoever tells it in a sentence of its own; it is not told again. */
  told(host: string): string;
  /** Tells the host of a URL, unless that was done. */
  announce(url: string): Promise<void>;
}

/**
 * An announcer that told nothing yet.
 *
 * @param profile the name of the profile in use, if any.
 * @param tell says a sentence; `undefined` where nobody is there to be told.
 */
export function createAnnouncer(
  profile: string | undefined,
  tell: ((sentence: string) => Promise<void>) | undefined,
): Announcer {
  const hosts = new Set<string>();
  const told = (host: string) => {
    hosts.add(host);
    return profile === undefined ? host : `${host} (profile ${profile})`;
  };
  return {
    told,
    async announce(url) {
      if (tell === undefined) return;
      const { host } = new URL(url);
      if (hosts.has(host)) return;
      await tell(`Sending to ${told(host)}.`);
    },
  };
}
