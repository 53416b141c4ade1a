import { segmentsIn } from '../../api/addressed.ts';
import { leavesSegment } from '../../checks/segment.ts';
import { quote } from '../../checks/text.ts';

const LONGEST = 8_192;

/** White space and what a reader does not see: it would change the path, or hide in it. */
const stray = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Everything that stands in a path or a query as it is (RFC 3986). */
const unencoded = /[^\w\-.~!$&'()*+,;=:@%/?]/gu;

/** A path as it is sent. */
export interface ParsedPath {
  /** Begins with a slash; what is not ASCII is percent-encoded. */
  readonly path: string;
  /** Without the question mark; empty when there is none. */
  readonly query: string;
}

/** Splits a path without a problem from its query; a missing slash is put in front. */
export function parsePath(text: string): ParsedPath {
  const rooted = text.startsWith('/') ? text : `/${text}`;
  const mark = rooted.indexOf('?');
  const [path, query] = mark === -1 ? [rooted, ''] : [rooted.slice(0, mark), rooted.slice(mark + 1)];
  return { path: encoded(path), query: encoded(query) };
}

/** What is wrong with a path below the URL of the service, or `undefined`. */
export function pathProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/^(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(text)) {
    return `${quote(text)} names a host; write only what follows it, such as /inventory/v1/properties`;
  }
  if (stray.test(text)) return `${quote(text)} has blanks, or control or invisible characters`;
  if (text.includes('\\')) return `${quote(text)} has a backslash; write / between the parts`;
  if (text.includes('#')) return `${quote(text)} has a fragment; write %23 for a # that is meant`;
  const { path, query } = parsePath(text);
  if (!isDecodable(path) || !isDecodable(query)) {
    return `${quote(text)} has a broken percent encoding; write %25 for a % that is meant`;
  }
  return segmentsProblem(path, text);
}

function segmentsProblem(path: string, text: string): string | undefined {
  const placeholder = /\{[^/]*\}|<[^/]*>/.exec(decodeURIComponent(path))?.[0];
  if (placeholder !== undefined) return `${quote(placeholder)} stands for a value; write the value itself`;
  for (const segment of segmentsIn(path)) {
    if (segment === '') return `${quote(text)} has an empty part; write one / between two parts`;
    if (segment === '.' || segment === '..') return `${quote(text)} has the part ${segment}; leave it out`;
    if (stray.test(segment)) return `${quote(text)} hides blanks, or control or invisible characters`;
    if (leavesSegment(segment)) return `${quote(text)} hides a slash, a backslash or dots; no id has one`;
    if (/[?#]/.test(segment) && !segment.includes('@')) return `${quote(text)} hides a ? or #; no id has one`;
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function encoded(text: string): string {
  return text.toWellFormed().replace(unencoded, encodeURIComponent);
}
