import { readFileSync } from 'node:fs';
import { type SourceMap, SourceMap as SourceMapOf, type SourceMapPayload } from 'node:module';
import { join, sep } from 'node:path';
import { PLACE } from './chunks.ts';

/** The name of the file in dist/ that holds the source map of each other. */
const MAPS = 'maps.json';

/**
 * A text with a stack trace in it, as the sources have it: each place in a built file becomes that in its source.
 *
 * @param dist the folder of the built files.
 * @returns the text itself where nothing is known.
 */
export function explainStack(text: string, dist: string): string {
  const [before = '', ...places] = text.replaceAll(join(dist, sep), PLACE).split(PLACE);
  if (places.length === 0) return text;
  try {
    const maps = mapsIn(dist);
    const explained = places.map((place) => sourceOf(place, maps) ?? `${PLACE}${place}`);
    return [before, ...explained].join('');
  } catch {
    // An installation that is broken must still be able to say so.
    return text;
  }
}

type Maps = (name: string) => SourceMap | undefined;

function mapsIn(dist: string): Maps {
  const opened = new Map<string, SourceMap | undefined>();
  const payloads = payloadsIn(dist);
  return (name) => {
    if (!opened.has(name)) {
      const payload = payloads.get(name);
      opened.set(name, payload && new SourceMapOf(payload));
    }
    return opened.get(name);
  };
}

function payloadsIn(dist: string): ReadonlyMap<string, SourceMapPayload> {
  return new Map(Object.entries(JSON.parse(readFileSync(join(dist, MAPS), 'utf8'))));
}

/** `core.js:1:2345) ...` as `src/run.ts:21:3) ...`. */
function sourceOf(place: string, maps: Maps): string | undefined {
  const [whole = '', name = '', line, column] = /^([\w-]+\.js):(\d+):(\d+)/.exec(place) ?? [];
  const entry = maps(name)?.findEntry(Number(line) - 1, Number(column) - 1);
  // Nothing is known of what the bundler added.
  if (entry === undefined || !('originalSource' in entry) || !entry.originalSource) return undefined;
  const { originalSource, originalLine, originalColumn } = entry;
  const source = originalSource.replace(/^(\.\.\/)+/, '');
  return `${source}:${originalLine + 1}:${originalColumn + 1}${place.slice(whole.length)}`;
}
