import { addressSegmentProblem } from './segment.ts';
import { quote, textProblem } from './text.ts';

const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;

/**
 * What is wrong with an e-mail address, or `undefined`. Quoted local parts and address literals are not taken, nor what
 * no path can carry: such an invitation could not be withdrawn.
 */
export function emailProblem(text: string): string | undefined {
  const problem = textProblem(text, LONGEST);
  if (problem !== undefined) return problem;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const isLocalPart =
    local !== '' &&
    local.length <= LONGEST_LOCAL_PART &&
    !/[\s@"(),:;<>[\]\\]/.test(local) &&
    !/^\.|\.\.|\.$/.test(local);
  if (!isLocalPart || !isDomain(text.slice(at + 1))) return noAddress(text);
  return addressSegmentProblem(text);
}

/**
 * Like `emailProblem`, for an address that a service may hold already: quoted local parts, dots anywhere in front of the @,
 * and domains of one label are taken too.
 */
export function heldEmailProblem(text: string): string | undefined {
  const problem = textProblem(text, LONGEST);
  if (problem !== undefined) return problem;
  const isHeld = /^(?:"[^"]+"|[^\s@"(),:;<>[\]\\]+)@[^\s@"(),:;<>[\]\\.]+(?:\.[^\s@"(),:;<>[\]\\.]+)*$/.test(
    text,
  );
  // Its slash or backslash says more.
  const segment = text.includes('@') ? addressSegmentProblem(text) : undefined;
  return segment ?? (isHeld ? undefined : noAddress(text));
}

function noAddress(text: string): string {
  const [, inBrackets] = /<([^<>]*)>\s*$/.exec(text) ?? [];
  const bare = (inBrackets ?? text)
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/[.,;]+$/, '');
  const guess = bare === text || emailProblem(bare) !== undefined ? '' : `: did you mean ${bare}?`;
  return `${quote(text)} is not an e-mail address${guess}`;
}

/** Labels between dots; the last one is not a number, as it is in an IP address. */
function isDomain(text: string): boolean {
  // Made when it is needed: V8 takes milliseconds for it.
  return /^(?!.*\.\p{N}+$)(?!-)[\p{L}\p{N}-]{1,63}(?<!-)(\.(?!-)[\p{L}\p{N}-]{1,63}(?<!-))+$/u.test(text);
}
